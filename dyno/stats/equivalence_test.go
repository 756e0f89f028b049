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
		says  string
	}{
		{"higher", interval(1.02, 1.031, 1.042), IsHigher, "3.1 % higher (2 % higher to 4.2 % higher, 95 % interval of 12 pairs)"},
		{"lower", interval(0.9, 0.95, 0.99), IsLower, "5 % lower (10 % lower to 1 % lower, 95 % interval of 12 pairs)"},
		{"much higher", interval(2.4, 2.5, 2.6), IsHigher, "2.5 times as high (2.4 times as high to 2.6 times as high, 95 % interval of 12 pairs)"},
		{"the same", interval(0.99, 1.001, 1.012), IsSame, "the same within 2 % (1 % lower to 1.2 % higher, 95 % interval of 12 pairs)"},
		{"known to differ by less", interval(1.001, 1.005, 1.009), IsSame, "the same within 2 % (0.1 % higher to 0.9 % higher, 95 % interval of 12 pairs)"},
		{"exactly", interval(1, 1, 1), IsSame, "the same within 2 % (no difference to no difference, 95 % interval of 12 pairs)"},
		{"can't tell", interval(0.97, 1.01, 1.05), CantTell, "can't tell: from 3 % lower to 5 % higher, 95 % interval of 12 pairs"},
		{"one end beyond", interval(0.995, 1.01, 1.021), CantTell, "can't tell: from 0.5 % lower to 2.1 % higher, 95 % interval of 12 pairs"},
		{"the margin's other end", interval(0.981, 1, 1.02), IsSame, "the same within 2 % (1.9 % lower to 2 % higher, 95 % interval of 12 pairs)"},
		{"no interval", Interval{N: 1, Estimate: 1.5, Low: 1.5, High: 1.5, Note: i18n.Verbatim("need ≥ 2 blocks for an interval")}, CantTell,
			"can't tell: 50 % higher so far; need ≥ 2 blocks for an interval"},
		{"nothing", Interval{Note: i18n.Verbatim("no pair of values above zero")}, CantTell, "can't tell: no pair of values above zero"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Judge(c.ratio, 0.02)
			if got.Outcome != c.want || got.String() != c.says {
				t.Errorf("got %q %q, want %q %q", got.Outcome, got, c.want, c.says)
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
