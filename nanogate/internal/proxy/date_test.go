//go:build linux

package proxy

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	eventloop "dyno.example/nano/wire/loop"
)

// steppedClock is a system on which it is the time that wall says.
type steppedClock struct {
	eventloop.Kernel
	wall *time.Time
}

func (s steppedClock) Wall() time.Time { return *s.wall }

// However the wall clock steps, the Date field follows within a second, and deadlines
// don't notice, which go by the monotonic clock.
func TestDateWhenClocksStep(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	wall := time.Date(2026, 3, 1, 23, 59, 58, 999_999_999, time.UTC)
	l := &loop{now: 1e9, sys: steppedClock{wall: &wall}}
	l.setDate()
	for range 1000 {
		if random.IntN(10) == 0 { // a step, up to a month in either direction
			wall = wall.Add(time.Duration(random.Int64N(int64(60*24*time.Hour))) - 30*24*time.Hour)
			if wait := l.dated - l.now; wait <= 0 || wait > int64(time.Second) {
				t.Fatalf("the date is written anew in %v", time.Duration(wait))
			}
			l.now, wall = l.dated, wall.Add(time.Duration(l.dated-l.now))
		} else {
			passed := random.Int64N(3e8)
			l.now, wall = l.now+passed, wall.Add(time.Duration(passed))
		}
		if l.now >= l.dated {
			l.setDate()
		}
		if want := fmt.Sprintf("Date: %s GMT\r\n", wall.UTC().Format("Mon, 02 Jan 2006 15:04:05")); string(l.date) != want {
			t.Fatalf("%q, want %q", l.date, want)
		}
	}
}
