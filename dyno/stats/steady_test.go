package stats

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestSteadiness(t *testing.T) {
	flat := levels(1, 30, 0.2, 20)
	warm := slices.Concat(levels(2, 5, 0.2, 30), levels(3, 25, 0.2, 20))
	slow := levels(4, 15, 0.2, 20, 23)
	late := slices.Concat(levels(5, 26, 0.2, 20), levels(6, 4, 0.2, 30))
	spike := slices.Clone(flat)
	spike[14] = 60
	for _, c := range []struct {
		name    string
		signals [][]float64
		want    Steady // Why: a part of it
	}{
		{"nothing", nil, Steady{Kind: TooShort, Signal: -1, Why: "got 0"}},
		{"short", [][]float64{flat[:7]}, Steady{Kind: TooShort, Signal: -1, Why: "need ≥ 8 windows"}},
		{"flat", [][]float64{flat, levels(9, 30, 0.1, 7)}, Steady{Kind: Flat, Signal: -1, Why: "no change in 30 windows"}},
		{"constant", [][]float64{slices.Repeat([]float64{5}, 20)}, Steady{Kind: Flat, Signal: -1, Why: "no change"}},
		{"one spike", [][]float64{spike}, Steady{Kind: Flat, Signal: -1, Why: "no change"}},
		{"warm-up", [][]float64{flat, warm}, Steady{Kind: WarmUp, From: 5, Signal: 1, Changes: []int{5}, Why: "steady from window 5 on: -33."}},
		{"slow-down", [][]float64{slow}, Steady{Kind: SlowDown, From: 15, Changes: []int{15}, Why: "slower from window 15 on than before: +1"}},
		{"late", [][]float64{late}, Steady{Kind: NoSteadyState, From: 30, Changes: []int{26}, Why: "still changing at the end"}},
		{"smaller than matters", [][]float64{levels(7, 15, 0.01, 20, 20.2)}, Steady{Kind: Flat, Signal: -1, Why: "no change"}},
		{"a signal that is missing", [][]float64{slices.Repeat([]float64{math.NaN()}, 30), warm},
			Steady{Kind: WarmUp, From: 5, Signal: 1, Changes: []int{5}, Why: "steady from window 5"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Steadiness(c.signals)
			if got.Kind != c.want.Kind || got.From != c.want.From || got.Signal != c.want.Signal ||
				!slices.Equal(got.Changes, c.want.Changes) || !strings.Contains(got.Why, c.want.Why) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// Seconds that are slower by steps warm up to the last of them.
func TestSteadinessAfterSteps(t *testing.T) {
	x := slices.Concat(levels(1, 6, 0.1, 30, 25), levels(2, 20, 0.1, 20))
	got := Steadiness([][]float64{x})
	if got.Kind != WarmUp || got.From != 12 || !slices.Equal(got.Changes, []int{6, 12}) {
		t.Errorf("got %+v", got)
	}
}
