package evidence

import (
	"net/netip"
	"slices"
)

// wait is a time in which the request waits for something outside of its threads.
type wait struct {
	from, to int64
	as       Interval
}

// path is how a request is followed from its read to its response.
type path struct {
	reader           int32
	hops             []hop // in order; the first is the reader's
	away             []wait
	outside          []wait
	firstSend, until int64
}

// hop is a thread that has the request from an instant on.
type hop struct {
	thread int32
	from   int64
	line   timeline
}

// at is the hop of an instant.
func (p *path) at(t int64) *hop {
	h := &p.hops[0]
	for i := range p.hops {
		if p.hops[i].from <= t {
			h = &p.hops[i]
		}
	}
	return h
}

// work makes the intervals from the read to the last byte of the response.
func (j *joiner) work() {
	if j.read == nil && j.first == nil && j.client == nil {
		return
	}
	p, sender := path{reader: j.reader, until: j.end, firstSend: j.end}, j.reader
	switch {
	case j.last != nil:
		p.until, sender, p.firstSend = j.last.Time, j.last.Thread, j.first.Time
		if j.client != nil { // on one machine bytes are there before the call returns
			p.until = min(p.until, j.client.Time)
		}
	case j.client != nil:
		p.until = j.client.Time
		j.gap(SendNotSeen)
	case !j.sample.Failed:
		j.gap(SendNotSeen)
	}
	if p.until <= j.at {
		return
	}
	from := j.at
	p.hops = j.follow(sender, from, p.until)
	j.findAway(&p, from)
	j.findUpstreams(&p, from)
	if j.migrates || len(p.hops) > 1 {
		j.share(from, p.until)
	}
	cuts := p.cuts(from, j.shared, j.line)
	for _, to := range cuts {
		j.until(to, j.worked(&p, j.at, to))
	}
}

// share finds the threads of the server's process that did anything between two instants.
func (j *joiner) share(from, until int64) {
	for thread, events := range j.threads {
		if thread == 0 || events[0].Process != j.process {
			continue
		}
		if i := firstAt(events, from); i < len(events) && events[i].Time < until {
			j.shared = append(j.shared, thread)
		}
	}
	slices.Sort(j.shared)
}

// mostHops is how many threads a request is followed through.
const mostHops = 16

// follow goes back from the thread that sent the response to the one that read the request:
// whoever woke a thread had the request before it. What no thread of the server woke waited,
// as its sleep says, since the reader had let go of it.
func (j *joiner) follow(sender int32, from, until int64) []hop {
	reader := hop{j.reader, from, timelineOf(j.threads[j.reader], from, until)}
	if sender == j.reader {
		return []hop{reader}
	}
	hops := []hop{}
	thread, to := sender, until
	for range mostHops {
		h := hop{thread, from, timelineOf(j.threads[thread], from, to)}
		s := h.line.lastIdle()
		if s == nil || thread == j.reader {
			if thread != j.reader { // it had been awake all the time
				h.from = reader.idleSince(to)
				hops = append(hops, h)
			}
			break
		}
		h.from = s.to
		if s.wake == nil || j.processOf(int32(s.wake.B)) != j.process {
			h.from = max(s.from, reader.idleSince(s.to))
			hops = append(hops, h)
			break
		}
		hops = append(hops, h)
		thread, to = int32(s.wake.B), s.to
	}
	slices.Reverse(hops)
	return append([]hop{reader}, hops...)
}

// lastIdle is the last sleep of a thread in which it waited for something to do; nil if
// there is none.
func (l timeline) lastIdle() *span {
	for i := len(l) - 1; i >= 0; i-- {
		s := &l[i]
		if s.doing != asleep {
			continue
		}
		if s.out == nil {
			return s
		}
		if stage, _ := waitOf(s.out); stage == Lock || stage == Poll {
			return s
		}
	}
	return nil
}

// idleSince is when a thread first slept before an instant; that if it didn't.
func (h *hop) idleSince(before int64) int64 {
	for i := range h.line {
		if s := &h.line[i]; s.doing == asleep && s.from < before {
			return s.from
		}
	}
	return before
}

