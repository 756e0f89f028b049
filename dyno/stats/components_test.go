package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSplitVariance(t *testing.T) {
	// Means 2 and 6, of variances 2 and 2: within 2, between 8 − 2/2.
	c, ok := SplitVariance([][]float64{{1, 3}, {5, 7}})
	if !ok || math.Abs(c.Within-math.Sqrt(2)) > 1e-12 || math.Abs(c.Between-math.Sqrt(7)) > 1e-12 || math.Abs(c.Trial()-3) > 1e-12 {
		t.Errorf("%+v, %v", c, ok)
	}
	// Starts that differ less than runs do.
	if c, ok := SplitVariance([][]float64{{1, 5}, {1, 5}}); !ok || c.Between != 0 {
		t.Errorf("%+v, %v", c, ok)
	}
	for _, values := range [][][]float64{nil, {{1, 2}}, {{1}, {2}}, {{1, 2}, {3}}} {
		if _, ok := SplitVariance(values); ok {
			t.Errorf("%v has components", values)
		}
	}
}

// TestSplitVarianceIsUnbiased draws many experiments with known components.
func TestSplitVarianceIsUnbiased(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const within, between, experiments = 2.0, 3.0, 4000
	var w, b float64
	for range experiments {
		values := make([][]float64, 8)
		for i := range values {
			start := between * r.NormFloat64()
			for range 3 {
				values[i] = append(values[i], start+within*r.NormFloat64())
			}
		}
		c, _ := SplitVariance(values)
		w += c.Within * c.Within / experiments
		b += c.Between * c.Between / experiments
	}
	if math.Abs(w/(within*within)-1) > 0.03 || math.Abs(b/(between*between)-1) > 0.05 {
		t.Errorf("within² %.3f, between² %.3f", w, b)
	}
}

// TestDetectableRatioHasItsPower simulates studies with a difference of just that
// size: as many as promised must find it.
func TestDetectableRatioHasItsPower(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const deviation, power, studies = 0.05, 0.9, 4000
	for _, blocks := range []int{2, 3, 5, 8, 20} {
		ratio := DetectableRatio(deviation, blocks, 0.95, power)
		found := 0
		a, b := make([]float64, blocks), make([]float64, blocks)
		for range studies {
			for i := range blocks {
				a[i], b[i] = ratio*math.Exp(deviation*r.NormFloat64()), math.Exp(deviation*r.NormFloat64())
			}
			if Ratio(a, b, 0.95).Low > 1 {
				found++
			}
		}
		if got := float64(found) / studies; math.Abs(got-power) > 0.02 {
			t.Errorf("%d blocks: a ratio of %.4f is found in %.3f of the studies, want %.2f", blocks, ratio, got, power)
		}
	}
}

func TestDetectableRatioAtItsEnds(t *testing.T) {
	if got := DetectableRatio(0, 5, 0.95, 0.9); got != 1 {
		t.Errorf("without noise: %v", got)
	}
	if got := DetectableRatio(0.1, 1, 0.95, 0.9); !math.IsInf(got, 1) {
		t.Errorf("one block: %v", got)
	}
	for n, last := 2, math.Inf(1); n < 30; n++ {
		got := DetectableRatio(0.1, n, 0.95, 0.9)
		if !(got > 1 && got < last) {
			t.Fatalf("%d blocks: %v after %v", n, got, last)
		}
		last = got
	}
}

// TestNoncentral holds it to the central distribution and to a limit.
func TestNoncentral(t *testing.T) {
	for _, freedom := range []float64{1, 2, 7, 30} {
		x := studentQuantile(freedom, 0.975)
		if got := noncentralAbove(0, freedom, x); math.Abs(got-0.025) > 1e-6 {
			t.Errorf("%v degrees of freedom: %v above %v, want 0.025", freedom, got, x)
		}
	}
	if got := noncentralAbove(3, 1e5, 1.96); math.Abs(got-normalCDF(1.04)) > 1e-4 {
		t.Errorf("with many degrees of freedom: %v", got)
	}
}
