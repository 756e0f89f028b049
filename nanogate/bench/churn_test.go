//go:build linux

package main

import (
	"testing"
	"time"
)

func TestChurnFigures(t *testing.T) {
	const ms = time.Millisecond
	f := churnFigures([][]time.Duration{{0, 10 * ms, 20 * ms, 30 * ms}, {0, 15 * ms}}, []sighting{
		{5 * ms, 0, 0, true},
		{12 * ms, 0, 1, true},
		{16 * ms, 1, 0, true}, // not yet
		{18 * ms, 0, 0, false},
		{34 * ms, 0, 3, true}, // the second was passed over, and has come with the third
		{35 * ms, 0, 2, true}, // was under way
	}, time.Second)
	for name, want := range map[string]float64{
		"requests": 6, "failed": 1, "changes": 4, "changes_per_s": 4, "unseen": 1, "delay_p50_us": 4000, "delay_p99_us": 14_000,
	} {
		if f[name] != want {
			t.Errorf("%s is %v, want %v", name, f[name], want)
		}
	}
}

func TestChurnAddress(t *testing.T) {
	for _, want := range [][2]int{{0, 0}, {churnKeys - 1, 65535}, {3, 256}} {
		key, change, ok := churnOf(churnAddress(want[0], want[1]).String())
		if !ok || key != want[0] || change != want[1] {
			t.Errorf("%v: %d, %d, %v", want, key, change, ok)
		}
	}
	for _, text := range []string{"", "::1", "127.0.0.1", "127.200.0.1"} {
		if _, _, ok := churnOf(text); ok {
			t.Errorf("%q is an instance", text)
		}
	}
}
