package stats

import (
	"cmp"
	"math"
	"slices"
)

// Better says which direction of a metric is the good one.
type Better string

const (
	Higher Better = "higher"
	Lower  Better = "lower"
)

// Standing is a subject's place among those it was measured with.
type Standing struct {
	Subject int // index into the values ranked
	// Rank and Last are the interval of ranks in which the subject lies: one more than the
	// number of subjects that are significantly better, and the number of all less that of
	// those that are significantly worse.
	Rank, Last int
	Median     float64
	// Behind are the subjects that are significantly better, in order. As all pairs
	// were corrected together, ranks among any choice of the subjects follow from
	// it: one more than the number of those chosen.
	Behind []int
}

// Rank orders subjects measured in the same blocks by their medians, best first: values[s][b]
// is subject s in block b, NaN where it has no usable trial. Subjects without any
// value are left out.
//
// Beside the order, which is that of the estimates and no more certain than they are, each
// has an interval of ranks (Klein, Wright and Wieczorek, "A Joint Confidence Region for an
// Overall Ranking of Populations", Journal of the Royal Statistical Society C 69, 2020). A
// single rank, one more than the number of those that are significantly better, would
// reward noise: a subject that is measured badly is behind no other. One is significantly
// better than another if the paired test of [Ratio] says so at the level given after Holm's
// correction over all pairs ("A Simple Sequentially Rejective Multiple Test Procedure",
// Scandinavian Journal of Statistics 6, 1979): with 95 %, all these differences are real at
// once in 95 of 100 runs, and so all the intervals have the true ranks in them. Where the
// medians say the opposite of the ratios, as those of a subject that starts slowly now and
// then may, neither is better: which of them it is depends on how starts are averaged.
// Overlapping ranks are no equivalence: A may not be distinguishable from B, nor B from C,
// while A is distinguishable from C.
func Rank(values [][]float64, better Better, level float64) []Standing {
	var standings []Standing
	for s, v := range values {
		if m, ok := MedianPresent(v); ok {
			standings = append(standings, Standing{Subject: s, Median: m})
		}
	}
	median := make(map[int]float64)
	for _, s := range standings {
		median[s.Subject] = s.Median
	}
	behind, ahead := make(map[int][]int), make(map[int]int)
	for _, d := range differences(values, better, level) {
		if w, l := median[d.winner], median[d.loser]; better == Higher && w < l || better == Lower && w > l {
			continue
		}
		behind[d.loser] = append(behind[d.loser], d.winner)
		ahead[d.winner]++
	}
	for i := range standings {
		standing := &standings[i]
		standing.Behind = slices.Sorted(slices.Values(behind[standing.Subject]))
		standing.Rank = 1 + len(standing.Behind)
		standing.Last = len(standings) - ahead[standing.Subject]
	}
	slices.SortStableFunc(standings, func(a, b Standing) int {
		byMedian := cmp.Compare(a.Median, b.Median)
		if better == Higher {
			byMedian = -byMedian
		}
		return cmp.Or(byMedian, cmp.Compare(a.Rank, b.Rank))
	})
	return standings
}

// MedianPresent is the median of the values that are not NaN; it is not ok if there are none.
func MedianPresent(values []float64) (median float64, ok bool) {
	present := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(present) == 0 {
		return 0, false
	}
	slices.Sort(present)
	return medianOfSorted(present), true
}

// difference is a pair of subjects, the loser being the worse by its paired
// ratios, with the p-value of their being the same.
type difference struct {
	winner, loser int
	p             float64
}

// differences returns the pairs that differ significantly at the level given.
func differences(values [][]float64, better Better, level float64) []difference {
	var all []difference
	for a := range values {
		for b := a + 1; b < len(values); b++ {
			p, higher, ok := pairedP(values[a], values[b])
			if !ok {
				continue
			}
			d := difference{winner: b, loser: a, p: p}
			if higher == (better == Higher) {
				d.winner, d.loser = a, b
			}
			all = append(all, d)
		}
	}
	return holm(all, 1-level)
}

// holm keeps the differences that stand when the chance of any false one is to
// be at most alpha.
func holm(all []difference, alpha float64) []difference {
	slices.SortStableFunc(all, func(x, y difference) int { return cmp.Compare(x.p, y.p) })
	for i, d := range all {
		if d.p > alpha/float64(len(all)-i) {
			return all[:i]
		}
	}
	return all
}
