package regression

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/baseline"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/regression/threshold"
	"dyno.example/internal/i18n"
)

// errorsOf is the check of errors.
func errorsOf(t *testing.T, r *Result) *Check {
	t.Helper()
	at := slices.IndexFunc(r.Checks, func(c Check) bool { return c.Metric == "errors" })
	if at < 0 {
		t.Fatalf("errors are not checked: %+v, %q", r.Checks, r.Remarks)
	}
	return &r.Checks[at]
}

// A version that fails requests which the old one serves is worse, whatever else was asked
// about, and none of its other figures is good.
func TestAVersionThatFailsIsWorse(t *testing.T) {
	stored, err := baseline.New("main", twins(t, 1, 0.005), someHash)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		old, new  []float64 // percent, by turns
		named     float64   // what is allowed, if somebody named it
		want      Decision  // of errors
		says      string
		remark    string
		cpu       Decision
		unchecked bool
	}{
		{name: "none", want: OK, says: "x fails 0 % of its requests, x@main 0 %; 0.5 points more are allowed", cpu: OK},
		{name: "a few", new: []float64{0.1, 0.2}, want: OK, cpu: OK},
		{name: "many", new: []float64{15, 14, 15.5}, want: Regression, says: "points more", cpu: CannotTell},
		{name: "many, in one restart of six", new: []float64{20, 0, 0, 0, 0, 0}, want: CannotTell, says: "can't tell: x fails 3.33 %", cpu: CannotTell},
		{name: "many in both", old: []float64{15, 14}, new: []float64{14, 15}, want: OK, cpu: OK, remark: "both versions fail requests"},
		{name: "the old one", old: []float64{4}, want: OK, says: "4 points fewer", cpu: OK},
		{name: "fewer than allowed by name", new: []float64{15, 14}, named: 0.2, want: OK, says: "20 points more are allowed", cpu: OK},
		{name: "more than allowed by name", new: []float64{0.4, 0.3}, named: 0.001, want: Regression, says: "0.1 points more are allowed", cpu: CannotTell},
		{name: "perhaps more than allowed by name", new: []float64{0.2, 0, 0, 0, 0, 0}, named: 0.001, want: CannotTell, cpu: CannotTell},
	} {
		o := asked
		if c.named > 0 {
			o.Thresholds = append(slices.Clone(o.Thresholds), threshold.Threshold{Metric: "errors", Change: c.named})
		}
		a := twins(t, 1, 0.005)
		setErrors(a, 0, c.new)
		setErrors(a, 1, c.old)
		for mode, r := range map[Mode]*Result{Against: JudgePairs(a, both, o), Baseline: JudgeStored(a, stored, o)} {
			if mode == Baseline && c.old != nil {
				continue
			}
			got := errorsOf(t, r)
			says := strings.ReplaceAll(c.says, "x@main", map[Mode]string{Against: "x@main", Baseline: "the baseline"}[mode])
			if got.Decision != c.want || !strings.Contains(got.Sentence.String(), says) || r.Checks[0].Decision != c.cpu {
				t.Errorf("%s, %s: %+v, want %s; CPU %+v", c.name, mode, got, c.want, r.Checks[0])
			}
			if (c.remark != "") != strings.Contains(i18n.List("\n", r.Remarks...).String(), "both versions fail") {
				t.Errorf("%s, %s: remarks %q", c.name, mode, r.Remarks)
			}
		}
	}
}

func setErrors(a *analysis.Analysis, cell int, to []float64) {
	if to == nil {
		to = []float64{0}
	}
	setAll(a, cell, "errors", to...)
}

// A version that dies is worse, though nothing else of it can be measured; one that
// both die of is not.
func TestAVersionThatDiesIsWorse(t *testing.T) {
	for _, c := range []struct {
		name     string
		old, new int // trials in which it died
		want     Decision
	}{
		{"the new one, always", 0, 6, Regression},
		{"the new one, mostly", 0, 5, Regression},
		{"the new one, once", 0, 1, CannotTell},
		{"both", 6, 6, OK},
	} {
		a := twins(t, 1, 0.005)
		dies(&a.Groups[0].Cells[0], c.new)
		dies(&a.Groups[0].Cells[1], c.old)
		r := JudgePairs(a, both, asked)
		if got := errorsOf(t, r); got.Decision != c.want || c.new > 0 && !strings.Contains(got.Sentence.String(), "failed as a whole in") {
			t.Errorf("%s: %+v", c.name, got)
		}
		if c.new > 1 && r.Checks[0].Decision == OK {
			t.Errorf("%s: CPU is well: %+v", c.name, r.Checks[0])
		}
	}
}

// dies makes a cell's first trials such as its subject failed in.
func dies(c *analysis.Cell, n int) {
	n = min(n, len(c.Trials))
	all := n == len(c.Trials)
	c.Failed, c.Trials = append(c.Failed, c.Trials[:n]...), c.Trials[n:]
	for name, values := range c.Values {
		if c.Values[name] = values[n:]; all {
			delete(c.Values, name)
		}
	}
}

func TestErrorsThatAreAccepted(t *testing.T) {
	a := twins(t, 1, 0.005)
	a.Run.Accept = []finding.Name{finding.Errors}
	setErrors(a, 0, []float64{4})
	if r := JudgePairs(a, both, asked); r.Decision != OK || len(r.Checks) != 1 {
		t.Errorf("accepted: %s, %+v", r.Decision, r.Checks)
	}
}

// An alarm about errors is held against fresh blocks as any other, and told in points.
func TestErrorsAreConfirmed(t *testing.T) {
	first, second := twins(t, 1, 0.005), twins(t, 1, 0.005)
	setErrors(first, 0, []float64{15, 14})
	r := JudgePairs(first, both, asked)
	r.ConfirmPairs(second, both, asked)
	if got := errorsOf(t, r); got.Decision != OK || r.Decision != CannotTell || // other figures of the first run are still of a version that fails
		!strings.Contains(got.Sentence.String(), "; first run: 14.5 points more") {
		t.Errorf("%s: %+v", r.Decision, got)
	}
	r = JudgePairs(first, both, asked)
	r.ConfirmPairs(first, both, asked)
	if r.Decision != Regression || errorsOf(t, r).First == nil {
		t.Errorf("%s: %+v", r.Decision, r.Checks)
	}
	r.Unconfirmable(bytes.ErrTooLarge)
	if got := errorsOf(t, r); got.Decision != CannotTell || !strings.Contains(got.Sentence.String(), "could not be confirmed: bytes.Buffer: too large; first run: 14.5 points more") {
		t.Errorf("%+v", got)
	}
}
