package stats

import "math"

// Components is where repetitions of one measurement differ: between starts of the
// subject, and between runs of one start.
type Components struct {
	Starts  int     `json:"starts"`
	Runs    int     `json:"runs"`    // of each start
	Within  float64 `json:"within"`  // standard deviation of runs about the mean of their start
	Between float64 `json:"between"` // standard deviation of starts about the mean of all, less what Within makes of it
}

// SplitVariance estimates the components of values[start][run] by the unbiased
// estimators of Kalibera and Jones, "Rigorous Benchmarking in Reasonable Time"
// (ISMM 2013, section 9.2), for two levels: the variance of the means of starts,
// less the share of it that is due to the runs that each is the mean of. Where
// that comes out below zero, starts differ by no more than runs do, and Between
// is 0. It is not ok with fewer than two starts or runs, or if not all starts
// have the same number of runs.
func SplitVariance(values [][]float64) (c Components, ok bool) {
	c.Starts = len(values)
	if c.Starts < 2 || len(values[0]) < 2 {
		return c, false
	}
	c.Runs = len(values[0])
	within := 0.0
	means := make([]float64, c.Starts)
	for i, runs := range values {
		if len(runs) != c.Runs {
			return c, false
		}
		mean, stderr := meanAndError(runs)
		means[i] = mean
		within += stderr * stderr * float64(c.Runs) / float64(c.Starts)
	}
	_, stderr := meanAndError(means)
	between := stderr*stderr*float64(c.Starts) - within/float64(c.Runs)
	c.Within, c.Between = math.Sqrt(within), math.Sqrt(max(between, 0))
	return c, true
}

// Trial is the standard deviation of trials: single runs, each of a start of its
// own.
func (c Components) Trial() float64 { return math.Hypot(c.Within, c.Between) }
