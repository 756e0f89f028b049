package validity

import (
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/steadiness"
	"dyno.example/internal/i18n"
)

// series are the measured windows of a trial that are not invalid, as signals.
// A signal that some window lacks is left out.
type series struct {
	steadiness.Series
	memory  []steadiness.Signal
	cycles  uint64 // of garbage collection
	runtime bool   // the cycles are known
}

func newSeries(windows []archive.Window, p profile.Profile) *series {
	s := &series{}
	var used []*archive.Window
	for i := range windows {
		if w := &windows[i]; usable(w) {
			used = append(used, w)
			s.Index = append(s.Index, w.Client.Index)
			if r := w.Server.Runtime; r != nil && !w.Server.Lacks("gc_cycles") {
				s.cycles += r.GCCycles
				s.runtime = true
			}
		}
	}
	if len(p.Phases) > 0 { // it changes by itself
		return s
	}
	if p.Mode == profile.Closed { // an open loop's is the schedule's
		s.Signals = appendSignal(s.Signals, used, steadiness.Signal{Name: i18n.New("signal.throughput", "throughput"), Worse: -1, Slight: steadiness.SlightRate}, rate)
	}
	s.Signals = appendSignal(s.Signals, used, steadiness.Signal{Name: i18n.Verbatim("p50"), Worse: +1, Slight: steadiness.SlightLatency}, median)
	s.Signals = appendSignal(s.Signals, used, steadiness.Signal{Name: i18n.New("validity.cpu-per-request", "CPU per request"), Worse: +1, Slight: steadiness.SlightRate}, cost)
	s.memory = appendSignal(s.memory, used, steadiness.Signal{Name: i18n.New("validity.memory-rss", "memory (RSS)")}, memory)
	s.memory = appendSignal(s.memory, used, steadiness.Signal{Name: i18n.New("validity.heap", "the heap")}, heap)
	return s
}

// usable reports whether a window counts. The last one of a load may be cut
// short or hold what was drained: less than half a second says nothing.
func usable(w *archive.Window) bool {
	return !w.Client.Warmup() && w.Level != finding.Invalid && w.Client.Length.Seconds() >= 0.5
}

// appendSignal adds the signal if every window has a value above zero.
func appendSignal(list []steadiness.Signal, used []*archive.Window, g steadiness.Signal, of func(*archive.Window) float64) []steadiness.Signal {
	for _, w := range used {
		g.Values = append(g.Values, of(w))
	}
	if len(g.Values) == 0 || slices.Min(g.Values) <= 0 {
		return list
	}
	return append(list, g)
}

func rate(w *archive.Window) float64 { return float64(w.Client.Completed) / w.Client.Length.Seconds() }

// median is the median response in ns.
func median(w *archive.Window) float64 {
	h := w.Client.Hist[measure.Response]
	if h == nil || h.TotalCount() == 0 {
		return 0
	}
	return float64(h.ValueAtQuantile(50))
}

// cost is the subject's CPU time per request in ns.
func cost(w *archive.Window) float64 {
	p := w.Server.Process
	if p == nil || w.Server.Lacks("cpu", "process") || w.Client.Completed == 0 {
		return 0
	}
	return float64(p.CPU) / float64(w.Client.Completed)
}

func memory(w *archive.Window) float64 {
	p := w.Server.Process
	if p == nil || w.Server.Lacks("rss", "process") {
		return 0
	}
	return float64(p.RSS)
}

func heap(w *archive.Window) float64 {
	r := w.Server.Runtime
	if r == nil || w.Server.Lacks("heap") {
		return 0
	}
	return float64(r.Heap)
}
