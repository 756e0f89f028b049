package stats

import (
	"cmp"
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

// Limits of the search for changes.
const (
	maxSeries   = 500 // points of a series that are looked at, the last ones
	leastSeries = 6   // below which there is too little to know the noise by
	leastLevel  = 2   // values of a level: a single one is an outlier
	passingPart = 0.1 // of the error that goes to levels that pass
	mostDrawn   = 20_000
	enoughDrawn = 20 // as large by chance: by then the p-value is known
)

// ChangeP is the p-value of there being no change in a series: the probability that
// chance alone makes one look as much like it as the best place in this one does. It
// is 1 with fewer than six values; it can't be below 1/18,000. The same seed gives the
// same value.
//
// Series of runs, one a night, are like their neighbours: the state of the machine
// lasts for some days. So a permutation test, which takes values between changes as
// exchangeable, alarms far too often, and one of whole blocks has too few orders of
// them where there are thirty runs. Here a change is a step in the mean of a
// first-order autoregression: the series is whitened by the correlation of what is left
// when the step is taken away, and the test statistic is the largest t of any place for
// the step. Its distribution is drawn from the same model without a step, with the
// innovations that were found (a residual bootstrap: Freedman, "Bootstrapping
// Regression Models", Annals of Statistics 9, 1981), so that it need not be normal. As
// the step does not count among what is drawn from, the first two runs after it can
// show it.
//
// A few values say little of a correlation, and with a step at its best place they
// say too small a one. So the estimate is corrected by what simulations of such series
// give, drawn towards 0.4 as if by twelve values more, and raised by half of its own
// standard error. What other series of the same nights say of it ([AlikeOf]) counts as
// more values of this one; of none the zero Alike. How often there is a false alarm nevertheless is simulated by
// dyno/bench/statistics -what history.
//
// A level that came and passed again is looked for as well, with a tenth of the error.
func ChangeP(x []float64, alike Alike, seed uint64) float64 {
	x = x[max(0, len(x)-maxSeries):]
	return bestChange(x, alike, seed).p
}

// ChangePoints finds the places where the level of a series changes, in their order:
// the best one if its p-value, see [ChangeP], is at most p, and so on in what lies on
// either side of it. Of more than 500 values the last 500 are looked at. The very last
// value is believed only when another confirms it. The same seed gives the same
// changes.
func ChangePoints(x []float64, alike Alike, p float64, seed uint64) []Change {
	skipped := max(0, len(x)-maxSeries)
	x = x[skipped:]
	var all []Change
	var divide func(from, to int)
	divide = func(from, to int) {
		found := bestChange(x[from:to], alike, seed)
		if found.p > p {
			return
		}
		ends := []int{from}
		for _, at := range found.at {
			all = append(all, Change{Index: from + at, P: found.p})
			ends = append(ends, from+at)
		}
		ends = append(ends, to)
		for i := range len(ends) - 1 {
			divide(ends[i], ends[i+1])
		}
	}
	divide(0, len(x))
	slices.SortFunc(all, func(a, b Change) int { return cmp.Compare(a.Index, b.Index) })
	for i := range all {
		from, to := 0, len(x)
		if i > 0 {
			from = all[i-1].Index - skipped
		}
		if i+1 < len(all) {
			to = all[i+1].Index
		}
		at := all[i].Index
		all[i].Before, all[i].After = medianOf(x[from:at]), medianOf(x[at:to])
		all[i].Index += skipped
	}
	return all
}

// foundChange is the best change of a series: at one place, or at the two ends of a
// level that passed.
type foundChange struct {
	at []int
	p  float64
}

// bestChange looks for a step, and for a level that passed.
func bestChange(x []float64, alike Alike, seed uint64) foundChange {
	none := foundChange{p: 1}
	if len(x) < leastSeries || slices.Min(x) == slices.Max(x) {
		return none
	}
	best := none
	for kind, error := range []float64{1 - passingPart, passingPart} {
		s := levelScan{passing: kind == 1, alike: alike}
		if at, p := s.test(x, rand.New(rand.NewPCG(seed, uint64(kind)))); p/error < best.p {
			best = foundChange{at, p / error}
		}
	}
	return best
}
