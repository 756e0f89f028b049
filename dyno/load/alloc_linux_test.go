package load

import (
	"runtime"
	"testing"
	"time"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
)

// TestSteadyStateDoesNotAllocate counts the objects the event loop allocates
// while it sends many requests: a handful per window for the collector, none
// per request.
func TestSteadyStateDoesNotAllocate(t *testing.T) {
	for _, p := range []profile.Profile{{Mode: profile.Closed, Connections: 8}, {Mode: profile.Open, Connections: 8, Rate: 4000}} {
		doesNotAllocate(t, spec(nullServer(t), p))
	}
}

// doesNotAllocate runs a load and counts what this process allocates while it is
// measured: next to nothing per request, message or event, and so the server, which is in
// it, must not either.
func doesNotAllocate(t *testing.T, s Spec) {
	t.Helper()
	var before, after runtime.MemStats
	s.Warmup, s.Duration, s.DropHistograms = 300*time.Millisecond, 300*time.Millisecond, true
	s.OnWindow = func(w measure.Window) {
		if w.Index == -1 {
			runtime.ReadMemStats(&before)
		} else {
			runtime.ReadMemStats(&after)
		}
	}
	r := mustRun(t, s)
	if r.Total.Completed < 100 || r.Total.Errors.Total() > 0 {
		t.Fatalf("%s loop: %d completed, errors %v", s.Profile.Mode, r.Total.Completed, r.FirstErrors)
	}
	// Windows and the collector allocate some tens, however much is measured; what is found
	// wrong with windows on a busy machine is put into words, some hundreds.
	if n := after.Mallocs - before.Mallocs; n > 400+uint64(r.Total.Completed)/100 {
		t.Errorf("%s loop: %d allocations for %d", s.Profile.Mode, n, r.Total.Completed)
	}
}

// nullServer responds without allocating, so that what is counted is ours.
func nullServer(t *testing.T) string {
	return server(t, replies(okReply))
}
