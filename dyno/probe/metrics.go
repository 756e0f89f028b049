package probe

import (
	"errors"
	"math"
)

// MetricsTotals is what the subject's metrics endpoint reported: counters since its
// process began, and what the process holds now. It is less than the kernel and the Go
// helper report, and libraries read CPU time from clocks that tick every 10 ms.
type MetricsTotals struct {
	values map[string]float64 // by series
}

// restarted reports whether t is not of the process that a was of: it began at
// another time, or a counter went back.
func (t MetricsTotals) restarted(a MetricsTotals) bool {
	// Libraries add the machine's boot time, which moves as its clock is set.
	const tolerance = 2 // seconds
	if math.Abs(t.values[seriesStart]-a.values[seriesStart]) > tolerance {
		return true
	}
	for _, counter := range []string{seriesCPU, seriesGCCycles, seriesGCPause, seriesAllocBytes, seriesAllocCount} {
		if t.values[counter] < a.values[counter] {
			return true
		}
	}
	return false
}

// metricsSpan is what an endpoint reported at both ends of a window.
type metricsSpan struct {
	before, after MetricsTotals
	missing       absent
}

// errNotInMetrics is why figures are missing for which there is no series.
var errNotInMetrics = errors.New("metrics don't tell")

// process returns the figures of the process, nil if there are none.
func (s *metricsSpan) process() *Process {
	if !s.has(seriesCPU, seriesRSS, seriesOpenFiles, seriesThreads) {
		return nil
	}
	s.lack("cpu_split", "processes", "switches", "faults", "run_queue", "throttled")
	return &Process{
		Reported:  true,
		CPU:       seconds(s.counter("cpu", seriesCPU)),
		RSS:       whole(s.gauge("rss", seriesRSS)),
		OpenFiles: int(whole(s.gauge("open_files", seriesOpenFiles))),
		Threads:   int(whole(s.gauge("threads", seriesThreads))),
	}
}

// runtime returns the figures of the runtime, which is Go's; nil if there are none.
func (s *metricsSpan) runtime() *Runtime {
	if !s.has(seriesGoroutines, seriesGCCycles, seriesHeap, seriesAllocBytes) {
		return nil
	}
	s.lack("gc_pause_max", "gc_cpu", "lock_wait", "sched", "helper_us")
	return &Runtime{
		GCCycles:   whole(s.counter("gc_cycles", seriesGCCycles)),
		GCPause:    seconds(s.counter("gc_pause", seriesGCPause)),
		Heap:       whole(s.gauge("heap", seriesHeap)),
		AllocBytes: whole(s.counter("alloc_bytes", seriesAllocBytes)),
		AllocCount: whole(s.counter("alloc_objects", seriesAllocCount)),
		Goroutines: whole(s.gauge("goroutines", seriesGoroutines)),
	}
}

// has reports whether there is any of the series.
func (s *metricsSpan) has(series ...string) bool {
	for _, name := range series {
		if _, ok := s.after.values[name]; ok {
			return true
		}
	}
	return false
}

func (s *metricsSpan) lack(figures ...string) {
	for _, figure := range figures {
		s.missing.note(figure, errNotInMetrics)
	}
}

// gauge is the value of a series at the end, for the figure named.
func (s *metricsSpan) gauge(figure, series string) float64 {
	value, ok := s.after.values[series]
	if !ok {
		s.missing.note(figure, errors.New("metrics have no "+series))
	}
	return value
}

// counter is what a series has grown by, for the figure named.
func (s *metricsSpan) counter(figure, series string) float64 {
	before, ok := s.before.values[series]
	after, also := s.after.values[series]
	if !ok || !also {
		s.missing.note(figure, errors.New("metrics have no "+series))
		return 0
	}
	return after - before
}

// whole rounds a value that is at least 0, stopping short of what an int can't
// hold.
func whole(value float64) uint64 { return uint64(math.Round(min(value, 1<<62))) }
