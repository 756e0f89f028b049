package stats

import "math"

// Effort is what measuring takes, in any unit, such as seconds.
type Effort struct {
	Start float64 `json:"start"` // of each start of the subject: building up, warming up, stopping
	Run   float64 `json:"run"`   // of each run of one start, or each window
}

// Repetitions is a plan: so many starts with so many runs each.
type Repetitions struct {
	Starts int     `json:"starts"`
	Runs   int     `json:"runs"`
	Half   float64 `json:"half"` // half the width of the interval that is to be expected
	Effort float64 `json:"effort"`
}

// maxRepetitions bounds a plan at either level.
const maxRepetitions = 100_000

// Plan finds the repetitions that make the interval of the mean, at the level
// given, no wider than half on either side, with the least effort: Kalibera and
// Jones, "Rigorous Benchmarking in Reasonable Time" (ISMM 2013, section 9.4).
// half is in the unit of the components; if these are of logarithms, 0.01 is
// 1 %. Runs per start are √(Start/Run · Within²/Between²), rounded up, which
// does not depend on half; starts are then as many as it takes, at least two.
// Where restarts don't matter (Between is 0) the cheapest plan of two to twenty
// starts is taken. Starts and runs are at most 100,000.
func (c Components) Plan(effort Effort, half, level float64) Repetitions {
	if c.Between == 0 && c.Within > 0 {
		return c.planRuns(effort, half, level)
	}
	runs := c.runsPerStart(effort)
	starts := smallest(func(n int) bool { return n >= 2 && c.half(n, runs, level) <= half })
	return c.plan(starts, runs, effort, level)
}

// planRuns plans for restarts that don't matter.
func (c Components) planRuns(effort Effort, half, level float64) (best Repetitions) {
	for starts := 2; starts <= 20; starts++ {
		runs := smallest(func(n int) bool { return c.half(starts, n, level) <= half })
		if p := c.plan(starts, runs, effort, level); starts == 2 || p.Effort < best.Effort {
			best = p
		}
	}
	return best
}

func (c Components) plan(starts, runs int, effort Effort, level float64) Repetitions {
	return Repetitions{
		Starts: starts, Runs: runs, Half: c.half(starts, runs, level),
		Effort: float64(starts) * (effort.Start + float64(runs)*effort.Run),
	}
}

// runsPerStart is the number of runs of each start that tells most for an
// effort.
func (c Components) runsPerStart(effort Effort) int {
	if c.Within == 0 || c.Between == 0 || effort.Run <= 0 {
		return 1
	}
	runs := math.Ceil(math.Sqrt(max(effort.Start, 0)/effort.Run) * c.Within / c.Between)
	return int(min(max(runs, 1), maxRepetitions))
}

// half is half the width of the interval of the mean of so many starts.
func (c Components) half(starts, runs int, level float64) float64 {
	variance := c.Between*c.Between + c.Within*c.Within/float64(runs)
	return studentQuantile(float64(starts-1), 1-(1-level)/2) * math.Sqrt(variance/float64(starts))
}

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
