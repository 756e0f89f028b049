package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dyno.example/internal/i18n"
)

func TestMedian(t *testing.T) {
	const note = "need ≥ 6 trials for a 95 % interval"
	for _, c := range []struct {
		name   string
		values []float64
		want   Interval
	}{
		{"none", nil, Interval{Note: i18n.Verbatim("no trials")}},
		{"one", []float64{7}, Interval{N: 1, Estimate: 7, Low: 7, High: 7, Note: i18n.Verbatim(note)}},
		{"two", []float64{9, 7}, Interval{N: 2, Estimate: 8, Low: 7, High: 9, Level: 0.5, Note: i18n.Verbatim(note)}},
		{"five", []float64{5, 1, 4, 2, 3}, Interval{N: 5, Estimate: 3, Low: 1, High: 5, Level: 0.9375, Note: i18n.Verbatim(note)}},
		{"six", []float64{6, 5, 1, 4, 2, 3}, Interval{N: 6, Estimate: 3.5, Low: 1, High: 6, Level: 0.95}},
		{"constant", slices.Repeat([]float64{4}, 9), Interval{N: 9, Estimate: 4, Low: 4, High: 4, Level: 0.95}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Median(c.values, 0.95)
			if got.Note = i18n.Verbatim(got.Note.String()); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestMedianNarrowsAndLeavesItsArgument(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	values := make([]float64, 60)
	for i := range values {
		values[i] = r.NormFloat64()
	}
	before := slices.Clone(values)
	all, few := Median(values, 0.95), Median(values[:12], 0.95)
	if all.High-all.Low >= few.High-few.Low {
		t.Errorf("60 trials give %+v, 12 give %+v", all, few)
	}
	if all.Low >= all.Estimate || all.High <= all.Estimate {
		t.Errorf("estimate outside its interval: %+v", all)
	}
	if !slices.Equal(values, before) {
		t.Error("the values were reordered")
	}
}

func TestMedianIgnoresTheOrder(t *testing.T) {
	values := []float64{1.5, 2.25, 3, 3.125, 4, 4.5, 7, 9, 11, 12, 12.5, 14}
	first := Median(values, 0.9)
	slices.Reverse(values)
	if again := Median(values, 0.9); again != first {
		t.Errorf("%+v, then %+v", first, again)
	}
}

// The expanded interval must cover the true median about as often as it says,
// also for a skewed distribution and odd and even numbers of trials.
func TestMedianCoverage(t *testing.T) {
	const runs, level, atLeast = 1000, 0.95, 0.92
	for _, n := range []int{6, 8, 9, 11, 12} {
		r := rand.New(rand.NewPCG(uint64(n), 2))
		covered := 0
		values := make([]float64, n)
		for range runs {
			for i := range values {
				values[i] = math.Exp(0.5 * r.NormFloat64())
			}
			if Median(values, level).Contains(1) {
				covered++
			}
		}
		if got := float64(covered) / runs; got < atLeast {
			t.Errorf("n=%d: covers the median in %.3f of the runs, want about %v", n, got, level)
		}
	}
}

func TestTrialsNeeded(t *testing.T) {
	for level, want := range map[float64]int{0.5: 2, 0.9: 5, 0.95: 6, 0.99: 8, 0.999: 11} {
		if got := trialsNeeded(level); got != want {
			t.Errorf("trialsNeeded(%v) = %d, want %d", level, got, want)
		}
		if rangeCovers(want) < level || rangeCovers(want-1) >= level {
			t.Errorf("%d trials are not the fewest for %v", want, level)
		}
	}
}

func BenchmarkMedian(b *testing.B) {
	values := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	for b.Loop() {
		Median(values, 0.95)
	}
}

// A median may be among values that are worse than any.
func TestMedianOfInfiniteValues(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		values              []float64
		estimate, low, high float64
	}{
		{[]float64{inf, inf, inf, inf, inf, inf}, inf, inf, inf},
		{[]float64{1, 1, 1, inf, inf, inf}, inf, 1, inf},
		{[]float64{1, 1, 1, 1, 1, inf}, 1, 1, inf},
		{[]float64{1, 1, 1, 1, 1, -inf}, 1, -inf, 1},
		{[]float64{1, 1, 1, 1, -inf, -inf}, 1, -inf, 1},
		{[]float64{1, 1, 1, -inf, -inf, -inf}, -inf, -inf, 1},
		{[]float64{-inf, -inf, 1, 1, inf, inf}, 1, -inf, inf},
		{[]float64{-inf, 1, 1, 1, 1, inf}, 1, -inf, inf},
		{[]float64{-inf, 1, 1, 1, 1, 1, inf}, 1, -inf, inf},
	} {
		if m := Median(c.values, 0.95); m.Estimate != c.estimate || m.Low != c.low || m.High != c.high {
			t.Errorf("%v: %+v", c.values, m)
		}
	}
	if m := Median([]float64{-inf, -inf, -inf, inf, inf, inf}, 0.95); m.N != 0 || m.Note == (i18n.Message{}) {
		t.Errorf("half at either end: %+v", m)
	}
}
