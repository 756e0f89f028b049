package evidence

// steal gives the hypervisor's part of intervals to it: when the CPU of their thread, the one that it
// runs on or is to run on, stood still.
func (j *joiner) steal() {
	if len(j.stalls) == 0 {
		return
	}
	r := j.record
	intervals := make([]Interval, 0, len(r.Intervals))
	for i := range r.Intervals {
		v := r.Intervals[i]
		if v.Thread == 0 || !stallable(&v) {
			intervals = append(intervals, v)
			continue
		}
		for _, s := range j.stood(v.Thread, v.From, v.To) {
			intervals = part(intervals, &v, s.From)
			stolen := Interval{Stage: Stolen, From: v.From, To: v.From, Thread: v.Thread, Reason: string(v.Stage), Behind: v.Behind}
			rest := v
			stolen.To = s.To
			rest.From = s.To
			intervals = append(intervals, stolen)
			v = rest
		}
		intervals = part(intervals, &v, v.To)
	}
	r.Intervals = intervals
}

// part appends what of an interval is before an instant, and takes it off.
func part(into []Interval, v *Interval, to int64) []Interval {
	if to <= v.From {
		return into
	}
	one := *v
	one.To = to
	v.From, v.Faults, v.Others = to, 0, nil
	return append(into, one)
}

// stallable reports whether an interval goes on only while a CPU does: its thread's.
func stallable(v *Interval) bool {
	switch v.Stage {
	case OnCPU, CPUWait, Generator, PageFault, Interrupt, Collect:
		return true
	case LoopQueue:
		return v.Reason == "" // else its thread sleeps
	}
	return false
}

// stood is when the CPU of a thread stood still between two instants.
func (j *joiner) stood(thread int32, from, to int64) (list []stretch) {
	for _, e := range j.stalls {
		s := stretch{max(e.Time-int64(e.B), from), min(e.Time, to)}
		if s.To > s.From && j.cpuOf(thread, s.From) == int(e.A) {
			list = append(list, s)
		}
	}
	return joined(list)
}

// cpuOf is the CPU that a thread runs on or ran on last at an instant; if it waits for one, the
// one that it gets. It is -1 if that isn't known.
func (j *joiner) cpuOf(thread int32, at int64) int {
	events := j.threads[thread]
	n := firstAt(events, at+1)
	woken := false
	for i := n - 1; i >= 0; i-- {
		switch e := events[i]; e.Kind {
		case SwitchIn:
			return int(e.A)
		case Waking:
			woken = true
		case SwitchOut:
			if woken || e.A&Preempted != 0 {
				return nextCPU(events[n:])
			}
		}
	}
	return nextCPU(events[n:])
}

// nextCPU is the CPU that a thread gets next; -1 if that isn't known.
func nextCPU(events []*Event) int {
	for _, e := range events {
		if e.Kind == SwitchIn {
			return int(e.A)
		}
	}
	return -1
}
