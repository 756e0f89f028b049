package stats

import (
	"math"
	"testing"
)

func TestFindKnee(t *testing.T) {
	levels := []float64{1, 4, 16, 64, 256}
	for name, c := range map[string]struct {
		values        [][]float64
		at, low, high int
		ok            bool
	}{
		"a plateau":       {[][]float64{{10, 10.1}, {40, 39.9}, {100, 101}, {101, 100}, {100, 100.5}}, 2, 2, 2, true},
		"it falls again":  {[][]float64{{10, 10.1}, {40, 39.9}, {100, 101}, {80, 80.5}, {60, 60.1}}, 2, 2, 2, true},
		"without noise":   {[][]float64{{10, 10}, {40, 40}, {100, 100}, {100, 100}, {100, 100}}, 2, 2, 2, true},
		"still rising":    {[][]float64{{10, 10.1}, {20, 20.1}, {40, 39.9}, {80, 80.1}, {160, 161}}, 4, 4, 4, true},
		"blocks differ":   {[][]float64{{10, 20}, {40, 80}, {100, 201}, {101, 200}, {100, 200}}, 2, 2, 2, true},
		"a value missing": {[][]float64{{10, 10.1}, {40, math.NaN()}, {100, 101}, {101, 100}, {100, 100.5}}, 2, 2, 2, true},
		"a level missing": {[][]float64{{10, 10.1}, {math.NaN(), math.NaN()}, {100, 101}, {101, 100}, {100, 100.5}}, 0, 0, 0, false},
		"no response":     {[][]float64{{10, 10.1}, {0, 40}, {100, 101}, {101, 100}, {100, 100.5}}, 0, 0, 0, false},
		"one block":       {[][]float64{{10}, {40}, {100}, {101}, {100}}, 0, 0, 0, false},
	} {
		k, ok := FindKnee(levels, c.values, 0.95, 0.95, 1)
		if ok != c.ok || ok && (k.At != c.at || k.Low != c.low || k.High != c.high || len(k.Fit) != len(levels)) {
			t.Errorf("%s: %+v, %v", name, k, ok)
		}
	}
	if _, ok := FindKnee(nil, nil, 0.95, 0.95, 1); ok {
		t.Error("a knee of nothing")
	}
}
