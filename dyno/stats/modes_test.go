package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSplitModes(t *testing.T) {
	for name, c := range map[string]struct {
		values []float64
		each   int
		below  int
		apart  bool
	}{
		"two levels":         {[]float64{10, 12, 10.1, 12.1, 11.9, 9.9}, 2, 3, true},
		"one apart":          {[]float64{10, 10.1, 9.9, 10, 10.2, 15}, 1, 5, true},
		"one apart, of two":  {[]float64{10, 10.1, 9.9, 10, 10.2, 15}, 2, 4, false},
		"none":               {[]float64{10, 10.1, 9.9, 10.05, 10.2, 9.95}, 1, 5, false},
		"all the same":       {[]float64{10, 10, 10, 10, 10, 10}, 2, 0, false},
		"too few":            {[]float64{10, 20, 20}, 1, 0, false},
		"exactly two values": {[]float64{1, 1, 1, 2, 2, 2}, 2, 3, true},
	} {
		if got := SplitModes(c.values, c.each); got.Apart() != c.apart || c.apart && got.Below != c.below {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// One sample of normal noise in a hundred is above the limit.
func TestSplitLimits(t *testing.T) {
	const samples = 4000
	r := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{4, 5, 6, 8, 11, 16, 25, 40, 90} {
		apart := 0
		x := make([]float64, n)
		for range samples {
			for i := range x {
				x[i] = r.NormFloat64()
			}
			if SplitModes(x, 1).Apart() {
				apart++
			}
		}
		if share := float64(apart) / samples; share > 0.016 || share < 0.003 {
			t.Errorf("%d values: %.4f are above the limit, want 0.01", n, share)
		}
	}
}

func TestModeMissed(t *testing.T) {
	if p := ModeMissed(0.25, 6); math.Abs(p-0.178) > 1e-3 {
		t.Errorf("a quarter is missed by 6 in %v", p)
	}
	if share := ModeExcluded(6, 0.95); math.Abs(share-0.393) > 1e-3 || ModeExcluded(0, 0.95) != 1 {
		t.Errorf("6 rule out %v", share)
	}
}
