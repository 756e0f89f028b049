package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestTrendOf(t *testing.T) {
	line := func(n int, at func(i int) float64) []float64 {
		var values []float64
		for i := range n {
			values = append(values, at(i))
		}
		return values
	}
	for name, c := range map[string]struct {
		values   []float64
		slope    float64
		change   float64
		trending bool
	}{
		"too short":    {[]float64{1, 2, 3}, 0, 0, false},
		"flat":         {line(12, func(int) float64 { return 7 }), 0, 0, false},
		"rising":       {line(11, func(i int) float64 { return 100 + 2*float64(i) }), 2, 0.2, true},
		"falling":      {line(11, func(i int) float64 { return 100 - 2*float64(i) }), -2, -0.2, true},
		"from nothing": {line(11, func(i int) float64 { return float64(i) }), 1, 0, true},
		"one outlier": {line(11, func(i int) float64 {
			if i == 5 {
				return 1e6
			}
			return 100 + 2*float64(i)
		}), 2, 0.2, true},
		"up and down": {line(12, func(i int) float64 { return float64(i % 2) }), 0, 0, false},
	} {
		got := TrendOf(c.values)
		if math.Abs(got.Slope-c.slope) > 1e-9 || math.Abs(got.Change-c.change) > 1e-9 || (got.P < 0.01) != c.trending {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// With independent values the test keeps its promise.
func TestTrendOfFalseAlarms(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const rounds = 4000
	alarms := 0
	for range rounds {
		values := make([]float64, 12)
		for i := range values {
			values[i] = math.Exp(r.NormFloat64())
		}
		if TrendOf(values).P < 0.05 {
			alarms++
		}
	}
	if share := float64(alarms) / rounds; share > 0.06 {
		t.Errorf("a trend in %.1f %% of series without one", 100*share)
	}
}
