package stats

import (
	"testing"

	"dyno.example/internal/i18n"
)

func TestJudge(t *testing.T) {
	interval := func(low, estimate, high float64) Interval {
		return Interval{N: 12, Estimate: estimate, Low: low, High: high, Level: 0.95}
	}
	for _, c := range []struct {
		name  string
		ratio Interval
		want  Outcome
	}{
		{"higher", interval(1.02, 1.031, 1.042), IsHigher},
		{"lower", interval(0.9, 0.95, 0.99), IsLower},
		{"much higher", interval(2.4, 2.5, 2.6), IsHigher},
		{"the same", interval(0.99, 1.001, 1.012), IsSame},
		{"known to differ by less", interval(1.001, 1.005, 1.009), IsSame},
		{"exactly", interval(1, 1, 1), IsSame},
		{"can't tell", interval(0.97, 1.01, 1.05), CantTell},
		{"one end beyond", interval(0.995, 1.01, 1.021), CantTell},
		{"the margin's other end", interval(0.981, 1, 1.02), IsSame},
		{"no interval", Interval{N: 1, Estimate: 1.5, Low: 1.5, High: 1.5, Note: i18n.Verbatim("need ≥ 2 blocks for an interval")}, CantTell},
		{"nothing", Interval{Note: i18n.Verbatim("no pair of values above zero")}, CantTell},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Judge(c.ratio, 0.02)
			if got.Outcome != c.want {
				t.Errorf("got %q, want %q", got.Outcome, c.want)
			}
			if got.Different() != (c.want == IsHigher || c.want == IsLower) {
				t.Errorf("different is %v", got.Different())
			}
		})
	}
}

func TestCompare(t *testing.T) {
	a, b := []float64{102, 103, 104, 103, 102, 104}, []float64{100, 100, 101, 101, 99, 101}
	if got := Compare(a, b, 0.01, 0.95); got.Outcome != IsHigher || got.N != 6 {
		t.Errorf("got %v", got)
	}
	if got := Compare(a, b, 0.1, 0.95); got.Outcome != IsSame {
		t.Errorf("got %v", got)
	}
	if got := Compare(b, a, 0, 0.95); got.Outcome != IsLower {
		t.Errorf("without a margin: %v", got)
	}
}
