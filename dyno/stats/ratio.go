package stats

import (
	"fmt"
	"math"

	"dyno.example/internal/i18n"
)

// fewPairs is the number of pairs below which a [Ratio] says how little it
// rests on.
const fewPairs = 6

// Ratio returns how many times a is of b: the geometric mean of a[i]/b[i] with
// an interval at the level given. a[i] and b[i] were measured in the same
// block; pairs with a NaN or with a value that is not above zero are left out,
// and N counts those that remain. It panics if the lengths differ.
//
// The interval is Student's t on the logarithms of the ratios, turned back. It
// is exact if those are normally distributed, and errs towards too wide when a
// tenth of the trials are ten times noisier or slower; the bootstrap-t interval
// falls to some 90 % there and is up to twice as wide. TestRatioCoverage keeps
// that honest. Below six pairs the shape of the noise matters most and can be
// seen least, which Note then says. One pair gives an estimate without an
// interval, none gives neither; Level is 0 for both.
func Ratio(a, b []float64, level float64) Interval {
	logs := logRatios(a, b)
	if len(logs) < 2 {
		return fewLogs(logs)
	}
	mean, stderr := pairedError(a, b, logs)
	half := stderr * studentQuantile(float64(len(logs)-1), 1-(1-level)/2)
	result := ratioInterval(len(logs), mean, half, level)
	if len(logs) < fewPairs {
		result.Note = i18n.New("stats.few-blocks", "fewer than %d blocks: right only if the noise is log-normal", fewPairs)
	}
	return result
}

// logRatios returns log(a[i]/b[i]) for the pairs that have one.
func logRatios(a, b []float64) []float64 {
	if len(a) != len(b) {
		panic(fmt.Sprintf("stats: %d values paired with %d", len(a), len(b)))
	}
	var logs []float64
	for i := range a {
		if a[i] > 0 && b[i] > 0 {
			logs = append(logs, math.Log(a[i])-math.Log(b[i]))
		}
	}
	return logs
}

// fewLogs is the estimate without an interval that none or one pair gives.
func fewLogs(logs []float64) Interval {
	if len(logs) == 0 {
		return Interval{Note: i18n.New("stats.no-positive-pair", "no pair of values above zero")}
	}
	return pointRatio(1, logs[0], i18n.New("stats.two-blocks-needed", "need ≥ 2 blocks for an interval"))
}

// pointRatio is a ratio without an interval, and why.
func pointRatio(n int, log float64, why i18n.Message) Interval {
	ratio := math.Exp(log)
	return Interval{N: n, Estimate: ratio, Low: ratio, High: ratio, Note: why}
}

// ratioInterval turns a mean of logarithms and half its interval into a ratio.
func ratioInterval(n int, mean, half, level float64) Interval {
	return Interval{
		N: n, Estimate: math.Exp(mean), Low: math.Exp(mean - half), High: math.Exp(mean + half), Level: level,
	}
}

// pairedP is the two-sided p-value of "a and b differ by no factor", the test
// that belongs to the interval of [Ratio], and whether a is the higher. It is
// not ok with fewer than two pairs.
func pairedP(a, b []float64) (p float64, higher, ok bool) {
	logs := logRatios(a, b)
	if len(logs) < 2 {
		return 1, false, false
	}
	mean, stderr := pairedError(a, b, logs)
	if mean == 0 {
		return 1, false, true
	}
	return studentTwoSided(float64(len(logs)-1), mean/stderr), mean > 0, true
}
