// Package stats holds the lab's statistics: pure functions over numbers, no
// clock, no files, no hidden randomness.
package stats

// Interval is an estimate with its uncertainty.
type Interval struct {
	N        int     `json:"n"`              // trials it rests on
	Estimate float64 `json:"estimate"`       // median, or geometric mean for ratios
	Low      float64 `json:"low"`            // NaN-free: equals Estimate when N < 2
	High     float64 `json:"high"`           //
	Level    float64 `json:"level"`          // confidence really given, such as 0.95; 0 when none can be
	Note     string  `json:"note,omitempty"` // why Level is not what was asked, such as "need ≥ 6 trials"
}
