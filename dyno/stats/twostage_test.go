package stats_test

import (
	"fmt"
	"math"
	"testing"

	"dyno.example/dyno/stats"
	"dyno.example/dyno/stats/statstest"
)

// What is the same alarms in no more than the share promised, what is as much worse as was
// asked about is hardly ever called clear, and both take few pairs.
func TestTwoStageRates(t *testing.T) {
	plan := stats.NewTwoStage(1.03, 0.01, 0.04, 12)
	for _, c := range []struct {
		deviation, truth float64
		alarms, clear    [2]float64 // shares at least and at most
		pairs            float64    // of both stages, on average, at most
	}{
		{0.02, 1, [2]float64{0, 0.01}, [2]float64{0.9, 1}, 8},
		{0.02, 1.03, [2]float64{0.95, 1}, [2]float64{0, 0.04}, 12},
		{0.01, 1, [2]float64{0, 0.01}, [2]float64{0.98, 1}, 5},
		{0.01, 1.03, [2]float64{0.95, 1}, [2]float64{0, 0.04}, 8},
		{0.02, 1.1, [2]float64{0.98, 1}, [2]float64{0, 0.01}, 7},
		{0.02, 0.9, [2]float64{0, 0.001}, [2]float64{0.999, 1}, 4},
		{0.05, 1, [2]float64{0, 0.01}, [2]float64{0, 1}, 24},
		{0.05, 1.03, [2]float64{0, 1}, [2]float64{0, 0.04}, 24},
	} {
		t.Run(fmt.Sprintf("%v at %v", c.truth, c.deviation), func(t *testing.T) {
			o := statstest.TwoStages(plan, c.deviation, c.truth, 4000, 1)
			alarmsLow, alarmsHigh := o.Alarms.Interval()
			clearLow, clearHigh := o.Clear.Interval()
			if alarmsHigh < c.alarms[0] || alarmsLow > c.alarms[1] || clearHigh < c.clear[0] || clearLow > c.clear[1] || o.Pairs > c.pairs {
				t.Errorf("alarms %s, clear %s, %.1f pairs", o.Alarms, o.Clear, o.Pairs)
			}
			t.Logf("alarms %s, clear %s, %.1f pairs", o.Alarms, o.Clear, o.Pairs)
		})
	}
}

// Nothing alarms without a second stage, nor about what is certain and small.
func TestTwoStageDecides(t *testing.T) {
	plan := stats.NewTwoStage(1.03, 0.01, 0.04, 6)
	worse := []float64{0.03, 0.031, 0.029, 0.03, 0.0305, 0.0295}
	for _, c := range []struct {
		name          string
		first, second []float64
		want          stats.Stand
		stage         int
	}{
		{"nothing yet", nil, nil, stats.Open, 1},
		{"one pair", worse[:1], nil, stats.Open, 1},
		{"certain in the first", worse, nil, stats.Open, 2},
		{"in both", worse, worse, stats.Above, 2},
		{"not in the second", worse, []float64{0, 0.001, -0.001, 0.0002, 0}, stats.Clear, 2},
		{"certain, and less than half of what was asked", []float64{0.008, 0.0081, 0.0079, 0.008}, nil, stats.Clear, 1},
		{"too noisy", []float64{0.2, -0.2, 0.2, -0.2, 0.3, -0.2}, nil, stats.Spent, 1},
		{"better", []float64{-0.1, -0.11, -0.1}, nil, stats.Clear, 1},
	} {
		if s := plan.Decide(c.first, c.second); s.Stand != c.want || s.Stage != c.stage {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
	s := plan.Decide([]float64{0.01, -0.01, 0.02}, nil)
	if s.Stand != stats.Open || math.Abs(s.Deviation-0.0153) > 0.001 || s.MoreIfSame < 1 || s.MoreIfAsked < 1 {
		t.Errorf("%+v", s)
	}
}

// The interval holds the ratio at all looks together.
func TestTwoStageRatio(t *testing.T) {
	plan := stats.NewTwoStage(1.03, 0.01, 0.04, 12)
	r := statstest.Seeded(1)
	var held statstest.Rate
	for range 4000 {
		var logs []float64
		holds := true
		for range plan.Most {
			logs = append(logs, math.Log(1.02)+0.02*r.NormFloat64())
			if i := plan.Ratio(logs); i.Level > 0 {
				holds = holds && i.Contains(1.02)
			}
		}
		held.Add(holds)
	}
	if low, high := held.Interval(); low > 0.95+0.005 || high < 0.95-0.005 {
		t.Errorf("%s hold the ratio", held)
	}
	if i := plan.Ratio([]float64{0.1}); i.Level != 0 || i.Note.IsZero() {
		t.Errorf("of one pair: %+v", i)
	}
}
