// Package stats holds the lab's statistics: pure functions over numbers, no
// clock, no files, no hidden randomness. What is random takes a seed, and the
// same seed gives the same bits.
//
// Its opinion is that of the lab, and its assumptions are few but real:
//
//   - The unit of observation is the trial, one value for each start of the
//     subject. Requests and seconds of one trial share its plateau and would
//     make any interval look far narrower than it is.
//   - Trials of a subject are independent and equally distributed. Randomised
//     blocks make that fair to assume; nothing here can check it.
//   - Noise is multiplicative: a disturbance costs a share, not an amount. So
//     comparisons are ratios, taken within a block, where what disturbed one
//     disturbed the other too, and averaged on the log scale.
//   - A single subject is described by its median, which one bad trial can't
//     move far, with an interval that assumes no shape ([Median]). A comparison
//     is the geometric mean of the paired ratios with Student's t on the log
//     scale ([Ratio]); its coverage under heavy tails is simulated in the tests.
//   - With too few trials for the level wanted, the result says so instead of
//     inventing one.
//
// All values given must be finite; where a value may be missing, NaN stands for
// it, and the function says so.
package stats

import "dyno.example/internal/i18n"

// Interval is an estimate with its uncertainty.
type Interval struct {
	N        int          `json:"n"`             // trials it rests on
	Estimate float64      `json:"estimate"`      // median, or geometric mean for ratios
	Low      float64      `json:"low"`           // NaN-free: equals Estimate when N < 2
	High     float64      `json:"high"`          //
	Level    float64      `json:"level"`         // confidence really given, such as 0.95; 0 when none can be
	Note     i18n.Message `json:"note,omitzero"` // why Level is not what was asked, such as "need ≥ 6 trials"
}

// Contains reports whether x lies within the interval, ends included.
func (i Interval) Contains(x float64) bool { return i.Low <= x && x <= i.High }
