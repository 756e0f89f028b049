package probe

import "time"

// RuntimeTotals is what the Go runtimes of a subject have done since they
// began: one for each of its processes that has the helper.
type RuntimeTotals struct {
	helpers []helperTotals
}

// helperTotals is what one helper answered.
type helperTotals struct {
	id    int // of the connection
	hello *hello
	answer
	late bool // it did not answer in time: these figures are earlier ones
}

// Since returns what the runtimes did between a and t, added up. It reports
// false when a helper was late in a or t, or none was there: a figure that may
// belong to another window is worse than none. A process that came in between
// counts from its beginning; one that has ended takes its last figures with it.
func (t RuntimeTotals) Since(a RuntimeTotals) (r Runtime, ok bool) {
	before := make(map[int]helperTotals)
	for _, h := range a.helpers {
		before[h.id] = h
	}
	var pauses, waits []bucket
	var lengths []int64
	for _, h := range t.helpers {
		old := before[h.id]
		if h.late || old.late {
			return Runtime{}, false
		}
		r.add(&h.answer, &old.answer)
		if length := h.Mono - old.Mono; old.Mono > 0 && length > 0 {
			lengths = append(lengths, length)
		}
		pauses = append(pauses, newBuckets(h.hello.Uppers.GCPauses, old.GCPauses.counts, h.GCPauses.counts)...)
		waits = append(waits, newBuckets(h.hello.Uppers.SchedLatencies, old.SchedLatencies.counts, h.SchedLatencies.counts)...)
	}
	r.Length = mean(lengths)
	stopped, waited := newHistogram(pauses), newHistogram(waits)
	r.GCPause, r.GCPauseMax = stopped.total(), stopped.max()
	r.SchedP50, r.SchedP99, r.SchedMax = waited.quantile(0.5), waited.quantile(0.99), waited.max()
	return r, len(t.helpers) > 0
}

// mean is the mean time between two readings; 0 if there is none.
func mean(lengths []int64) time.Duration {
	if len(lengths) == 0 {
		return 0
	}
	sum := time.Duration(0)
	for _, l := range lengths {
		sum += time.Duration(l)
	}
	return sum / time.Duration(len(lengths))
}

// add adds what one runtime did between two answers.
func (r *Runtime) add(now, before *answer) {
	r.GCCycles += grown(before.GCCycles, now.GCCycles)
	r.GCCPU += seconds(max(0, now.GCCPU-before.GCCPU))
	r.Heap += now.Heap
	r.AllocBytes += grown(before.AllocBytes, now.AllocBytes)
	r.AllocCount += grown(before.Allocs, now.Allocs)
	r.Goroutines += now.Goroutines
	r.HelperCPUus += now.SelfMicros
}
