package stats

import (
	"math"
	"testing"
)

func TestRatioAnytime(t *testing.T) {
	for _, c := range []struct {
		n    int
		note string
	}{{0, "no pair of values above zero"}, {1, "need ≥ 2 blocks for an interval"}, {3, "need ≥ 4 blocks for an interval"}} {
		a, b := []float64{2.1, 1.9, 2}[:c.n], []float64{1, 1, 1}[:c.n]
		if got := RatioAnytime(a, b, 0.95); got.Level != 0 || got.Note.String() != c.note || got.N != c.n {
			t.Errorf("%d pairs: got %+v, want %q", c.n, got, c.note)
		}
	}
	a, b := []float64{2.1, 1.9, 2, 2.05, 1.95}, []float64{1, 1, 1, 1, 1}
	fixed, anytime := Ratio(a, b, 0.95), RatioAnytime(a, b, 0.95)
	if anytime.Estimate != fixed.Estimate || anytime.Level != 0.95 || anytime.Low >= fixed.Low || anytime.High <= fixed.High {
		t.Errorf("got %+v, which is to be wider than %+v", anytime, fixed)
	}
}

// The ends of the interval are where the martingale reaches its limit.
func TestRatioAnytimeInvertsTheMartingale(t *testing.T) {
	logs := []float64{0.11, -0.04, 0.07, 0.02, -0.01, 0.05, 0.13}
	a, b := make([]float64, len(logs)), make([]float64, len(logs))
	for i, x := range logs {
		a[i], b[i] = math.Exp(x), 1
	}
	for _, level := range []float64{0.8, 0.95, 0.99} {
		got := RatioAnytime(a, b, level)
		for _, end := range []float64{got.Low, got.High} {
			n, sum, squares := float64(len(logs)), 0.0, 0.0
			for _, x := range logs {
				sum += x - math.Log(end)
				squares += (x - math.Log(end)) * (x - math.Log(end))
			}
			m := math.Sqrt(anytimePrior/(n+anytimePrior)) * math.Pow(squares/(squares-sum*sum/(n+anytimePrior)), n/2)
			if math.Abs(m*(1-level)-1) > 1e-6 {
				t.Errorf("level %v: the martingale is %v at %v, want %v", level, m, end, 1/(1-level))
			}
		}
	}
}

// What the documentation says of its width.
func TestAnytimeFactor(t *testing.T) {
	for _, c := range []struct{ n, times float64 }{{5, 2.1}, {12, 1.7}, {50, 1.7}} {
		if got := anytimeFactor(c.n, 0.05) / studentQuantile(c.n-1, 0.975); math.Abs(got-c.times) > 0.05 {
			t.Errorf("%v pairs: %.2f times as wide as Student's, want %v", c.n, got, c.times)
		}
	}
}
