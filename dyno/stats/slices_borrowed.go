package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// borrowFrom is the number of comparisons that can lend each other something: of fewer,
// nobody knows how alike they are.
const borrowFrom = 4

// unlike is how many times the common variance makes one that is not drawn to it.
const unlike = 2

// SlicedRatios is [SlicedRatio] of several comparisons of one study, which have their
// starts in common and were measured on one machine at one time. What starts differ by is
// then much the same for all of them, and few starts tell it badly of each alone. So each
// comparison's variance is drawn towards that of all, as far as they are alike beyond
// what chance makes them differ: the moderated t statistic (Smyth, "Linear Models and
// Empirical Bayes Methods for Assessing Differential Expression in Microarray
// Experiments", Statistical Applications in Genetics and Molecular Biology 3, 2004).
//
// Two things keep that honest. A variance is only borrowed up to as many degrees of
// freedom as the comparison has itself, as those of comparisons with one reference are not
// independent. And a comparison whose starts differ by clearly more than the others' keeps
// its own. Fewer than four comparisons borrow nothing.
func SlicedRatios(comparisons [][]Start, level float64) []Sliced {
	results := make([]Sliced, len(comparisons))
	for i, starts := range comparisons {
		results[i] = measureSlices(starts)
	}
	common, prior := borrowed(results)
	for i := range results {
		s := &results[i]
		own, freedom := s.spread(), float64(len(s.PerStart)-1)
		if prior > 0 && freedom > 0 && own < unlike*common {
			lent := min(prior, freedom)
			own = (own*freedom + common*lent) / (freedom + lent)
			freedom += lent
		}
		s.conclude(own, freedom, level)
	}
	return results
}

// borrowed fits a scaled F distribution to the variances, by the moments of their
// logarithms: the variance that all have in common, and what it is worth in degrees of
// freedom, 0 if nothing.
func borrowed(results []Sliced) (common, prior float64) {
	var e []float64
	expected := 0.0
	for i := range results {
		freedom := float64(len(results[i].PerStart)-1) / 2
		if spread := results[i].spread(); freedom > 0 && spread > 0 {
			e = append(e, math.Log(spread)-mathext.Digamma(freedom)+math.Log(freedom))
			expected += trigamma(freedom)
		}
	}
	if len(e) < borrowFrom {
		return 0, 0
	}
	centre, stderr := meanAndError(e)
	n := float64(len(e))
	differ := stderr*stderr*n - expected/n // of the true variances' logarithms
	if differ <= 0 {
		return math.Exp(centre), math.Inf(1)
	}
	half := inverseTrigamma(differ)
	return math.Exp(centre + mathext.Digamma(half) - math.Log(half)), 2 * half
}

// trigamma is the second derivative of log Γ (DLMF 5.15.1: a Hurwitz zeta function).
func trigamma(x float64) float64 { return mathext.Zeta(2, x) }

// inverseTrigamma is found by halving: trigamma falls, from above 1/x² to below 1/x + 1/x².
func inverseTrigamma(y float64) float64 {
	low, high := 1/math.Sqrt(y)/2, 2/y+2/math.Sqrt(y)
	for range 100 {
		if middle := (low + high) / 2; trigamma(middle) > y {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