// cuts are the instants after from at which what the request waits for may change.
func (p *path) cuts(from int64, shared []int32, lines func(int32) timeline) []int64 {
	var cuts []int64
	add := func(at int64) {
		if at > from && at < p.until {
			cuts = append(cuts, at)
		}
	}
	for i := range p.hops {
		p.hops[i].line.edges(add)
		add(p.hops[i].from)
	}
	add(p.firstSend)
	for _, thread := range shared {
		lines(thread).edges(add)
	}
	for _, list := range [][]wait{p.away, p.outside} {
		for _, w := range list {
			add(w.from)
			add(w.to)
		}
	}
	slices.Sort(cuts)
	return append(slices.Compact(cuts), p.until)
}

// worked says what happens to the request from an instant to the next cut.
func (j *joiner) worked(p *path, t, to int64) Interval {
	for _, w := range p.outside {
		if w.from <= t && t < w.to {
			return w.as
		}
	}
	h := p.at(t)
	v := Interval{Thread: h.thread}
	s := h.line.at(t)
	if s == nil || s.doing == unknown {
		v.Stage = Unexplained
		return v
	}
	looped := j.loops[j.goroutine]
	for _, w := range p.away {
		if h.thread == p.reader && w.from <= t && t < w.to && s.doing != runnable && !(looped && s.idle()) {
			v.Stage, v.Others = LoopQueue, w.as.Others
			if !looped && (j.migrates || len(p.hops) > 1) {
				v.Stage, v.Others = Scheduler, nil
				j.waits(&v, t, to)
			}
			return v
		}
	}
	switch s.doing {
	case running:
		v.Stage = OnCPU
	case runnable:
		j.waitsForCPU(&v, s)
	default:
		j.sleeps(p, &v, s, t)
		if v.Stage == Lock && looped && s.idle() {
			v.Stage, v.By = Poll, nil
		}
		if (v.Stage == Lock || v.Stage == Poll || v.Stage == Sleep) && (j.migrates || len(p.hops) > 1) && !j.waitsAlone(&v, t, to) {
			j.helped(&v, t)
			j.waits(&v, t, to)
		}
	}
	return v
}

// helped looks, while the thread that is thought to have the request sleeps, for one of its
// process that serves nobody else and runs, or would: threads that share work hand it to each
// other in ways that no event tells, such as a goroutine that is preempted.
func (j *joiner) helped(v *Interval, t int64) {
	for _, thread := range j.shared {
		s := j.line(thread).at(t)
		if s == nil || thread == v.Thread || s.doing != running && s.doing != runnable || j.serving(thread, t) != 0 {
			continue
		}
		*v = Interval{Stage: OnCPU, Thread: thread}
		if s.doing == running {
			return
		}
		j.waitsForCPU(v, s)
	}
}

// sleeps says what the request waits for while its thread sleeps.
func (j *joiner) sleeps(p *path, v *Interval, s *span, t int64) {
	if s.out == nil {
		v.Stage = Blocked
		return
	}
	v.Stage, v.Reason = waitOf(s.out)
	if s.wake != nil && s.wake.B != 0 && v.Stage == Lock {
		v.By = &Task{PID: int32(s.wake.B), Comm: s.wake.comm()}
	}
	switch {
	case v.Stage == Poll && t >= p.firstSend:
		v.Stage = SendQueue
	case v.Stage == Poll && j.moreCame(s):
		v.Stage, v.Reason = Network, "request body"
	case v.Stage == SendQueue:
	case v.Stage == Blocked && (v.Reason == "write" || v.Reason == "writev"):
		v.Stage = SendQueue
	}
	if v.Stage == Poll || v.Stage == Blocked {
		if e := j.wokenBy(v.Thread, s); e != nil {
			v.Stage, v.Peer = upstreamOf(e)
		}
	}
}

// moreCame reports whether a sleep ended with more bytes of the request.
func (j *joiner) moreCame(s *span) bool {
	return j.came(Ready, j.sample.Connection, s.from+1, s.to)
}

// came reports whether bytes came at a socket between two instants.
func (j *joiner) came(kind Kind, subject uint64, from, to int64) bool {
	for _, e := range j.arrivals[firstAt(j.arrivals, from):] {
		if e.Time > to {
			break
		}
		if e.Kind == kind && e.Subject == subject && e != j.ready {
			return true
		}
	}
	return false
}

