package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// mass is a value a statistic takes and the probability that it does.
type mass struct{ value, p float64 }

// bootstrapMedian returns the exact distribution of the median of a bootstrap
// sample, by value: of len(sorted) values drawn with replacement from sorted.
// Each value is drawn with the same chance, so the distribution of the drawn
// order statistics is that of binomial counts (Efron, "Bootstrap Methods:
// Another Look at the Jackknife", Annals of Statistics 7, 1979, section 3, for
// odd sizes; the joint distribution of the two middle ones for even sizes).
func bootstrapMedian(sorted []float64) []mass {
	if len(sorted)%2 == 1 {
		return oddMedian(sorted)
	}
	return evenMedian(sorted)
}

func oddMedian(sorted []float64) []mass {
	n := len(sorted)
	masses := make([]mass, n)
	for i, v := range sorted {
		masses[i] = mass{v, drawnOrder(n, n/2+1, i+1)}
	}
	return masses
}

// evenMedian goes through all pairs the two middle values can be. They are the
// i-th and a later j-th given if exactly half the draws end at the i-th and the
// other half begin at the j-th.
func evenMedian(sorted []float64) []mass {
	n := len(sorted)
	half := n / 2
	ways := logChoose(n, half)
	masses := make([]mass, 0, n*(n+1)/2)
	for i := 1; i <= n; i++ {
		both := drawnOrder(n, half, i) // less what follows: both middle values are the i-th
		for j := i + 1; j <= n; j++ {
			p := math.Exp(ways + logExtreme(n, half, i) + logExtreme(n, half, n-j+1))
			if low, high := sorted[i-1], sorted[j-1]; apart(low, high) { // anywhere: it counts at both ends
				masses = append(masses, mass{low, p}, mass{high, p})
			} else {
				masses = append(masses, mass{middle(low, high), p})
			}
			both -= p
		}
		masses = append(masses, mass{sorted[i-1], max(both, 0)})
	}
	slices.SortFunc(masses, func(a, b mass) int { return cmp.Compare(a.value, b.value) })
	return masses
}

// drawnOrder is the probability that the k-th smallest of n draws is the i-th
// smallest of the n values drawn from, both counted from 1.
func drawnOrder(n, k, i int) float64 { return atLeast(n, k, i) - atLeast(n, k, i-1) }

// atLeast is the probability that k or more of n draws are among i of n values:
// a binomial tail, written as an incomplete beta function.
func atLeast(n, k, i int) float64 {
	return mathext.RegIncBeta(float64(k), float64(n-k+1), float64(i)/float64(n))
}

// logExtreme is the logarithm of the probability that the extreme of k draws
// from n values is the i-th, counted from the other end.
func logExtreme(n, k, i int) float64 {
	count := float64(k)
	return count*math.Log(float64(i)/float64(n)) + math.Log1p(-math.Pow(float64(i-1)/float64(i), count))
}

// logChoose is the logarithm of the binomial coefficient.
func logChoose(n, k int) float64 {
	all, _ := math.Lgamma(float64(n + 1))
	in, _ := math.Lgamma(float64(k + 1))
	out, _ := math.Lgamma(float64(n - k + 1))
	return all - in - out
}

// bootstrapEnds returns the values that cut off the share tail at either end.
func bootstrapEnds(masses []mass, tail float64) (low, high float64) {
	first := func(seq func(func(int, mass) bool)) (end float64) {
		sum := 0.0
		for _, m := range seq {
			end = m.value
			if sum += m.p; sum > tail {
				break
			}
		}
		return end
	}
	return first(slices.All(masses)), first(slices.Backward(masses))
}
