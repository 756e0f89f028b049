package link

import (
	"testing"
	"time"
)

// What falls into a pause arrives at its end, and what comes first never arrives after what comes later.
func TestArrives(t *testing.T) {
	const ms = time.Millisecond
	l := Link{Pause: 30 * ms, Every: 500 * ms}
	for _, c := range []struct{ at, want time.Duration }{
		{0, 0}, {469 * ms, 469 * ms}, {470 * ms, 500 * ms}, {499 * ms, 500 * ms}, {500 * ms, 500 * ms}, {975 * ms, 1000 * ms},
	} {
		if got := l.arrives(c.at); got != c.want {
			t.Errorf("what is due at %v arrives at %v, not %v", c.at, got, c.want)
		}
	}
	var before time.Duration
	for at := time.Duration(0); at < 2*time.Second; at += 777 * time.Microsecond {
		got := l.arrives(at)
		if got < at || got < before || got > at+l.Pause {
			t.Fatalf("what is due at %v arrives at %v, after %v", at, got, before)
		}
		before = got
	}
	for _, l := range []Link{{}, {Pause: ms}, {Every: ms}, {Pause: ms, Every: ms}} {
		if got := l.arrives(12345); got != 12345 {
			t.Errorf("%+v holds up to %v", l, got)
		}
	}
}
