package loop

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// steppedClock is a system on which it is the time that wall says.
type steppedClock struct {
	Kernel
	wall *time.Time
}

func (s steppedClock) Wall() time.Time { return *s.wall }

// However the wall clock steps, the Date field follows within a second, and deadlines
// don't notice, which go by the monotonic clock.
func TestDateWhenClocksStep(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	wall := time.Date(2026, 3, 1, 23, 59, 58, 999_999_999, time.UTC)
	c := &Core[int]{now: 1e9, Sys: steppedClock{wall: &wall}}
	line, until := c.DateLine(nil)
	for range 1000 {
		if random.IntN(10) == 0 { // a step, up to a month in either direction
			wall = wall.Add(time.Duration(random.Int64N(int64(60*24*time.Hour))) - 30*24*time.Hour)
			if wait := until - c.now; wait <= 0 || wait > int64(time.Second) {
				t.Fatalf("the date is written again in %v", time.Duration(wait))
			}
			c.now, wall = until, wall.Add(time.Duration(until-c.now))
		} else {
			passed := random.Int64N(3e8)
			c.now, wall = c.now+passed, wall.Add(time.Duration(passed))
		}
		if c.now >= until {
			line, until = c.DateLine(line[:0])
		}
		if want := fmt.Sprintf("Date: %s GMT\r\n", wall.UTC().Format("Mon, 02 Jan 2006 15:04:05")); string(line) != want {
			t.Fatalf("%q, want %q", line, want)
		}
	}
}
