package regression

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestAnAlarmNeedsTwoRuns(t *testing.T) {
	for _, c := range []struct {
		name         string
		worse, noise float64 // of the second run
		want         Verdict
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
		if r.Verdict != c.want || check.First == nil || math.Abs(check.First.Estimate-1.2) > 0.02 || len(r.Runs) != 2 || !strings.Contains(check.Sentence.String(), "first run: 20 % higher") {
			t.Errorf("%s: %s, %+v, runs %q", c.name, r.Verdict, check, r.Runs)
		}
		if c.want == Regression && math.Abs(check.Ratio.Estimate-1.3) > 0.02 {
			t.Errorf("%s: the figure is %v, not the second run's", c.name, check.Ratio.Estimate)
		}
	}
	gone := JudgePairs(twins(t, 1.2, 0.005), both, asked)
	empty := twins(t, 1, 0.005)
	empty.Groups = nil
	gone.ConfirmPairs(empty, both, asked)
	if gone.Verdict != CannotTell || !strings.Contains(gone.Checks[0].Sentence.String(), "could not be confirmed") {
		t.Errorf("%s, %+v", gone.Verdict, gone.Checks)
	}
}

// What the first run found is not lost if there can be no second.
func TestAnAlarmThatCannotBeConfirmed(t *testing.T) {
	r := JudgePairs(twins(t, 1.2, 0.005), both, asked)
	r.Unconfirmable(errors.New("no space left on device"))
	c := r.Checks[0]
	if r.Verdict != CannotTell || c.First == nil || c.Ratio.N == 0 || !strings.Contains(c.Sentence.String(), "could not be confirmed: no space left on device; first run: 20 % higher") {
		t.Errorf("%s, %+v", r.Verdict, c)
	}
}

const someHash = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
