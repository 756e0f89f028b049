package stats

import (
	"math"
	"slices"
)

// Modes is a division of values into a lower and an upper group.
type Modes struct {
	Below int     // how many of the sorted values are in the lower group
	Score float64 // how far the groups' means are apart, in standard errors by what values of one group differ
	Limit float64 // above which one in a hundred samples of normal noise comes
}

// Apart reports whether the groups are farther apart than chance makes them.
func (m Modes) Apart() bool { return m.Score > m.Limit }

// SplitModes divides values where the two groups differ most, relative to what those of
// one group differ by, with at least so many values in either: the likelihood ratio
// test of one normal distribution against two of equal spread (Engelman and
// Hartigan, "Percentage Points of a Test for Clusters", Journal of the American
// Statistical Association 64, 1969).
func SplitModes(values []float64, each int) Modes {
	x := slices.Sorted(slices.Values(values))
	n := len(x)
	best := Modes{Limit: splitLimit(n)}
	if n < max(2*each, 4) {
		return best
	}
	mean, stderr := meanAndError(x)
	all := stderr * stderr * float64(n) * float64(n-1)
	low := 0.0
	for k := 1; k <= n-each; k++ {
		low += x[k-1] - mean
		if k < each {
			continue
		}
		between := low * low * (1/float64(k) + 1/float64(n-k))
		within := max(all-between, 1e-12*all)
		if score := math.Sqrt(between / within * float64(n-2)); score > best.Score {
			best.Below, best.Score = k, score
		}
	}
	return best
}

// splitLimits are the 99 % points of the score of n normally distributed values,
// simulated with 60,000 samples each (TestSplitLimits repeats it in short). With the
// number of values they come to grow as its root.
var splitLimits = []struct{ n, limit float64 }{
	{4, 26.6}, {5, 14.7}, {6, 11.4}, {7, 10.2}, {8, 9.6}, {10, 9.0}, {12, 8.9}, {16, 9.05}, {20, 9.45}, {25, 9.95}, {30, 10.4}, {50, 12.3},
}

func splitLimit(n int) float64 {
	size := float64(n)
	for i := 1; i < len(splitLimits); i++ {
		from, to := splitLimits[i-1], splitLimits[i]
		if size <= to.n {
			return from.limit + (max(size, from.n)-from.n)/(to.n-from.n)*(to.limit-from.limit)
		}
	}
	// Half of a normal distribution against the other half, and what chance adds.
	last := splitLimits[len(splitLimits)-1]
	root := math.Sqrt(2 / (math.Pi - 2))
	return last.limit + root*(math.Sqrt(size)-math.Sqrt(last.n))
}

// ModeMissed is the probability that none of n starts is of a kind that so large a
// share of starts is of: no figure that is computed from them can show it.
func ModeMissed(share float64, n int) float64 { return math.Pow(1-share, float64(n)) }

// ModeExcluded is the smallest share of starts of another kind that n starts, none
// of which is of it, rule out at the level given.
func ModeExcluded(n int, level float64) float64 {
	if n < 1 {
		return 1
	}
	return 1 - math.Pow(1-level, 1/float64(n))
}
