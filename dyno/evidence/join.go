package evidence

import (
	"cmp"
	"slices"
)

// Server is what is known of a server apart from the events of a request's time.
type Server struct {
	Started   int64 // of the measured time, CLOCK_MONOTONIC in ns
	FaultCost int64 // what a page fault costs, ns; 0 if that isn't known
	Pooled    bool  // its connections go from thread to thread
	// Loops are the goroutines that serve several connections each: those wait for their
	// loop, on whichever thread it is.
	Loops map[uint64]bool
	// Collectors are the functions of a process that collect garbage, where they are known.
	Collectors map[int32]Codes
}

// acceptPatience is how much later than a request the handshake's end may be seen without
// that being the accept queue's fault, in ns.
const acceptPatience = int64(1e6)

// Join makes the record of a sample out of the events of its time, which are in order and
// may begin earlier: what a thread did before it is wanted too.
func Join(s *Sample, events []Event, about Server) Record {
	r := Record{
		Class: s.Class, Weight: s.Weight, Connection: connectionName(s.Connection), ConnectionID: s.Connection,
		Shared: s.Shared, Kind: int(s.Kind), Ordinal: s.Ordinal, Age: s.Sent - s.Opened, Size: s.Size, Status: int(s.Status),
		Failed: s.Failed, Window: int(floorDiv(s.Intended-about.Started, 1e9)),
		Intended: s.Intended, Sent: s.Sent, First: s.First, Done: max(s.Done, s.Intended), ServerTiming: ParseTimings(s.Timing),
	}
	j := joiner{sample: s, record: &r, events: events, at: r.Intended, end: r.Done, migrates: about.Pooled, loops: about.Loops, collectors: about.Collectors}
	j.index()
	j.follows()
	j.divide(about.FaultCost)
	j.steal()
	j.bound()
	for i := range r.Intervals {
		r.Intervals[i].From -= r.Intended
		r.Intervals[i].To -= r.Intended
	}
	return r
}

