package stats

import "testing"

func TestBlocksFor(t *testing.T) {
	for _, ratio := range []float64{1.02, 1.05, 1.2} {
		n := BlocksFor(ratio, 0.03, 0.95, 0.9)
		if DetectableRatio(0.03, n, 0.95, 0.9) > ratio || DetectableRatio(0.03, n-1, 0.95, 0.9) <= ratio {
			t.Errorf("%v: %d blocks", ratio, n)
		}
		if other := BlocksFor(1/ratio, 0.03, 0.95, 0.9); other != n {
			t.Errorf("%v: %d blocks, its inverse %d", ratio, n, other)
		}
	}
	for _, ratio := range []float64{1, 1.0000001} {
		if n := BlocksFor(ratio, 0.05, 0.95, 0.9); n != 0 {
			t.Errorf("%v in %d blocks", ratio, n)
		}
	}
	if n := BlocksFor(1.1, 0, 0.95, 0.9); n != 2 {
		t.Errorf("without noise: %d blocks", n)
	}
}
