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

// A subject whose requests cost 4 % more in the first part of its slices is found so, also against one that has 1 %.
func TestSettling(t *testing.T) {
	run := analysistest.Run(3, "a", "b")
	run.Manifest.Reference = "a"
	for i := range run.Trials {
		trial := &run.Trials[i]
		trial.Sliced = &archive.Sliced{Length: 20 * time.Millisecond, First: 10 * time.Millisecond, Rounds: 1, Arms: 2, Cut: true}
		more := []float64{1.01, 1.04}[trial.Cell]
		first := time.Duration(50_000 * more)
		trial.Slices = []archive.Slice{{Requests: 100, CPU: first + 50_000, FirstRequests: 50, FirstCPU: first}}
	}
	a, err := analysis.Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	var o options
	r := &Record{}
	if err := o.settling(r, a); err != nil || len(r.Results) != 2 {
		t.Fatalf("%v, %+v", err, r.Results)
	}
	for i, want := range []float64{1.01, 1.04} {
		if got := r.Results[i]; math.Abs(got.Effect-want) > 1e-4 || got.Blocks < 2 {
			t.Errorf("%+v, want %v", got, want)
		}
	}
	if note := r.Results[1].Note; !strings.Contains(note, "+4.00 %") || !strings.Contains(note, "against a +2.97 %") {
		t.Errorf("%q", note)
	}
	if a, err = analysis.Analyse(analysistest.Run(3, "a", "b")); err != nil {
		t.Fatal(err)
	}
	if err := o.settling(&Record{}, a); err == nil {
		t.Error("trials have a first part")
	}
}
