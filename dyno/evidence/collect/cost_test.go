package collect

import "testing"

// TestProbesAreOffOnceABlock: and never in the first window.
func TestProbesAreOffOnceABlock(t *testing.T) {
	for seed := range uint64(20) {
		for first := 0; first < 50; first += block {
			off := 0
			for w := first; w < first+block; w++ {
				if offIn(w, seed) {
					off++
				}
			}
			if off != 1 {
				t.Errorf("seed %d: off in %d windows of the block from %d", seed, off, first)
			}
		}
		if offIn(0, seed) || offIn(-1, seed) {
			t.Errorf("seed %d: off at the beginning", seed)
		}
	}
}

// TestCostOfKnownProbes: a tenth more CPU time and a fifth more at p99, with as many requests.
func TestCostOfKnownProbes(t *testing.T) {
	var c cost
	c.watch(nil)
	var off []int
	for w := range 10 * block {
		noise := 1 + float64(w/block%3)/100
		c.completed[w], c.cpu[w], c.p99[w] = 1000, 1100*noise, 12e6*noise
		if offIn(w, 7) {
			off = append(off, w)
			c.cpu[w], c.p99[w] = 1000*noise, 10e6*noise
		}
	}
	r := c.result(off)
	if r == nil || r.CPU == nil || r.P99 == nil || r.Off != 10 || r.On != 40 {
		t.Fatalf("%+v", r)
	}
	if r.CPU.Low > 0.1001 || r.CPU.High < 0.0999 || r.P99.Low > 0.2001 || r.P99.High < 0.1999 {
		t.Errorf("CPU %+v, p99 %+v", r.CPU, r.P99)
	}
	if c.result(nil) != nil {
		t.Error("a cost without a window that has none")
	}
}
