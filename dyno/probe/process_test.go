package probe

import (
	"testing"
	"time"
)

func TestProcessSinceSplitsExactTime(t *testing.T) {
	total := func(cpu time.Duration, user, system uint64) ProcessTotals {
		return ProcessTotals{used: usage{cpu: cpu, userTicks: user, sysTicks: system}}
	}
	tests := []struct {
		name         string
		a, b         ProcessTotals
		user, system time.Duration
	}{
		{"by the ticks of the window", total(0, 100, 100), total(90*time.Millisecond, 106, 103), 60 * time.Millisecond, 30 * time.Millisecond},
		{"less than a tick: as before", total(10, 30, 10), total(10+4*time.Millisecond, 30, 10), 3 * time.Millisecond, time.Millisecond},
		{"no tick ever", total(0, 0, 0), total(5*time.Millisecond, 0, 0), 5 * time.Millisecond, 0},
		{"never negative", total(time.Second, 50, 50), total(0, 0, 0), 0, 0},
	}
	for _, test := range tests {
		got := test.b.Since(test.a)
		if got.CPUUser != test.user || got.CPUSys != test.system || got.CPU != test.user+test.system {
			t.Errorf("%s: CPU %v = user %v + system %v; want %v + %v", test.name, got.CPU, got.CPUUser, got.CPUSys, test.user, test.system)
		}
	}
}
