package stats

import (
	"math"
	"testing"
)

func TestSpendingRatio(t *testing.T) {
	s := NewSpending(3, 6, 0.95)
	if s.Looks() != 4 {
		t.Errorf("%d looks", s.Looks())
	}
	a, b := []float64{2.1, 1.9, 2, 2.05, 1.95, 2.1, 2}, []float64{1, 1, 1, 1, 1, 1, 1}
	for n, note := range map[int]string{
		0: "no pair of values above zero", 1: "need ≥ 2 blocks for an interval", 2: "the first look is after 3 blocks", 7: "the last look was after 6 blocks",
	} {
		if got := s.Ratio(a[:n], b[:n]); got.Level != 0 || got.Note.String() != note || got.N != n {
			t.Errorf("%d pairs: got %+v, want %q", n, got, note)
		}
	}
	for n := 3; n <= 6; n++ {
		got, fixed := s.Ratio(a[:n], b[:n]), Ratio(a[:n], b[:n], 0.95)
		if got.Level != 0.95 || got.Estimate != fixed.Estimate || got.Low > fixed.Low || got.High < fixed.High {
			t.Errorf("%d pairs: got %+v, which is to be no narrower than %+v", n, got, fixed)
		}
	}
}

// A single look is a study without looks: Student's t, but for the simulation.
func TestSpendingOfOneLook(t *testing.T) {
	for _, n := range []int{5, 12} {
		got, want := NewSpending(n, n, 0.95).Factor(n), studentQuantile(float64(n-1), 0.975)
		if math.Abs(got/want-1) > 0.01 {
			t.Errorf("%d blocks: factor %v, want %v", n, got, want)
		}
	}
}

func TestSpendingIsWideAtFirstAndNarrowAtLast(t *testing.T) {
	s := NewSpending(5, 12, 0.95)
	for n := 5; n < 12; n++ {
		if s.Factor(n) <= s.Factor(n+1) {
			t.Errorf("%d blocks: factor %v, then %v", n, s.Factor(n), s.Factor(n+1))
		}
	}
	if got := s.Factor(12) / studentQuantile(11, 0.975); math.Abs(got-1.14) > 0.02 {
		t.Errorf("the last interval is %.3f times as wide as without looks, want 1.14", got)
	}
	if again := NewSpending(5, 12, 0.95); again.Factor(7) != s.Factor(7) {
		t.Error("the same plan has other factors")
	}
}

func TestSpendingNothingYet(t *testing.T) {
	s := NewSpending(2, 40, 0.95)
	a, b := []float64{2.1, 1.9, 2}, []float64{1, 1, 1}
	if got := s.Ratio(a, b); got.Level != 0 || got.Note.String() != "too early of 40 blocks for an interval" {
		t.Errorf("got %+v", got)
	}
}

func TestObrienFleming(t *testing.T) {
	for share, want := range map[float64]float64{1: 0.05, 0.5: 0.00557, 0.25: 0.0000888} {
		if got := obrienFleming(share, 0.05); math.Abs(got/want-1) > 0.01 {
			t.Errorf("at %v: %v, want %v", share, got, want)
		}
	}
}

func BenchmarkNewSpending(b *testing.B) {
	for b.Loop() {
		NewSpending(5, 12, 0.95)
	}
}
