package analysis

import (
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/probe"
)

// newSecond reduces a window, with its histograms, to what charts show.
func newSecond(t *archive.Trial, w *archive.Window) Second {
	c := &w.Client
	s := Second{
		Trial: t.Index, Block: t.Block, Index: c.Index, Validity: w.Level,
		Errors: c.Errors.Total(), LagP99: windowQuantile(w, measure.Lag, 99),
		P50: windowQuantile(w, measure.Response, 50), P99: windowQuantile(w, measure.Response, 99),
		Max: windowQuantile(w, measure.Response, 100),
	}
	if c.Length > 0 {
		s.Throughput = float64(c.Completed) / c.Length.Seconds()
		s.Generator = float64(c.Worked()) / float64(c.Length)
	}
	for _, f := range w.Why {
		if !slices.Contains(s.Why, string(f.Name)) {
			s.Why = append(s.Why, string(f.Name))
		}
	}
	s.addServer(&w.Server)
	s.addServices(&w.Server)
	return s
}

// windowQuantile is a percentile of a clock in µs, 0 if nothing was recorded.
func windowQuantile(w *archive.Window, clock measure.Clock, percent float64) float64 {
	h := w.Client.Hist[clock]
	if h == nil {
		return 0
	}
	return float64(h.ValueAtPercentile(percent)) / 1e3
}

// addServer adds what is known of the server's side.
func (s *Second) addServer(w *probe.Window) {
	length := float64(w.Length)
	if length <= 0 {
		return
	}
	if p := w.Process; p != nil {
		s.CPU = known(w, float64(p.CPU)/length, "cpu", "process")
		s.RSS = known(w, float64(p.RSS), "rss", "process")
		if p.PSS > 0 {
			s.PSS = known(w, float64(p.PSS), "pss", "process")
		}
		s.Threads = known(w, float64(p.Threads), "threads", "process")
		s.OpenFiles = known(w, float64(p.OpenFiles), "open_files", "process")
		s.RunQueue = known(w, float64(p.RunQueue)/length, "run_queue", "process")
		if p.Throttled > 0 {
			s.Throttled = known(w, float64(p.Throttled)/length, "throttled", "process")
		}
		s.Switches = known(w, float64(p.SwitchesVol+p.SwitchesInvol), "switches", "process")
	}
	if k := w.Sockets; k != nil {
		s.Unread = known(w, float64(k.Unread))
		s.Unsent = known(w, float64(k.Unsent))
		s.AcceptQueue = known(w, float64(k.AcceptQueue))
	}
	if m := w.Machine; m != nil {
		s.Steal = known(w, float64(m.Steal)/length, "steal")
	}
	if r := w.Runtime; r != nil {
		s.GCPause = known(w, micro(r.GCPause), "gc_pause")
		s.GCCycles = known(w, float64(r.GCCycles), "gc_cycles")
		s.Heap = known(w, float64(r.Heap), "heap")
		s.Goroutines = known(w, float64(r.Goroutines), "goroutines")
		s.SchedP99 = known(w, micro(r.SchedP99), "sched")
	}
}

// known is a figure of the window, nil if any of the names is missing from it.
func known(w *probe.Window, v float64, names ...string) *float64 {
	if w.Lacks(names...) {
		return nil
	}
	return &v
}
