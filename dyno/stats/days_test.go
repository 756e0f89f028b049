package stats

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// drawDay draws n restarts of a day.
func drawDay(r *rand.Rand, n int, center, day, noise float64) []float64 {
	values := make([]float64, n)
	shift := day * r.NormFloat64()
	for i := range values {
		values[i] = center * math.Exp(shift+noise*r.NormFloat64())
	}
	return values
}

// However much days differ, the interval of several holds the truth as often as it
// says; that of one does not.
func TestDaysRatioCovers(t *testing.T) {
	const studies = 2000
	r := rand.New(rand.NewPCG(6, 1))
	missed := func(days, restarts, newRestarts int, day float64) float64 {
		count := 0
		for range studies {
			before := make([][]float64, days)
			for i := range before {
				before[i] = drawDay(r, restarts, 100, day, 0.02)
			}
			if !DaysRatio(before, drawDay(r, newRestarts, 110, day, 0.02), 0.95).Ratio.Contains(1.1) {
				count++
			}
		}
		return float64(count) / studies
	}
	for _, c := range []struct{ days, restarts, new int }{{2, 6, 6}, {3, 6, 6}, {5, 6, 6}, {8, 6, 3}, {5, 3, 10}} {
		for _, day := range []float64{0, 0.02, 0.05} {
			if share := missed(c.days, c.restarts, c.new, day); share > 0.066 {
				t.Errorf("%+v, days differ by %v: missed in %.3f", c, day, share)
			}
		}
	}
	if share := missed(1, 10, 10, 0.05); share < 0.5 {
		t.Errorf("one day misses in %.3f only: the simulation can't tell", share)
	}
}

func TestDaysRatio(t *testing.T) {
	one := DaysRatio([][]float64{{10, 11, 12}, {}}, []float64{10, 11, 12}, 0.95)
	if one.Days != 1 || one.Between != 0 || one.Ratio.Level == 0 || !strings.Contains(one.Ratio.Note.String(), "of one day") {
		t.Errorf("%+v", one)
	}
	// Means of 10 and 12.1: a standard deviation of log(1.21)/√2.
	two := DaysRatio([][]float64{{10, 10, 10}, {12.1, 12.1, 12.1}}, []float64{11, 11, 11}, 0.95)
	if want := math.Log(1.21) / math.Sqrt2; math.Abs(two.Between-want) > 1e-9 || math.Abs(two.Ratio.Estimate-1) > 1e-9 || two.Ratio.N != 3 {
		t.Errorf("%+v, want a deviation of %v", two, want)
	}
	if want := math.Exp(12.7062 * two.Between * math.Sqrt(1.5)); math.Abs(two.Ratio.High/want-1) > 1e-4 {
		t.Errorf("up to %v, want %v", two.Ratio.High, want)
	}
	if none := DaysRatio(nil, []float64{1, 2, 3}, 0.95); none.Ratio.Level != 0 || none.Days != 0 {
		t.Errorf("%+v", none)
	}
}

func TestDaysFor(t *testing.T) {
	n := DaysFor(1.1, 0.02, 0.95, 0.9)
	if n < 3 || DetectableDay(0.02, n, 0.95, 0.9) > 1.1 || DetectableDay(0.02, n-1, 0.95, 0.9) <= 1.1 {
		t.Errorf("%d days", n)
	}
	if DaysFor(1.01, 0.05, 0.95, 0.9) != 0 || !math.IsInf(DetectableDay(0.03, 1, 0.95, 0.9), 1) {
		t.Error("a difference is found that can't be")
	}
}
