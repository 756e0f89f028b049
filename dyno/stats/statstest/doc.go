// Package statstest draws what trials and windows on a disturbed machine give,
// with the truth known, and counts how often the methods of package stats are
// right about it. Tests use a few hundred draws, dyno/bench/statistics thousands. The
// same seed gives the same counts.
package statstest

import (
	"fmt"
	"math"
)

// Rate is how often something happened, of how many times.
type Rate struct {
	Count int `json:"count"`
	Of    int `json:"of"`
}

// Add counts another time.
func (r *Rate) Add(happened bool) {
	r.Of++
	if happened {
		r.Count++
	}
}

// Share is the rate as a number from 0 to 1.
func (r Rate) Share() float64 { return float64(r.Count) / float64(r.Of) }

// Interval is the 95 % interval of the share: Wilson's ("Probable Inference, the
// Law of Succession, and Statistical Inference", Journal of the American
// Statistical Association 22, 1927).
func (r Rate) Interval() (low, high float64) {
	const z = 1.959964
	n, p := float64(r.Of), r.Share()
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(middle-half, 0), min(middle+half, 1)
}

// String writes the share in percent with its interval.
func (r Rate) String() string {
	low, high := r.Interval()
	return fmt.Sprintf("%.1f %% (%.1f–%.1f)", 100*r.Share(), 100*low, 100*high)
}
