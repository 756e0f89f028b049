package evidence

// takeFaults counts the page faults of the request's threads, and makes of their cost, if it
// is known, an interval of its own at the end of the longest one on a CPU: where in it they
// were isn't known.
func (j *joiner) takeFaults(cost int64) {
	r := j.record
	var longest *Interval
	for i := range r.Intervals {
		v := &r.Intervals[i]
		if v.Stage != OnCPU && v.Stage != PageFault {
			continue
		}
		v.Faults = j.faults(v.Thread, v.From, v.To)
		r.Faults += v.Faults
		if v.Stage == OnCPU && (longest == nil || v.To-v.From > longest.To-longest.From) {
			longest = v
		}
	}
	if longest == nil || cost <= 0 {
		return
	}
	took := min(int64(longest.Faults)*cost, longest.To-longest.From)
	if took <= 0 {
		return
	}
	own := Interval{Stage: PageFault, From: longest.To - took, To: longest.To, Thread: longest.Thread, Faults: longest.Faults, Estimated: true}
	longest.To, longest.Faults = own.From, 0
	intervals := make([]Interval, 0, len(r.Intervals)+1)
	for i := range r.Intervals {
		v := &r.Intervals[i]
		if v.To > v.From {
			intervals = append(intervals, *v)
		}
		if v == longest {
			intervals = append(intervals, own)
		}
	}
	r.Intervals = intervals
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
