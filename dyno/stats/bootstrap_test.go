package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// resampled draws the medians that the closed form describes.
func resampled(sorted []float64, draws int) []float64 {
	r := rand.New(rand.NewPCG(1, uint64(len(sorted))))
	medians := make([]float64, draws)
	sample := make([]float64, len(sorted))
	for i := range medians {
		for j := range sample {
			sample[j] = sorted[r.IntN(len(sorted))]
		}
		slices.Sort(sample)
		medians[i] = medianOfSorted(sample)
	}
	return medians
}

func TestBootstrapMedianAgreesWithResampling(t *testing.T) {
	const draws = 20_000
	values := []float64{1, 2, 4, 4, 5, 7, 11, 12, 19}
	for n := 2; n <= len(values); n++ {
		drawn := resampled(values[:n], draws)
		below, total := 0.0, 0.0
		for _, m := range bootstrapMedian(values[:n]) {
			below += m.p
			total += m.p
			within := 0
			for _, v := range drawn {
				if v <= m.value+1e-12 {
					within++
				}
			}
			if share := float64(within) / draws; below > share+0.015 {
				t.Errorf("n=%d: P(median ≤ %v) is %.4f, %.4f of the resamples", n, m.value, below, share)
			}
		}
		if math.Abs(total-1) > 1e-9 {
			t.Errorf("n=%d: probabilities sum to %v", n, total)
		}
	}
}

// Two draws from two values: both low, one of each in two orders, both high.
func TestBootstrapMedianByHand(t *testing.T) {
	want := []mass{{10, 0.25}, {15, 0.5}, {20, 0.25}}
	got := bootstrapMedian([]float64{10, 20})
	if !slices.EqualFunc(got, want, func(a, b mass) bool { return a.value == b.value && math.Abs(a.p-b.p) < 1e-12 }) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestBootstrapMedianOfMany(t *testing.T) {
	values := make([]float64, 400)
	for i := range values {
		values[i] = float64(i)
	}
	low, high := bootstrapEnds(bootstrapMedian(values), 0.025)
	// The median's rank is binomial: ±1.96·√400/2 around the middle.
	if math.Abs(low-180) > 1 || math.Abs(high-219) > 1 {
		t.Errorf("from %v to %v, want about 180 to 219", low, high)
	}
}

func TestBootstrapEnds(t *testing.T) {
	masses := []mass{{1, 0.1}, {2, 0.2}, {3, 0.4}, {4, 0.25}, {5, 0.05}}
	for _, c := range []struct{ tail, low, high float64 }{{0, 1, 5}, {0.06, 1, 4}, {0.11, 2, 4}, {0.4, 3, 3}} {
		if low, high := bootstrapEnds(masses, c.tail); low != c.low || high != c.high {
			t.Errorf("tail %v: from %v to %v, want %v to %v", c.tail, low, high, c.low, c.high)
		}
	}
}
