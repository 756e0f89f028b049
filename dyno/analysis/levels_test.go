package analysis

import (
	"testing"

	"dyno.example/dyno/load/profile"
)

// Starts are told apart by the metric whose levels they are: that of a load with a rate may be in
// its response times alone.
func TestLevelsAreThoseOfTheMetric(t *testing.T) {
	s := &cellBuilder{mode: profile.Open, blocks: []int{0, 1, 2, 3, 4, 5}}
	s.Trials = []int{0, 1, 2, 3, 4, 5}
	s.Values = map[string][]float64{
		"cpu":          {10, 10.3, 9.8, 10.1, 10.6, 9.9},
		"response.p50": {1295, 1450, 1301, 1457, 1449, 1290},
	}
	e := &evidence{builders: []*cellBuilder{s}}
	lower, upper := e.levelsOf(&doubt{in: map[int]map[int]float64{0: {0: 1}}})
	for block, isUpper := range []bool{false, true, false, true, true, false} {
		if upper[0][block] != isUpper || lower[0][block] == isUpper {
			t.Errorf("block %d: lower %v, upper %v", block, lower[0][block], upper[0][block])
		}
	}
}
