package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Change is a point from which on a series is another than before.
type Change struct {
	Index  int     `json:"index"`  // of the first value after the change
	P      float64 `json:"p"`      // probability that chance alone finds as large a change
	Before float64 `json:"before"` // median from the change before, or the start, to this one
	After  float64 `json:"after"`  // median from this change to the next one, or the end
}

// ChangeOptions say what counts as a change. The zero value is usable.
type ChangeOptions struct {
	MinSegment   int     // values between two changes and at either end; 0 means 2, which is the least
	P            float64 // largest p-value of a change; 0 means 0.05
	Permutations int     // of which the p-value is a share; 0 means as many as the length allows, 99 to 499
	Seed         uint64
}

// maxSeries is how many points of a series are looked at: of a series of runs the
// last ones, of windows all, several of them taken together. Time taken grows with
// the square of it, to a tenth of a second for each change.
const maxSeries = 500

// ChangePoints finds the places where the distribution of a series changes, in
// its level or in its spread, by E-divisive with a permutation test (Matteson
// and James, "A Nonparametric Approach for Multiple Change Point Analysis of
// Multivariate Data", Journal of the American Statistical Association 109,
// 2014). Changes are in the order of their places; of more than 500 values the
// last 500 are looked at. The same seed gives the same changes.
//
// It assumes no shape, and that values between changes are independent: in a
// series without changes it finds any with probability P, and more often when
// neighbours are alike. It can find nothing where fewer than 1/P orders of the
// values are to be told apart: seven values have one split into two and five in
// twenty-one, and no change is found at 0.01. A change of one value at the very
// end is found when the next value confirms it.
func ChangePoints(x []float64, opts ChangeOptions) []Change {
	skipped := max(0, len(x)-maxSeries)
	x = x[skipped:]
	d := newDivisive(distances(len(x), func(i, j int) float64 { return math.Abs(x[i] - x[j]) }), opts)
	if d == nil {
		return nil
	}
	all := d.changes()
	slices.SortFunc(all, func(a, b found) int { return a.at - b.at })
	changes := make([]Change, len(all))
	for i, f := range all {
		from, to := 0, len(x)
		if i > 0 {
			from = all[i-1].at
		}
		if i+1 < len(all) {
			to = all[i+1].at
		}
		changes[i] = Change{Index: skipped + f.at, P: f.p, Before: medianOf(x[from:f.at]), After: medianOf(x[f.at:to])}
	}
	return changes
}

// newDivisive fills in what the options leave open. It is nil if there are too
// few points for a change.
func newDivisive(distance [][]float64, opts ChangeOptions) *divisive {
	n := len(distance)
	d := &divisive{distance: distance, least: max(2, opts.MinSegment), p: opts.P, permutations: opts.Permutations}
	if n < 2*d.least {
		return nil
	}
	if d.p == 0 {
		d.p = 0.05
	}
	if d.permutations == 0 {
		const pairs = 20_000_000 // to go through
		d.permutations = min(max(pairs/(n*n), 99), 499)
	}
	d.random = rand.New(rand.NewPCG(opts.Seed, 0x65646976))
	return d
}

// distances of all pairs of n points.
func distances(n int, between func(i, j int) float64) [][]float64 {
	all := make([]float64, n*n)
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = all[i*n : (i+1)*n]
		for j := range i {
			rows[i][j] = between(i, j)
			rows[j][i] = rows[i][j]
		}
	}
	return rows
}

// medianOf is the median of values in any order, at least one.
func medianOf(values []float64) float64 { return medianOfSorted(slices.Sorted(slices.Values(values))) }
