package analysis

import (
	"testing"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/probe"
)

// told is a window of 1,000 requests whose subject allocates so many objects.
func told(allocs uint64, missing ...string) archive.Window {
	w := window(1, 1_000, time.Millisecond)
	w.Server.Missing = missing
	w.Server.Runtime = &probe.Runtime{
		AllocCount: allocs, AllocBytes: 64 * allocs, GCCycles: 4, GCPause: 300 * time.Microsecond,
		GCCPU: 20 * time.Millisecond, SchedMax: time.Duration(allocs) * time.Microsecond,
	}
	return w
}

func TestRuntimeFigures(t *testing.T) {
	const untold, silent = "the subject's runtime did not tell", "the subject's runtime does not tell "
	silentWindow, empty, late := window(0, 1_000, time.Millisecond), told(5), told(2_500)
	late.Server.Runtime.Length = late.Server.Length * 5 / 4
	empty.Client.Completed = 0
	tests := []struct {
		name    string
		windows []archive.Window
		want    map[string]any // figure, or why there is none
	}{
		{"all", []archive.Window{told(2_000), told(4_000)}, map[string]any{
			"allocs": 3., "alloc.bytes": 192., "gc.cycles": 4., "gc.pause": 300., "gc.cpu": 20., "sched.max": 4_000.,
		}},
		{"a window in which it was late", []archive.Window{told(2_000), silentWindow}, map[string]any{"allocs": 2., "gc.cycles": 4.}},
		{"a second read a quarter of one later than the one before", []archive.Window{late}, map[string]any{"allocs": 2., "gc.cycles": 3.2}},
		{"no Go program", []archive.Window{silentWindow}, map[string]any{"allocs": untold, "gc.cycles": untold, "sched.max": untold}},
		{"an endpoint that tells less", []archive.Window{told(2_000), told(2_000, "sched: metrics don't tell", "gc_cpu: metrics don't tell")}, map[string]any{
			"allocs": 2., "gc.cpu": silent + "gc_cpu", "sched.max": silent + "sched",
		}},
		{"no requests", []archive.Window{empty}, map[string]any{"allocs": "no request was completed", "gc.cycles": 4.}},
	}
	for _, c := range tests {
		s := sumsOf(profile.Closed, c.windows...)
		for metric, want := range c.want {
			got, missing := value(t, s, metric)
			figure, isFigure := want.(float64)
			if isFigure && (missing != "" || !near(got, figure)) || !isFigure && missing != want {
				t.Errorf("%s: %s is %v %q, want %v", c.name, metric, got, missing, want)
			}
		}
	}
}
