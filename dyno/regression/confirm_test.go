package regression

import (
	"errors"
	"math"
	"strings"
	"testing"

	"dyno.example/dyno/stats"
)

func TestAnAlarmNeedsTwoRuns(t *testing.T) {
	for _, c := range []struct {
		name         string
		worse, noise float64 // of the second run
		want         Decision
	}{
		{"confirmed", 1.3, 0.005, Regression},
		{"not confirmed", 1, 0.005, OK},
		{"undecided", 1, 0.2, CannotTell},
	} {
		r := JudgePairs(twins(t, 1.2, 0.005), both, asked)
		if subjects, groups := r.Suspects(); len(subjects) != 1 || subjects[0] != "x" || len(groups) != 1 {
			t.Fatalf("suspects %q in %q", subjects, groups)
		}
		second := twins(t, c.worse, c.noise)
		second.Run.ID = "second"
		r.ConfirmPairs(second, both, asked)
		check := r.Checks[0]
		if r.Decision != c.want || check.First == nil || math.Abs(check.First.Estimate-1.2) > 0.02 || len(r.Runs) != 2 || !strings.Contains(check.Sentence.String(), "first run: 20 % higher") {
			t.Errorf("%s: %s, %+v, runs %q", c.name, r.Decision, check, r.Runs)
		}
		if c.want == Regression && math.Abs(check.Ratio.Estimate-1.3) > 0.02 {
			t.Errorf("%s: the figure is %v, not the second run's", c.name, check.Ratio.Estimate)
		}
	}
	gone := JudgePairs(twins(t, 1.2, 0.005), both, asked)
	empty := twins(t, 1, 0.005)
	empty.Groups = nil
	gone.ConfirmPairs(empty, both, asked)
	if gone.Decision != CannotTell || !strings.Contains(gone.Checks[0].Sentence.String(), "could not be confirmed") {
		t.Errorf("%s, %+v", gone.Decision, gone.Checks)
	}
}

// Two runs in stages, neither of which is as certain as its interval says, are an alarm together: that is said where
// the interval would contradict it, and nowhere else.
func TestAnAlarmWhoseIntervalHoldsNoChange(t *testing.T) {
	for _, c := range []struct {
		low      float64
		decision Decision
		said     bool
	}{{0.998, Regression, true}, {1.002, Regression, false}, {0.998, OK, false}, {0.998, CannotTell, false}} {
		check := Check{Group: "g", Subject: "x", Decision: Regression, Ratio: stats.Interval{Estimate: 1.03, Low: 1.01, High: 1.05, Level: 0.95, N: 5}}
		again := check
		again.Decision, again.Ratio.Low = c.decision, c.low
		r := &Result{FalseAlarm: 0.01, Checks: []Check{check}}
		r.confirm(&Result{Checks: []Check{again}})
		if said := r.Checks[0].Sentence.String(); strings.Contains(said, "it takes both runs, which alarm in at most 1 % of the gates") != c.said || !strings.Contains(said, "first run") {
			t.Errorf("%v, %s: %q", c.low, c.decision, said)
		}
	}
}

// What the first run found is not lost if there can be no second.
func TestAnAlarmThatCannotBeConfirmed(t *testing.T) {
	r := JudgePairs(twins(t, 1.2, 0.005), both, asked)
	r.Unconfirmable(errors.New("no space left on device"))
	c := r.Checks[0]
	if r.Decision != CannotTell || c.First == nil || c.Ratio.N == 0 || !strings.Contains(c.Sentence.String(), "could not be confirmed: no space left on device; first run: 20 % higher") {
		t.Errorf("%s, %+v", r.Decision, c)
	}
}

const someHash = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// An alarm is reported with what an unchanged program did at the same time: that it moved too, if it
// did, and that it didn't. Neither changes the decision.
func TestAnUnchangedProgramBesideAnAlarm(t *testing.T) {
	moved := stats.Interval{Estimate: 1.25, Low: 1.2, High: 1.3, Level: 0.95, N: 5}
	for name, c := range map[string]struct {
		worse float64
		twin  stats.Interval
		want  string
	}{
		"it stayed":       {1.3, stats.Interval{Estimate: 1.001, Low: 0.99, High: 1.012, Level: 0.95, N: 5}, "an unchanged program did not move: x@main"},
		"it moved too":    {1.3, moved, "an unchanged program moved too: x@main"},
		"no interval yet": {1.3, stats.Interval{Estimate: 1.25, N: 2}, "too few blocks"},
		"no alarm":        {1, moved, ""},
	} {
		r := JudgePairs(twins(t, 1.2, 0.005), both, asked)
		second := twins(t, c.worse, 0.005)
		second.Run.ID, second.Run.Reference = "second", "x@main"
		second.Groups[0].Twin = map[string]stats.Interval{"cpu": c.twin}
		r.ConfirmPairs(second, both, asked)
		if (r.Decision == Regression) != (c.worse > 1) {
			t.Fatalf("%s: %s", name, r.Decision)
		}
		said := ""
		for _, remark := range r.Remarks {
			said += remark.String() + "\n"
		}
		if c.want == "" && (len(r.Canaries) > 0 || strings.Contains(said, "unchanged")) || !strings.Contains(said, c.want) {
			t.Errorf("%s: %s %+v", name, said, r.Canaries)
		}
		if len(r.Canaries) > 0 && r.Canaries[0].Moved != (name == "it moved too") {
			t.Errorf("%s: %+v", name, r.Canaries)
		}
	}
}
