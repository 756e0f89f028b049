package analysis

import (
	"testing"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/study"
)

func TestFailuresAreAFewOfEachKind(t *testing.T) {
	var trials []archive.Trial
	for i := range 30 {
		trial := archive.Trial{PlannedTrial: study.PlannedTrial{Index: i}}
		for range 3 {
			trial.Failures = append(trial.Failures, measure.Failure{Kind: "expect"}, measure.Failure{Kind: "status"})
		}
		trials = append(trials, trial)
	}
	got := failures(trials)
	if len(got) != maxFailures {
		t.Fatalf("%d failures", len(got))
	}
	for i, f := range got {
		if want := []string{"expect", "status"}[i%2]; f.Kind != want || f.Trial != i/(2*failuresPerKind) {
			t.Errorf("failure %d is %+v", i, f)
		}
	}
	if failures(trials[:0]) != nil {
		t.Error("failures of nothing")
	}
}
