package evidence

import (
	"math"
	"sort"
)

// LongestWait is how much of a request's wait in the load is looked at, up to its sending, ns.
const LongestWait = int64(1e9)

// mostBehind is how many requests before it on its connection one is followed back through.
const mostBehind = 64

// generator makes the intervals until the request was sent.
func (j *joiner) generator() {
	s := j.sample
	why := ""
	if s.Waited {
		why = "no connection was free"
	}
	switch {
	case s.Sent == 0: // it never was
		j.own(j.end, why)
	case s.Ordinal == 1 && s.Opened > s.Intended && s.Opened < s.Sent:
		j.own(s.Opened, why)
		j.until(s.Sent, Interval{Stage: Connect})
	case s.Waited && s.Ordinal > 1 && s.Before > 0 && !s.Shared:
		j.behind(why)
		j.own(s.Sent, why)
	default:
		j.own(s.Sent, why)
	}
}

// own makes the intervals in which a request is in the load's hands, until an instant: those in
// which the load's thread could have run and didn't are of whoever had the CPU instead.
func (j *joiner) own(to int64, why string) {
	to = min(to, j.end)
	if j.sample.Thread == 0 || to <= j.at {
		j.until(to, Interval{Stage: Generator, Reason: why})
		return
	}
	for _, p := range timelineOf(j.threads[j.sample.Thread], j.at, to) {
		v := Interval{Stage: Generator, Reason: why, Thread: j.sample.Thread}
		switch {
		case p.doing == runnable:
			j.loadWaits(v, &p)
		case p.doing == asleep && p.out != nil && why == "":
			v.Reason = CallName(p.out.Call)
		}
		j.until(p.to, v)
	}
	j.until(to, Interval{Stage: Generator, Reason: why})
}

// ofLoad says of a wait for a CPU that it was the load's thread that waited.
const ofLoad = "the load's thread"

// loadWaits makes the intervals in which the load's thread could have run: they are of whoever ran
// instead. While that is another thread of the load's, or with its quota used up, it holds itself up,
// as v says.
func (j *joiner) loadWaits(v Interval, p *span) {
	if p.outOfQuota() {
		return
	}
	w := Interval{Stage: CPUWait, Thread: v.Thread}
	p.instead(&w)
	if w.By != nil && j.load != 0 && j.processOf(w.By.PID) == j.load {
		w.By = nil // it was the last one only
	}
	if w.Reason == "" {
		w.Reason = ofLoad
	}
	if p.in != nil && p.in.Kind == SwitchIn {
		for _, s := range j.ownRuns(p.from, p.to, p.in.A) {
			j.until(s.From, w)
			j.until(s.To, v)
		}
	}
	j.until(p.to, w)
}

// ownRuns are when threads of the load's process ran on a CPU, between two instants.
func (j *joiner) ownRuns(from, to int64, cpu uint32) (list []stretch) {
	for thread, events := range j.threads {
		if thread == 0 || thread == j.sample.Thread || j.load == 0 || events[0].Process != j.load {
			continue
		}
		for _, p := range timelineOf(events, from, to) {
			if p.doing == running && (p.in == nil || p.in.A == cpu) {
				list = append(list, stretch{p.from, p.to})
			}
		}
	}
	return joined(list)
}

// behind makes the intervals in which the request waited in the load for its connection, which
// others had one after another: what these waited for it waited for. Those that it waited for
// before the first that is followed are taken to have been like these.
func (j *joiner) behind(why string) {
	s := j.sample
	starts := j.startsBefore()
	due := j.at
	j.at = max(due, min(starts[0], s.Sent))
	if j.eachBehind(starts, why); len(j.record.Intervals) == 0 {
		j.at = due
		return
	}
	j.alike(due)
}

// eachBehind follows the requests that were sent at starts, up to the first of which nothing was
// seen.
func (j *joiner) eachBehind(starts []int64, why string) {
	s := j.sample
	for i, start := range starts {
		end := s.Sent
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		if end <= j.at {
			continue
		}
		j.own(start, why)
		one := Sample{Connection: s.Connection, Ordinal: 2, Thread: s.Thread, Intended: start, Sent: start, Done: end}
		o := j.of(&one)
		o.follows()
		if !o.seen {
			return
		}
		for k := range o.record.Intervals {
			v := o.record.Intervals[k]
			if v.To <= j.at {
				continue
			}
			j.takeOver(v)
		}
	}
}

// alike puts before the intervals that there are the time since the request was due, divided as
// they are.
func (j *joiner) alike(due int64) {
	r := j.record
	from := r.Intervals[0].From
	if due >= from {
		return
	}
	sums, longest := make(map[Stage]int64), make(map[Stage]*Interval)
	for i := range r.Intervals {
		v := &r.Intervals[i]
		sums[v.Stage] += v.To - v.From
		if l := longest[v.Stage]; l == nil || v.To-v.From > l.To-l.From {
			longest[v.Stage] = v
		}
	}
	var before []Interval
	at, seen := due, int64(0)
	for _, stage := range Stages() {
		l := longest[stage]
		if l == nil {
			continue
		}
		seen += sums[stage]
		to := due + int64(float64(from-due)*float64(seen)/float64(j.at-from))
		before = append(before, Interval{Stage: stage, From: at, To: to, Reason: l.Reason, By: l.By, Peer: l.Peer, Estimated: true, Behind: true})
		at = to
	}
	before[len(before)-1].To = from
	r.Intervals = append(before, r.Intervals...)
}

// takeOver adds an interval of a request that this one waited for.
func (j *joiner) takeOver(v Interval) {
	v.Behind, v.Faults = true, 0
	j.add(v.To, v)
}

// lookBack is how long before a request that another one waited for events of its connection
// are looked at, ns.
const lookBack = int64(50e6)

// firstAt is the first of all events that isn't before an instant.
func (j *joiner) firstAt(t int64) int {
	return sort.Search(len(j.events), func(i int) bool { return j.events[i].Time >= t })
}

// of is a joiner of another request on the same connection, from the same events.
func (j *joiner) of(s *Sample) *joiner {
	events := j.events[j.firstAt(s.Intended-lookBack):j.firstAt(s.Done+1)]
	return &joiner{
		sample: s, record: &Record{Intended: s.Intended, Done: s.Done}, events: events, at: s.Intended, end: s.Done, migrates: j.migrates,
		loops: j.loops, load: j.load, threads: j.threads, halts: j.halts, arrivals: j.arrivals, ticked: j.ticked, parked: j.parked,
		collecting: j.collecting, collectors: j.collectors, heldBy: j.heldBy, lines: make(map[int32]timeline),
	}
}

// startsBefore are when the requests were sent, as far as it was seen, that had the connection
// while this one waited for it.
func (j *joiner) startsBefore() (starts []int64) {
	s := j.sample
	responded, last := false, int64(math.MinInt64)
	for i := range j.events {
		e := &j.events[i]
		if e.Subject != s.Connection || e.Time >= s.Before {
			continue
		}
		switch {
		case e.Kind == Sent && int32(e.A) > 0:
			responded = true
		case (e.Kind == Ready || e.Kind == Received && e.A > 0) && responded:
			responded = false
			if e.Time <= s.Intended {
				last = e.Time
				continue
			}
			starts = append(starts, e.Time)
		}
	}
	if s.Before > s.Intended && last > math.MinInt64 {
		starts = append([]int64{last}, starts...)
	}
	starts = append(starts, s.Before)
	return starts[max(0, len(starts)-mostBehind):]
}
