package load

import (
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/internal/i18n"
)

// Thresholds of the findings below; dyno/docs/findings.md explains them.
const (
	stealSuspect = 0.05 // of one CPU's time, over the window
	stealInvalid = 0.30
	stealTick    = 10 * time.Millisecond // what the kernel counts in: in a short window, one says nothing
	gcSuspect    = 0.01                  // of the window
	gcFloor      = time.Millisecond      // a shorter pause is a usual part of a short window
	clockNoise   = time.Millisecond
)

// judgeHealth names what befell the generator in a window of the given length.
func judgeHealth(h *measure.Health, length time.Duration, add func(name finding.Name, level finding.Validity, detail i18n.Message)) {
	if h == nil || length <= 0 {
		return
	}
	steal := h.Steal
	if length < time.Second {
		steal -= stealTick
	}
	switch share := float64(steal) / float64(length); {
	case share >= stealInvalid:
		add(finding.Steal, finding.Invalid, i18n.New("load.cpu-stolen", "the hypervisor took %.0f %% of a CPU (limit %.0f %%)", 100*share, 100*stealInvalid))
	case share >= stealSuspect:
		add(finding.Steal, finding.Suspect, i18n.New("load.cpu-stolen", "the hypervisor took %.0f %% of a CPU (limit %.0f %%)", 100*share, 100*stealSuspect))
	}
	if f, found := h.Others.Finding(0); found {
		add(f.Name, f.Validity, f.Detail)
	}
	if h.Others != nil && h.Others.ListenDrops > 0 {
		add(finding.ListenDrops, finding.Suspect, i18n.New("load.listen-queue-drops", "%d connections were dropped because a listen queue was full", h.Others.ListenDrops))
	}
	if share := float64(h.GCPause) / float64(length); share >= gcSuspect && h.GCPause >= gcFloor {
		collections := i18n.New("load.garbage-collections", "garbage collections")
		if h.GCCycles == 1 {
			collections = i18n.New("load.garbage-collection", "garbage collection")
		}
		add(finding.GeneratorGC, finding.Suspect, i18n.New("load.generator-paused", "the generator paused %v for %d %s of its own (limit %.0f %% of the time)", h.GCPause.Round(100*time.Microsecond), h.GCCycles, collections, 100*gcSuspect))
	}
	if h.Suspended > 0 {
		add(finding.Suspended, finding.Invalid, i18n.New("load.machine-suspended", "the machine was suspended for %v", h.Suspended.Round(time.Millisecond)))
	}
	if h.ClockStep != 0 {
		add(finding.ClockStep, finding.Valid, i18n.New("load.clock-was-set", "the wall clock was set by %v; the measurement rests on the monotonic clock and is not touched", h.ClockStep.Round(time.Millisecond)))
	}
}
