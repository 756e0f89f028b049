package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// singleRestart draws windows whose level wanders with a correlation of rho, a tenth of
// them with a bunch of slow requests.
func singleRestart(n int, rho float64, r *rand.Rand) []Counts {
	var windows []Counts
	level := 0.1 * r.NormFloat64()
	for range n {
		values := make([]float64, 300)
		for i := range values {
			values[i] = math.Exp(level + 0.5*r.NormFloat64())
		}
		if r.Float64() < 0.1 {
			for late, i := 5*r.Float64(), 0; i < len(values)/10; i++ {
				values[i] += late
			}
		}
		windows = append(windows, countsOf(values))
		level = rho*level + 0.1*math.Sqrt(1-rho*rho)*r.NormFloat64()
	}
	return windows
}

func countsOf(values []float64) (c Counts) {
	for i := range values {
		values[i] = math.Round(values[i]*50) / 50
	}
	slices.Sort(values)
	for _, v := range values {
		if n := len(c); n > 0 && c[n-1].Value == v {
			c[n-1].Count++
			continue
		}
		c = append(c, Bucket{v, 1})
	}
	return c
}

// The interval of a single restart is as sure as it says, or there is none.
func TestSingleRestartCovers(t *testing.T) {
	qs := []float64{0.5, 0.99}
	for _, rho := range []float64{0, 0.5, 0.8} {
		r := rand.New(rand.NewPCG(9, uint64(10*rho)))
		truth := QuantileHierarchy([][]Counts{singleRestart(6000, rho, r)}, qs, 0, 1)
		for _, n := range []int{10, 60, 120} {
			const studies = 100
			given, covered := [2]int{}, [2]int{}
			for seed := range uint64(studies) {
				for i, iv := range QuantileHierarchy([][]Counts{singleRestart(n, rho, r)}, qs, 0.95, seed) {
					if iv.Level > 0 {
						given[i]++
						if iv.Contains(truth[i].Estimate) {
							covered[i]++
						}
					}
				}
			}
			t.Logf("rho %g, %d windows: given %v, covered %v", rho, n, given, covered)
			for i := range qs {
				if n < leastWindows && given[i] > 0 {
					t.Errorf("rho %g: %d intervals of %d windows", rho, given[i], n)
				}
				if share := float64(covered[i]) / float64(max(given[i], 1)); given[i] >= 50 && share < 0.88 {
					t.Errorf("rho %g: of %d windows, %d of %d intervals hold p%g", rho, n, covered[i], given[i], 100*qs[i])
				}
			}
		}
	}
}
