package probe

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// RuntimeTotals is what the runtimes of a subject have done since they began: one for
// each of its processes that has a helper or writes a log of its collections.
type RuntimeTotals struct {
	helpers []helperTotals
}

// helperTotals is what one helper, or a log, reported.
type helperTotals struct {
	id    int // of the connection; 0 for the log
	hello *hello
	response
	late bool // it did not respond in time: these figures are earlier ones
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
		r.add(&h.response, &old.response)
		if length := h.Mono - old.Mono; old.Mono > 0 && length > 0 {
			lengths = append(lengths, length)
		}
		pauses = append(pauses, newBuckets(h.hello.Uppers.GCPauses, old.GCPauses.counts, h.GCPauses.counts)...)
		waits = append(waits, newBuckets(h.hello.Uppers.SchedLatencies, old.SchedLatencies.counts, h.SchedLatencies.counts)...)
	}
	r.Length = mean(lengths)
	stopped, waited := newHistogram(pauses), newHistogram(waits)
	r.GCPause += stopped.total()
	r.GCPauseMax = max(r.GCPauseMax, stopped.max())
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

// add adds what one runtime did between two responses.
func (r *Runtime) add(now, before *response) {
	r.GCCycles += grown(before.GCCycles, now.GCCycles)
	r.GCCPU += seconds(max(0, now.GCCPU-before.GCCPU))
	r.GCPause += seconds(max(0, now.GCPause-before.GCPause))
	r.GCPauseMax = max(r.GCPauseMax, seconds(now.GCPauseMax))
	if now.LockWait != nil {
		since := 0.0
		if before.LockWait != nil {
			since = *before.LockWait
		}
		r.LockWait += seconds(max(0, *now.LockWait-since))
	}
	r.Heap += now.Heap
	r.AllocBytes += grown(before.AllocBytes, now.AllocBytes)
	r.AllocCount += grown(before.Allocs, now.Allocs)
	r.Goroutines += now.Goroutines
	r.HelperCPUus += now.SelfMicros
}

// runtimeNames are the figures of a [Runtime], as they are named in a window's Missing.
var runtimeNames = []string{
	"gc_cycles", "gc_pause", "gc_pause_max", "gc_cpu", "heap", "alloc_bytes", "alloc_objects", "goroutines", "lock_wait", "sched", "helper_us",
}

// errUntold is why figures are missing that a runtime has no notion of, or keeps to itself.
var errUntold = errors.New("the runtime doesn't tell")

// unreported lists the figures that not every process reports: a sum of some would be
// taken for the sum of all.
func (t RuntimeTotals) unreported() []string {
	var missing absent
	for _, h := range t.helpers {
		if h.response.LockWait == nil { // nor did Go's helper always
			missing.note("lock_wait", errUntold)
		}
		if h.hello.Tells == nil {
			continue // all of the others
		}
		for _, name := range runtimeNames {
			if !slices.Contains(h.hello.Tells, name) {
				missing.note(name, errUntold)
			}
		}
	}
	return missing.list()
}

// Reported lists the figures that every process reports, by their names in a [Runtime].
func (t RuntimeTotals) Reported() (names []string) {
	for _, name := range runtimeNames {
		if !slices.ContainsFunc(t.unreported(), func(missing string) bool { return strings.HasPrefix(missing, name+":") }) {
			names = append(names, name)
		}
	}
	return names
}
