package stats

import "math"

// maxRepetitions bounds a plan.
const maxRepetitions = 100_000

// BlocksFor is the smallest number of blocks in which a ratio, such as 1.03, or
// one smaller by as much, is found with the probability power: the inverse of
// [DetectableRatio], with the same assumptions. It is 0 for a ratio of 1, which
// none find, and for one that would take more than 100,000 blocks.
func BlocksFor(ratio, deviation, level, power float64) int {
	effect := math.Exp(math.Abs(math.Log(ratio)))
	enough := func(n int) bool { return n >= 2 && DetectableRatio(deviation, n, level, power) <= effect }
	if effect == 1 || !enough(maxRepetitions) {
		return 0
	}
	return smallest(enough)
}

// smallest is the smallest number from 1 to maxRepetitions of which enough is
// true, or maxRepetitions; enough stays true once it is.
func smallest(enough func(int) bool) int {
	low, high := 0, 1
	for high < maxRepetitions && !enough(high) {
		low, high = high, min(2*high, maxRepetitions)
	}
	for high-low > 1 {
		if middle := (low + high) / 2; enough(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}
