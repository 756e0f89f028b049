package explain

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/probe"
)

// measured is a cause that can be seen second by second, and how much of it there was:
// in ns of a second unless it says otherwise. What wasn't known is not ok.
type measured struct {
	name Name
	of   func(w *archive.Window) (amount float64, ok bool)
}

// measures are in the order of what brings about what: where two can't be told apart, the
// earlier one is the cause and the later one what it does.
var measures = []measured{
	{Generator, func(w *archive.Window) (float64, bool) {
		return float64(w.Client.Stall - min(w.Client.Busy, w.Client.Stall)), w.Client.Stall > 0
	}},
	{Steal, ofMachine(func(m *probe.Machine) time.Duration { return m.Steal }, "steal")},
	{Throttled, ofProcess(func(p *probe.Process) float64 { return float64(p.Throttled) }, "throttled")},
	{Frequency, func(w *archive.Window) (float64, bool) { // how far it is below 10 GHz, in MHz: no unit that adds up
		m := w.Server.Machine
		if m == nil || m.Frequency == 0 {
			return 0, false
		}
		return 1e4 - m.Frequency, true
	}},
	{GC, collected},
	{Disk, func(w *archive.Window) (float64, bool) {
		m := w.Server.Machine
		if m == nil || w.Server.Lacks("pressure_io") {
			return 0, false
		}
		return float64(m.PressureIO), true
	}},
	{Retransmit, func(w *archive.Window) (float64, bool) { return float64(w.Client.Resent), true }}, // segments
	{AcceptQueue, func(w *archive.Window) (float64, bool) { // connections
		m := w.Server.Machine
		if m == nil || w.Server.Lacks("listen_drops") {
			return 0, false
		}
		return float64(m.ListenDrops + m.ListenOverrun), true
	}},
	{Handshake, func(w *archive.Window) (float64, bool) {
		return total(w.Client.Hist[measure.FullHandshake]) + total(w.Client.Hist[measure.ResumedHandshake]), true
	}},
	{Connect, func(w *archive.Window) (float64, bool) { return total(w.Client.Hist[measure.Connect]), true }},
	{Upstream, func(w *archive.Window) (float64, bool) {
		u := w.Server.Upstream
		if u == nil {
			return 0, false
		}
		return float64(u.RunQueue + u.Throttled), true
	}},
	{PageFault, ofProcess(func(p *probe.Process) float64 { // a read from disk weighs as a thousand others
		return float64(p.FaultsMinor) + 1000*float64(p.FaultsMajor)
	}, "faults")},
	{Allocation, func(w *archive.Window) (float64, bool) {
		r := w.Server.Runtime
		if r == nil || w.Server.Lacks("alloc_bytes") {
			return 0, false
		}
		return float64(r.AllocBytes), true
	}},
	{Interrupt, ofMachine(func(m *probe.Machine) (sum time.Duration) {
		for _, one := range m.IRQByCPU {
			sum += one
		}
		return sum
	}, "cpu_times")},
	{CPUWait, ofProcess(func(p *probe.Process) float64 { return float64(p.RunQueue) }, "run_queue")},
	{Lock, func(w *archive.Window) (float64, bool) {
		r := w.Server.Runtime
		if r == nil || w.Server.Lacks("lock_wait") {
			return 0, false
		}
		return float64(r.LockWait), true
	}},
	{Scheduler, func(w *archive.Window) (float64, bool) {
		r := w.Server.Runtime
		if r == nil || w.Server.Lacks("sched") {
			return 0, false
		}
		return float64(r.SchedP99), true
	}},
}

// collected is the time of collections: what they stopped the program for, and what they
// computed beside it.
func collected(w *archive.Window) (float64, bool) {
	r := w.Server.Runtime
	switch {
	case r == nil || w.Server.Lacks("gc_pause") && w.Server.Lacks("gc_cpu"):
		return 0, false
	case w.Server.Lacks("gc_cpu"):
		return float64(r.GCPause), true
	case w.Server.Lacks("gc_pause"):
		return float64(r.GCCPU), true
	}
	return float64(r.GCPause + r.GCCPU), true
}

func ofMachine(of func(*probe.Machine) time.Duration, names ...string) func(*archive.Window) (float64, bool) {
	return func(w *archive.Window) (float64, bool) {
		if w.Server.Machine == nil || w.Server.Lacks(names...) {
			return 0, false
		}
		return float64(of(w.Server.Machine)), true
	}
}

func ofProcess(of func(*probe.Process) float64, names ...string) func(*archive.Window) (float64, bool) {
	return func(w *archive.Window) (float64, bool) {
		if w.Server.Process == nil || w.Server.Lacks(append(names, "process")...) {
			return 0, false
		}
		return of(w.Server.Process), true
	}
}

// total is the sum of a histogram's values.
func total(h *hdrhistogram.Histogram) float64 {
	if h == nil || h.TotalCount() == 0 {
		return 0
	}
	return h.Mean() * float64(h.TotalCount())
}