// wokenBy is the read from an upstream that ended a thread's sleep; nil if it was none.
func (j *joiner) wokenBy(thread int32, s *span) *Event {
	events := j.threads[thread]
	for _, e := range events[firstAt(events, s.to):] {
		switch e.Kind {
		case UpstreamReceived:
			if j.came(UpstreamReady, e.Subject, s.from, s.to) {
				return e
			}
		case SwitchOut, Received, Sent:
			return nil
		}
	}
	return nil
}

// findAway finds when the reader served other connections before the response.
func (j *joiner) findAway(p *path, from int64) {
	events := j.threads[p.reader]
	for _, e := range events[firstAt(events, from+1):] {
		if e.Time >= p.until {
			break
		}
		open := len(p.away) > 0 && p.away[len(p.away)-1].to == p.until
		switch {
		case e.Kind == Received && e.A > 0 && e.Subject != j.sample.Connection && !open:
			p.away = append(p.away, wait{from: e.Time, to: p.until})
		case (e.Kind == Received || e.Kind == Sent) && e.Subject == j.sample.Connection && open:
			p.away[len(p.away)-1].to = e.Time
		}
	}
	for i := range p.away {
		w := &p.away[i]
		w.as.Others = j.served(w.from, w.to)
	}
}

// findUpstreams finds when the request waited for other servers: from what its thread sent
// to them to the first bytes that came back, if they were read before the response.
func (j *joiner) findUpstreams(p *path, from int64) {
	for i := range j.events {
		e := &j.events[i]
		connects := e.Kind == UpstreamState && e.A&0xff == 2
		if e.Time <= from || e.Time >= p.until || e.Kind != UpstreamSent && !connects {
			continue
		}
		if !j.has(p, e.Thread, e.Time) {
			continue
		}
		if back := j.replied(e, p.until); back > 0 {
			w := wait{from: e.Time, to: back, as: Interval{Thread: e.Thread}}
			w.as.Stage, w.as.Peer = upstreamOf(e)
			if connects {
				w.as.Reason = "connect"
			}
			p.outside = append(p.outside, w)
		}
	}
}

// has reports whether a thread served the request at an instant, or may have.
func (j *joiner) has(p *path, thread int32, at int64) bool {
	if p.at(at).thread == thread && thread != p.reader {
		return true
	}
	if thread == p.reader {
		for _, w := range p.away {
			if w.from <= at && at < w.to {
				return false
			}
		}
		return true
	}
	return j.processOf(thread) == j.process && j.serving(thread, at) == 0
}

// replied is when bytes came back on a socket after something was sent on it, if they were
// read before an instant; 0 if not. For a connect it is when the connection was there.
func (j *joiner) replied(sent *Event, before int64) int64 {
	var came int64
	for i := range j.events {
		e := &j.events[i]
		if e.Time <= sent.Time || e.Subject != sent.Subject {
			continue
		}
		if e.Time >= before {
			break
		}
		switch {
		case sent.Kind == UpstreamState:
			if e.Kind == UpstreamState && e.A&0xff != 2 {
				return e.Time
			}
		case e.Kind == UpstreamReady && came == 0:
			came = e.Time
		case e.Kind == UpstreamReceived && e.A > 0:
			if came == 0 {
				came = e.Time
			}
			return came
		case e.Kind == UpstreamSent && came == 0:
			return 0 // the later one is waited for
		}
	}
	return 0
}

// upstreamOf is the stage of waiting for the other end of an event's socket, and its name.
func upstreamOf(e *Event) (Stage, string) {
	port, family := uint16(e.B), e.B>>16&0xff
	if family == 1 {
		return Upstream, "unix"
	}
	var a netip.Addr
	if family == 10 {
		a = netip.AddrFrom16(e.Text).Unmap()
	} else {
		a = netip.AddrFrom4([4]byte(e.Text[:4]))
	}
	const dnsPort = 53
	if port == dnsPort {
		return DNS, netip.AddrPortFrom(a, port).String()
	}
	return Upstream, netip.AddrPortFrom(a, port).String()
}
