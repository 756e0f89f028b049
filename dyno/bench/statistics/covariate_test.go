package main

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/study"
)

// Where cost goes with the speed of the machine beside each slice, knowing that makes intervals
// narrower; where it doesn't, they are as they were.
func TestCovariate(t *testing.T) {
	made := func(follows bool) *archive.Run {
		run := &archive.Run{}
		run.Manifest.ID = "x"
		run.Manifest.Plan.Cells = []study.Cell{{Subject: "a"}, {Subject: "b"}}
		r := rand.New(rand.NewPCG(1, 1))
		for block := range 6 {
			for cell := range 2 {
				trial := archive.Trial{PlannedTrial: study.PlannedTrial{Cell: cell, Block: block}, Status: archive.Complete, Sliced: &archive.Sliced{Rounds: 80}}
				for round := range 80 {
					slower := 1 + 0.4*r.Float64()
					cost := 10_000 * (1 + 0.02*r.NormFloat64())
					if follows {
						cost *= slower
					}
					trial.Slices = append(trial.Slices, archive.Slice{Round: round, Requests: 100, CPU: time.Duration(100 * cost), Speed: time.Duration(20_000 * slower)})
				}
				run.Trials = append(run.Trials, trial)
			}
		}
		return run
	}
	var o options
	for follows, fits := range map[bool]func(float64) bool{
		true:  func(x float64) bool { return x < 0.5 },
		false: func(x float64) bool { return x == 1 },
	} {
		r := &Record{}
		if err := o.covariate(r, made(follows)); err != nil {
			t.Fatal(err)
		}
		if len(r.Results) != 1 || !fits(r.Results[0].Effect) || strings.Contains(r.Markdown(), "NaN") {
			t.Errorf("cost goes with the speed: %v: %+v", follows, r.Results)
		}
	}
	if err := o.covariate(&Record{}, &archive.Run{}); err == nil {
		t.Error("a run without slices has something to say")
	}
}
