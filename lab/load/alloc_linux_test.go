package load

import (
	"runtime"
	"testing"
	"time"

	"dyno/lab/load/measure"
	"dyno/lab/load/profile"
)

// TestSteadyStateDoesNotAllocate counts the objects the event loop allocates
// while it sends many requests: a handful per window for the collector, none
// per request.
func TestSteadyStateDoesNotAllocate(t *testing.T) {
	for _, p := range []profile.Profile{{Mode: profile.Closed, Connections: 8}, {Mode: profile.Open, Connections: 8, Rate: 4000}} {
		var before, after runtime.MemStats
		s := spec(nullServer(t), p)
		s.Warmup, s.Duration, s.DropHistograms = 500*time.Millisecond, 500*time.Millisecond, true
		s.OnWindow = func(w measure.Window) {
			if w.Index == -1 {
				runtime.ReadMemStats(&before)
			} else {
				runtime.ReadMemStats(&after)
			}
		}
		r := mustRun(t, s)
		perRequest := float64(after.Mallocs-before.Mallocs) / float64(r.Total.Completed)
		if perRequest > 0.05 {
			t.Errorf("%s loop: %.3f allocations per request (%d for %d)", p.Mode, perRequest, after.Mallocs-before.Mallocs, r.Total.Completed)
		}
	}
}

// nullServer answers without allocating, so that what is counted is ours.
func nullServer(t *testing.T) string {
	return server(t, replies(okReply))
}
