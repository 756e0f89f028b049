package netconn

import (
	"testing"
	"time"
)

// TestPace: what clients do from second to second, and when they are given up.
func TestPace(t *testing.T) {
	const rate = 240
	for _, tt := range []struct {
		name  string
		begin time.Duration
		bytes func(second int) int64
		from  int // the first second at which it may be too slow; 0: never
		to    int
	}{
		{"silent from the start", RateGrace, func(int) int64 { return 0 }, 6, 6},
		{"three bytes and a stop", RateGrace, func(s int) int64 { return int64(3 * (1 / (s + 1))) }, 6, 6},
		{"1 byte a second", RateGrace, func(int) int64 { return 1 }, 6, 7},
		{"a megabyte, then silence", RateGrace, func(s int) int64 { return int64(1<<20) * int64(1/(s+1)) }, 31, 32},
		{"a megabyte, then a byte every 29 s", RateGrace, func(s int) int64 {
			if s == 0 {
				return 1 << 20
			}
			return int64(1 - min(s%29, 1))
		}, 31, 32},
		{"just enough", RateGrace, func(int) int64 { return rate }, 0, 0},
		{"a burst every 20 s", MostGrace, func(s int) int64 { return 20 * rate * int64(1-min(s%20, 1)) }, 0, 0},
		{"a response that isn't taken", MostGrace, func(int) int64 { return 0 }, 31, 31},
		{"all of a large one at once", MostGrace, func(s int) int64 { return int64(1<<62) * int64(1/(s+1)) }, 31, 32},
	} {
		p, late := Pace{}, 0
		p.Begin(tt.begin)
		for s := range 1000 {
			if p.Spend(tt.bytes(s), time.Second, rate, 0) {
				late = s + 1
				break
			}
		}
		if late < tt.from || late > tt.to {
			t.Errorf("%s: given up after %d s, want %d to %d", tt.name, late, tt.from, tt.to)
		}
	}
	var none Pace
	if none.Spend(0, time.Hour, -1, 0) || none.Patience(time.Second, -1) != time.Second || none.Patience(0, rate) <= 0 {
		t.Error("limits that are off, or stand alone")
	}
}
