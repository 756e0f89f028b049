package load

import (
	"fmt"
	"testing"
	"time"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
)

// TestAStoppedLoopIsNotTheServerOverHTTP2: many requests are under way on a connection,
// and wait in it together while the loop is away; none of that is the server's.
func TestAStoppedLoopIsNotTheServerOverHTTP2(t *testing.T) {
	t.Parallel()
	target := nullHTTP2(t)
	open := func(rate float64, connections int) profile.Profile {
		return profile.Profile{Mode: profile.Open, Connections: connections, Rate: rate, Arrivals: profile.Poisson}
	}
	closed := profile.Profile{Mode: profile.Closed, Connections: 4}
	eachLoop(t, func(t *testing.T, way string) {
		for _, c := range []struct {
			profile        profile.Profile
			streams, loops int
			where          string
			after, stop    time.Duration
		}{
			{open(500, 2), 4, 1, "wait", 800 * time.Millisecond, 400 * time.Millisecond},
			{open(500, 2), 1, 1, "send", 10 * time.Millisecond, 700 * time.Millisecond},
			{open(3000, 4), 10, 2, "handle", 1200 * time.Millisecond, 400 * time.Millisecond},
			{open(3000, 2), 100, 1, "send", 1800 * time.Millisecond, 400 * time.Millisecond}, // until after the end
			{closed, 10, 1, "handle", 990 * time.Millisecond, 400 * time.Millisecond},
			{closed, 10, 2, "send", 500 * time.Millisecond, 400 * time.Millisecond},
		} {
			name := fmt.Sprintf("%s-%v/streams=%d/loops=%d/%s at %v for %v", c.profile.Mode, c.profile.Rate, c.streams, c.loops, c.where, c.after, c.stop)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := overHTTP2(target, way, 0, c.streams, 0)
				s.Profile, s.Threads, s.Duration, s.Warmup = c.profile, c.loops, 2*time.Second, 200*time.Millisecond
				notOurs(t, c.stop, func(t *testing.T, stop time.Duration) ([]measure.Window, func(w *measure.Window) int64) {
					r := runStopped(t, s, c.where, c.after, stop)
					if all := allWindows(r); all.Completed+all.Drained == 0 {
						t.Fatal("no responses")
					}
					return r.Windows, longestOf
				})
			})
		}
	})
}
