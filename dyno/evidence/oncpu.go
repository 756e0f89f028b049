package evidence

// tickReach is how far from a tick, in ns, a thread is taken to be at what it was at then.
const tickReach = int64(2e6)

// divide divides the time on a CPU by what the clocks' ticks saw of it. Without ticks the page
// faults are counted, and what they cost is taken out.
func (j *joiner) divide(faultCost int64) {
	r := j.record
	intervals := make([]Interval, 0, len(r.Intervals))
	for i := range r.Intervals {
		v := r.Intervals[i]
		if !v.Behind && (v.Stage == OnCPU || v.Stage == PageFault) {
			v.Faults = j.faults(v.Thread, v.From, v.To)
			r.Faults += v.Faults
		}
		switch {
		case v.Stage != OnCPU:
			intervals = append(intervals, v)
		case j.ticked:
			intervals = j.byTicks(intervals, v)
		default:
			intervals = byFaults(intervals, v, faultCost)
		}
	}
	r.Intervals = intervals
}

// byTicks appends the parts of an interval on the CPU: each instant belongs to the next tick
// of the thread's, if one is near.
func (j *joiner) byTicks(into []Interval, v Interval) []Interval {
	events := j.threads[v.Thread]
	faults := v.Faults
	at := v.From
	part := func(to int64, stage Stage, reason string) {
		if to = min(to, v.To); to <= at {
			return
		}
		one := Interval{Stage: stage, From: at, To: to, Thread: v.Thread, Reason: reason, Estimated: stage != OnCPU, Faults: faults, Behind: v.Behind}
		at, faults = to, 0 // the first part has the count
		if n := len(into); n > 0 && into[n-1].To == one.From && into[n-1].Stage == stage && into[n-1].Thread == one.Thread && into[n-1].Reason == reason {
			into[n-1].To = to
			into[n-1].Faults += one.Faults
			return
		}
		into = append(into, one)
	}
	for i := firstAt(events, v.From-tickReach); i < len(events) && events[i].Time < v.To+tickReach; i++ {
		e := events[i]
		if e.Kind != Tick {
			continue
		}
		part(e.Time-tickReach, OnCPU, "")
		until := e.Time + tickReach
		if next := nextTick(events[i+1:]); next != nil && next.Time < until+tickReach {
			until = (e.Time + next.Time) / 2
		}
		stage, reason := j.tickedAt(e)
		part(until, stage, reason)
	}
	part(v.To, OnCPU, "")
	return into
}

func nextTick(events []*Event) *Event {
	for _, e := range events {
		if e.Kind == Tick {
			return e
		}
	}
	return nil
}

// tickedAt is what a thread was at when a clock ticked. What the kernel does for a call that
// else waits for something counts for that.
func (j *joiner) tickedAt(e *Event) (Stage, string) {
	if e.A <= tickKernel && j.collectors[e.Process].collects(e) {
		return Collect, ""
	}
	switch e.A {
	case tickFault:
		return PageFault, ""
	case tickInterrupt:
		return Interrupt, ""
	case tickKernel:
		name := CallName(e.Call)
		if stage := waits[name]; stage == Disk || stage == PageFault {
			return stage, name
		}
		return OnCPU, name
	}
	return OnCPU, ""
}

// byFaults appends an interval on the CPU, and what its page faults cost as one of its own at
// its end: where in it they were isn't known.
func byFaults(into []Interval, v Interval, cost int64) []Interval {
	took := min(int64(v.Faults)*cost, v.To-v.From)
	if took <= 0 {
		return append(into, v)
	}
	own := Interval{Stage: PageFault, From: v.To - took, To: v.To, Thread: v.Thread, Faults: v.Faults, Estimated: true, Behind: v.Behind}
	if v.To, v.Faults = own.From, 0; v.To > v.From {
		into = append(into, v)
	}
	return append(into, own)
}

// faults is how many page faults a thread had between two instants, as its events tell: from
// the last count at or before the first to the first at or after the second.
func (j *joiner) faults(thread int32, from, to int64) uint32 {
	events := j.threads[thread]
	before, after := firstAt(events, from+1)-1, firstAt(events, to)
	for before >= 0 && events[before].Kind == Waking {
		before--
	}
	for after < len(events) && events[after].Kind == Waking {
		after++
	}
	if before < 0 || after == len(events) {
		return 0
	}
	return events[after].Faults - events[before].Faults
}
