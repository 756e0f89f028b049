package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
)

// Subjects that follow a machine by 1.2, 0.6 and 1.2 of what it does are found so.
func TestStates(t *testing.T) {
	follows := []float64{1.2, 0.6, 1.2}
	run := analysistest.Run(3, "a", "b", "c")
	run.Manifest.Reference = "a"
	for i := range run.Trials {
		trial := &run.Trials[i]
		trial.Sliced = &archive.Sliced{Length: 20 * time.Millisecond, Rounds: 30, Arms: 3, Cut: true}
		for round := range 30 {
			state := 0.2 * math.Sin(float64(7*round+trial.Block))
			trial.Slices = append(trial.Slices, archive.Slice{Round: round, Start: int64(round), Requests: 1000, CPU: time.Duration(1e7 * math.Exp(follows[trial.Cell]*state))})
		}
	}
	a, err := analysis.Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	var o options
	r := &Record{}
	if err := o.states(r, a); err != nil || len(r.Results) != 3 {
		t.Fatalf("%v, %+v", err, r.Results)
	}
	for i, want := range follows {
		if got := r.Results[i]; math.Abs(got.Effect-want) > 0.01 || got.Blocks < 2 || !strings.Contains(got.Series, "deviate by 14") {
			t.Errorf("%+v, want %v", got, want)
		}
	}
	if note := r.Results[1].Note; !strings.Contains(note, "over all") || strings.Count(note, "±") != 2 {
		t.Errorf("%q", note)
	}
	if a, err = analysis.Analyse(analysistest.Run(3, "a", "b", "c")); err != nil {
		t.Fatal(err)
	}
	if err := o.states(&Record{}, a); err == nil {
		t.Error("trials follow states")
	}
}
