//go:build linux

package main

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno.example/dyno/load/measure"
)

// Each pair of slices has one of each, in either order, and the first second of none counts.
func TestSlicesOfCost(t *testing.T) {
	for seed := range uint64(10) {
		cuts, onFirst := slicing{seed}, 0
		for pair := range 40 {
			on, off := 0, 0
			for w := pair * 2 * sliceSeconds; w < (pair+1)*2*sliceSeconds; w++ {
				switch {
				case cuts.pair(w) != pair:
					t.Fatalf("window %d is of pair %d", w, cuts.pair(w))
				case !cuts.counts(w):
				case cuts.on(w):
					on++
				default:
					off++
				}
			}
			if on != off || on != sliceSeconds-1 {
				t.Fatalf("pair %d: %d on, %d off", pair, on, off)
			}
			if cuts.on(pair * 2 * sliceSeconds) {
				onFirst++
			}
		}
		if onFirst == 0 || onFirst == 40 {
			t.Errorf("seed %d: the probes are on first in %d of 40", seed, onFirst)
		}
	}
}

// A cost that is known is found, over pairs and over starts, and a machine that drifts or starts
// that differ don't hide it.
func TestKnownCostIsFound(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, starts := range []int{1, 6} {
		for _, cost := range []float64{1, 1.05} {
			var all [][]slicePair
			for range starts {
				level := math.Exp(0.2 * random.NormFloat64())
				var pairs []slicePair
				for k := range 12 {
					one := func(factor float64) slice {
						noise := math.Exp(0.004*random.NormFloat64()) * level * (1 + float64(k)/50)
						return slice{requests: 2000, cpu: time.Duration(2000 * 20e3 * factor * noise), p99: 1e6 * factor * noise}
					}
					pairs = append(pairs, slicePair{on: one(cost), off: one(1)})
				}
				all = append(all, pairs)
			}
			for _, f := range costFigures[:2] {
				i, over := ratioOver(all, f.of)
				if want := map[bool]string{true: "starts", false: "pairs of slices"}[starts > 3]; over != want {
					t.Errorf("over %s", over)
				}
				if math.Abs(i.Estimate-cost) > 0.004 || i.High-i.Low > 0.02 {
					t.Errorf("%s of %d starts: %.4f (%.4f to %.4f), it is %.2f", f.name, starts, i.Estimate, i.Low, i.High, cost)
				}
				right, known := costly{}.holds(i)
				if !known || right != (cost == 1) {
					t.Errorf("%.2f: right %v, known %v", cost, right, known)
				}
				if cost > 1 {
					if right, known := (costly{same: true}).holds(i); right || !known {
						t.Errorf("slices that differ by %.2f are taken for the same", cost)
					}
				}
			}
		}
	}
}

// Of windows, those that count are put together to slices, and the service's CPU time of these
// only.
func TestWindowsBecomeSlices(t *testing.T) {
	cuts := slicing{5}
	g := gatherer{slicing: cuts, times: hdrhistogram.New(1, int64(time.Hour), 3)}
	for w := range 4 * sliceSeconds {
		if !cuts.counts(w) {
			continue
		}
		g.now.requests += 100
		g.now.took = (sliceSeconds - 1) * time.Second
		if w%sliceSeconds == sliceSeconds-1 {
			g.end(w)
			g.now = slice{}
		}
	}
	if len(g.pairs) != 2 {
		t.Fatalf("%d pairs", len(g.pairs))
	}
	for _, p := range g.pairs {
		if p.on.requests != 200 || p.off.requests != 200 {
			t.Errorf("%+v", p)
		}
	}
	g.now = slice{requests: 200, took: 4 * time.Second} // both of a pair were told at once
	g.end(5*sliceSeconds - 1)
	g.now.took = 0
	g.end(6*sliceSeconds - 1)
	if g.uneven != 1 {
		t.Errorf("%d pairs are left out", g.uneven)
	}
	g.window(measure.Window{Index: -1})
	if g.failed != nil || len(g.pairs) != 2 {
		t.Error("the warm-up counts")
	}
}
