package analysis

import (
	"maps"
	"math"
	"slices"

	"dyno.example/dyno/load/profile"
)

// tryLevels decides again without the starts of either level of one cell; and with all starts of
// each on either one, by what these differ by on average, and by some standard errors less and more.
func (t *turned) tryLevels(source *evidence, doubts []*doubt, compare func(*supposed) (more bool)) {
	if len(doubts) == 1 {
		lower, upper := source.levelsOf(doubts[0])
		compare(&supposed{evidence: source, without: lower})
		compare(&supposed{evidence: source, without: upper})
		if !t.all && !slices.Contains(t.parts, true) {
			return
		}
	}
	left, alone := *t, len(doubts) == 1
	*t = *newTurned(t.out)
	for which := range 1 << min(len(doubts), mostLevels) {
		moved := map[int]map[int]bool{}
		for k, d := range doubts {
			lower, upper := source.levelsOf(d)
			if which>>(k%mostLevels)&1 == 1 {
				lower = upper
			}
			maps.Copy(moved, lower)
		}
		for _, by := range []float64{0, -levelErrors, levelErrors} {
			if !compare(&supposed{evidence: source, moved: moved, by: by}) {
				break
			}
		}
	}
	if alone {
		t.either(&left)
	}
}

// mostLevels is of how many cells with levels all combinations are tried; more go with one of these.
const mostLevels = 4

// levelErrors is how many standard errors of what two levels differ by are tried.
const levelErrors = 2

// levelsOf are the starts of a cell on either of its two levels, by the metric in which these are
// farthest apart for what its starts differ by on either.
func (e *evidence) levelsOf(d *doubt) (lower, upper map[int]map[int]bool) {
	lower, upper = map[int]map[int]bool{}, map[int]map[int]bool{}
	for cell := range d.in {
		s := e.builders[cell]
		metrics := []string{"cpu", "throughput"}
		if s.mode == profile.Open { // its throughput is the schedule's
			metrics[1] = "response.p50"
		}
		farthest := 0.0
		for _, metric := range metrics {
			values := s.measured(metric)
			if len(values) != len(s.blocks) || len(values) < 2 || !positive(values) {
				continue
			}
			split, apart := splitOf(values)
			if apart <= farthest {
				continue
			}
			farthest = apart
			lower[cell], upper[cell] = map[int]bool{}, map[int]bool{}
			for i, block := range s.blocks {
				if values[i] < split {
					lower[cell][block] = true
				} else {
					upper[cell][block] = true
				}
			}
		}
	}
	return lower, upper
}

// splitOf is where the largest gap among values ends, and how wide it is in standard deviations
// of the values on either side.
func splitOf(values []float64) (split, apart float64) {
	sorted := slices.Sorted(slices.Values(values))
	gap, at := 0.0, 1
	for i := 1; i < len(sorted); i++ {
		if g := math.Log(sorted[i] / sorted[i-1]); g > gap {
			gap, at = g, i
		}
	}
	squares := 0.0
	for _, side := range [][]float64{sorted[:at], sorted[at:]} {
		mean := 0.0
		for _, v := range side {
			mean += math.Log(v) / float64(len(side))
		}
		for _, v := range side {
			squares += (math.Log(v) - mean) * (math.Log(v) - mean)
		}
	}
	return sorted[at], gap / (math.Sqrt(squares/float64(max(len(sorted)-2, 1))) + 1e-9)
}
