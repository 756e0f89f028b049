package stats

import (
	"math"
	"slices"

	"dyno.example/internal/i18n"
)

// RankRatio is the ratio of a to b as [Ratio] takes it, pair by pair, by ranks: the
// estimate of Hodges and Lehmann ("Estimates of Location Based on Rank Tests",
// Annals of Mathematical Statistics 34, 1963), which is the median of the means of
// all two pairs' logarithms, and the interval that belongs to Wilcoxon's
// signed-rank test ("Individual Comparisons by Ranking Methods", Biometrics
// Bulletin 1, 1945).
//
// It is exact for any noise that both sides of a ratio have alike, as those of a pair
// then scatter symmetrically, and one trial can't move it far. It is the check beside
// [Ratio], not its replacement: where only one subject has slow starts, the two
// estimate different things: this one the usual start, the geometric mean all starts.
// [Part] says when that matters.
//
// With n pairs there are 2ⁿ orders of signs, so that no interval reaches 95 % with
// fewer than six. The widest is returned then, with the Level that it really gives
// and a Note.
func RankRatio(a, b []float64, level float64) Interval {
	logs := logRatios(a, b)
	n := len(logs)
	if n < 2 {
		return fewLogs(logs)
	}
	walsh := walshMeans(logs)
	k, given := signedRankCut(n, 1-level)
	result := Interval{
		N: n, Estimate: math.Exp(medianOfSorted(walsh)),
		Low: math.Exp(walsh[k-1]), High: math.Exp(walsh[len(walsh)-k]), Level: level,
	}
	if given < level {
		result.Level = given
		result.Note = i18n.New("stats.rank-interval-needs-blocks", "need ≥ %d blocks for a %s interval by ranks", trialsNeeded(level), percent(level))
	}
	return result
}

// walshMeans are the means of all pairs of values, each with itself too, sorted.
func walshMeans(x []float64) []float64 {
	means := make([]float64, 0, len(x)*(len(x)+1)/2)
	for i := range x {
		for j := range i + 1 {
			means = append(means, middle(x[i], x[j]))
		}
	}
	slices.Sort(means)
	return means
}

// signedRankCut returns which of the means from either end are those of the
// interval: the k-th, at least the first, such that the signed-rank statistic is
// below k with a probability of at most alpha/2; and the confidence of that
// interval.
func signedRankCut(n int, alpha float64) (k int, level float64) {
	chances := signedRankChances(n)
	below := 0.0 // that the statistic is below k
	for k < len(chances)/2 && below+chances[k] <= alpha/2 {
		below += chances[k]
		k++
	}
	if k == 0 {
		return 1, 1 - 2*chances[0]
	}
	return k, 1 - 2*below
}

// signedRankChances are the probabilities of the values of Wilcoxon's signed-rank
// statistic from 0 on, without a difference: rank i is added with a chance of one
// half.
func signedRankChances(n int) []float64 {
	chances := make([]float64, n*(n+1)/2+1)
	chances[0] = 1
	for rank, top := 1, 0; rank <= n; rank++ {
		top += rank
		for w := top; w >= 0; w-- {
			without := chances[w] / 2
			if w >= rank {
				without += chances[w-rank] / 2
			}
			chances[w] = without
		}
	}
	return chances
}

// parts of the width of an interval that the estimates of two methods are apart
// before they are said to part, and how far they are apart at least.
const (
	partWidth = 1.0 / 3 // of the half width of the t interval
	partApart = 0.01    // of the ratio
)

// Part reports whether the two intervals of one ratio, that of [Ratio] and that of
// [RankRatio], disagree: the estimates are apart by more than a third of what the first
// leaves open on either side, and by a percent at least. Then starts scatter more to
// one side than to the other, and the figure depends on whether all starts or the usual
// one is meant. Of normal noise one ratio in a hundred parts (TestPart). With fewer
// than six pairs it isn't known.
func Part(ratio, byRank Interval) bool {
	if ratio.Level == 0 || byRank.N < fewPairs || !(ratio.Low > 0) {
		return false
	}
	apart := math.Abs(math.Log(ratio.Estimate / byRank.Estimate))
	return apart > partApart && apart > partWidth*math.Log(ratio.High/ratio.Low)/2
}