// follows makes the intervals of the request, from when it was due to its last byte.
func (j *joiner) follows() {
	j.find()
	j.process = j.processOf(j.reader)
	j.held = j.collections()
	j.generator()
	if j.seen {
		j.there()
		j.queue()
		j.work()
		j.back()
	} else if j.at < j.end {
		j.gap(NotTraced)
	}
	j.until(j.end, Interval{Stage: Unexplained})
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// joiner builds one record.
type joiner struct {
	sample  *Sample
	record  *Record
	events  []Event
	at, end int64 // up to where intervals have been made; where they end

	seen        bool                // there is any event of the connection
	established *Event              // the handshake's end, at the server
	ready       *Event              // bytes of the request came
	read        *Event              // and were read
	first, last *Event              // sendings of the response
	client      *Event              // its last bytes at the client
	reader      int32               // the thread that read, or would have
	migrates    bool                // connections go from thread to thread
	process     int32               // the server's, or the one of its processes that has the connection
	threads     map[int32][]*Event  // of each, in order
	halts       []*Event            // threads of the server that were put aside for their quota
	arrivals    []*Event            // of bytes, at the server's sockets and those of upstreams
	ticked      bool                // clocks' ticks are among the events
	goroutine   uint64              // that read; 0 if the server has none, or it isn't known
	loops       map[uint64]bool     // goroutines that serve several connections
	parked      []*Event            // when goroutines didn't run
	collecting  []*Event            // when it was seen that a server collects
	collectors  map[int32]Codes     // functions that do, by process
	held        []stretch           // when the server collected
	heldBy      map[int32][]stretch // the same of each process, as far as it was asked for
	stalls      []*Event            // of CPUs
	load        int32               // the process of the load; 0 if its threads weren't seen
	shared      []int32             // threads of the process that may have the request
	lines       map[int32]timeline  // of threads, over the whole request
}

// index sorts the events by thread.
func (j *joiner) index() {
	j.threads, j.lines, j.heldBy = make(map[int32][]*Event), make(map[int32]timeline), make(map[int32][]stretch)
	for i := range j.events {
		e := &j.events[i]
		switch {
		case e.ofThread(), e.inThread():
			j.threads[e.Thread] = append(j.threads[e.Thread], e)
			if e.Kind == SwitchOut && e.A&OutOfQuota != 0 {
				j.halts = append(j.halts, e)
			}
			j.ticked = j.ticked || e.Kind == Tick
		case e.Kind == Ready, e.Kind == UpstreamReady:
			j.arrivals = append(j.arrivals, e)
		case e.Kind == Parked:
			j.parked = append(j.parked, e)
		case e.Kind == Collecting:
			j.collecting = append(j.collecting, e)
		case e.Kind == Stall:
			j.stalls = append(j.stalls, e)
		}
	}
	if j.load = j.processOf(j.sample.Thread); j.load != 0 {
		j.halts = slices.DeleteFunc(j.halts, func(e *Event) bool { return e.Process == j.load })
	}
}

// line is what a thread did during the whole request.
func (j *joiner) line(thread int32) timeline {
	l, ok := j.lines[thread]
	if !ok {
		l = timelineOf(j.threads[thread], j.record.Intended, j.end)
		j.lines[thread] = l
	}
	return l
}

// processOf is the process of a thread; 0 if no event names it.
func (j *joiner) processOf(thread int32) int32 {
	if l := j.threads[thread]; len(l) > 0 && thread != 0 {
		return l[0].Process
	}
	return 0
}

// find looks for the events of the connection that divide the request's time.
func (j *joiner) find() {
	s := j.sample
	readers := make(map[uint64]int32)
	var before *Event // the last read of this connection before the request
	for i := range j.events {
		e := &j.events[i]
		if e.Kind == Received && e.A > 0 {
			if t, ok := readers[e.Subject]; ok && t != e.Thread {
				j.migrates = true
			}
			readers[e.Subject] = e.Thread
		}
		if e.Subject != s.Connection || e.Kind < Ready || e.Kind > ClientReady || e.Time > j.end {
			continue
		}
		switch {
		case e.Kind == State && e.A&0xff == 1:
			j.established = e
		case e.Kind == Received && e.A > 0 && e.Time < s.Sent:
			before = e
		}
		if e.Time < s.Sent {
			continue
		}
		j.seen = true
		j.take(e)
	}
	switch {
	case j.read != nil:
		j.reader, j.goroutine = j.read.Thread, Goroutine(j.read)
	case j.first != nil:
		j.reader = j.first.Thread
	case before != nil:
		j.reader = before.Thread
	default:
		j.reader = usual(readers)
	}
}

// take sorts an event of the connection in that came after the request was sent.
func (j *joiner) take(e *Event) {
	r := j.record
	switch e.Kind {
	case Ready:
		if j.ready == nil && j.read == nil {
			j.ready = e
		}
	case Received:
		if j.read == nil && e.A > 0 {
			j.read = e
		}
	case Sent:
		r.SendQueue = max(r.SendQueue, e.B)
		if word(e, 0) == 0 && int32(e.A) != 0 {
			r.ZeroWindows++
		}
		if int32(e.A) > 0 && (j.read != nil || j.ready != nil) {
			if j.first == nil {
				j.first = e
			}
			j.last = e
		}
	case ClientReady:
		if j.ready != nil || j.read != nil {
			j.client = e
		}
	case Retransmitted:
		r.Retransmits++
	}
}

// word is one of the four numbers of an event.
func word(e *Event, i int) uint32 {
	b := e.Text[4*i:]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// usual is the thread that reads most; 0 if there is none.
func usual(readers map[uint64]int32) int32 {
	counts := make(map[int32]int)
	for _, t := range readers {
		counts[t]++
	}
	var most int32
	for t, n := range counts {
		if most == 0 || cmp.Or(cmp.Compare(n, counts[most]), cmp.Compare(most, t)) > 0 {
			most = t
		}
	}
	return most
}

func (j *joiner) gap(g Gap) {
	if !slices.Contains(j.record.Incomplete, g) {
		j.record.Incomplete = append(j.record.Incomplete, g)
	}
}

// until adds an interval from where the last ended to an instant, or what of it the server's
// collector didn't hold up.
func (j *joiner) until(t int64, v Interval) {
	if j.collectorHolds(&v) {
		for _, h := range j.held {
			if h.To <= j.at {
				continue
			}
			if h.From >= t {
				break
			}
			j.add(h.From, v)
			collects := v
			collects.Stage, collects.Reason = Collect, string(v.Stage)
			j.add(min(h.To, t), collects)
		}
	}
	j.add(t, v)
}

// add adds an interval from where the last ended to an instant.
func (j *joiner) add(t int64, v Interval) {
	t = min(t, j.end)
	if t <= j.at {
		return
	}
	v.From, v.To = j.at, t
	j.at = t
	if n := len(j.record.Intervals); n > 0 {
		if last := &j.record.Intervals[n-1]; last.goesOnAs(&v) {
			last.To = t
			last.Faults += v.Faults
			return
		}
	}
	j.record.Intervals = append(j.record.Intervals, v)
}

// goesOnAs reports whether an interval is the continuation of v.
func (v *Interval) goesOnAs(w *Interval) bool {
	return v.Stage == w.Stage && v.Thread == w.Thread && v.Reason == w.Reason && v.Peer == w.Peer && v.Behind == w.Behind &&
		(v.By == w.By || v.By != nil && w.By != nil && *v.By == *w.By) && v.Others == nil && w.Others == nil && !v.Estimated && !w.Estimated
}

// there makes those until bytes were at the server.
func (j *joiner) there() {
	arrived := j.end
	switch {
	case j.ready != nil:
		arrived = j.ready.Time
	case j.read != nil:
		arrived = j.read.Time
	}
	if e := j.established; e != nil && e.Time > j.at+acceptPatience {
		j.until(min(e.Time, arrived), Interval{Stage: AcceptQueue, Reason: "full"})
	}
	j.until(arrived, j.transport(j.at, arrived))
}

// transport is the interval in which bytes were on their way.
func (j *joiner) transport(from, to int64) Interval {
	for i := range j.events {
		if e := &j.events[i]; e.Kind == Retransmitted && e.Subject == j.sample.Connection && e.Time >= from && e.Time <= to {
			return Interval{Stage: Retransmit}
		}
	}
	return Interval{Stage: Network}
}

// back makes those until the client had the response.
func (j *joiner) back() {
	if j.last == nil && j.client == nil {
		return
	}
	arrived := j.end
	if j.client != nil {
		arrived = j.client.Time
	}
	v := j.transport(j.at, arrived)
	if j.last != nil && word(j.last, 2) > 0 && v.Stage == Network {
		v.Stage = SendQueue
		if arrived-j.at >= nagleLeast && nagles(j.last) {
			v.Reason = Nagle
		}
	}
	j.until(arrived, v)
	if j.client != nil {
		j.own(j.end, "reading")
	}
}

// mostIntervals is how many intervals a record has, but for one of each stage.
const mostIntervals = 256

// bound sums up, stage by stage, what comes after the first intervals if there are too many.
func (j *joiner) bound() {
	r := j.record
	if len(r.Intervals) <= mostIntervals {
		return
	}
	rest := r.Intervals[mostIntervals:]
	sums := make(map[Stage]*Interval)
	for i := range rest {
		v := &rest[i]
		s := sums[v.Stage]
		if s == nil {
			s = &Interval{Stage: v.Stage, Thread: v.Thread, Reason: v.Reason, By: v.By, Peer: v.Peer, Estimated: true}
			sums[v.Stage] = s
		}
		s.To += v.To - v.From
		s.Faults += v.Faults
	}
	at := rest[0].From
	r.Intervals = r.Intervals[:mostIntervals:mostIntervals]
	for _, stage := range Stages() {
		if s := sums[stage]; s != nil {
			s.From, s.To = at, at+s.To
			at = s.To
			r.Intervals = append(r.Intervals, *s)
		}
	}
}
