package regression

import (
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/baseline"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/regression/threshold"
	"dyno.example/internal/i18n"
)

func TestJudgeStored(t *testing.T) {
	old := twins(t, 1, 0.005)
	b, err := baseline.New("main", old, someHash)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		worse  float64
		change func(*analysis.Analysis)
		want   Decision
		says   string
	}{
		{"the same", 1, nil, OK, "5 % are allowed"},
		{"slower", 1.2, nil, Regression, "20 % higher"},
		{"another load", 1, func(a *analysis.Analysis) { a.Run.Duration++ }, CannotTell, "its load, or that it was measured in slices"},
		{"no such cell", 1, func(a *analysis.Analysis) { a.Groups[0].Title = "other" }, CannotTell, "the run has no such cell"},
		{"invalid", 1, func(a *analysis.Analysis) { a.Validity = finding.Invalid }, CannotTell, "the run is invalid"},
	} {
		a := twins(t, c.worse, 0.005)
		if c.change != nil {
			c.change(a)
		}
		r := JudgeStored(a, b, asked)
		if r.Decision != c.want || len(r.Checks) != 4 || !strings.Contains(r.Checks[0].Sentence.String(), c.says) || r.AcrossMachines {
			t.Errorf("%s: %s, %+v", c.name, r.Decision, r.Checks)
		}
	}
	r := JudgeStored(twins(t, 1.2, 0.005), b, asked)
	r.ConfirmStored(twins(t, 1.2, 0.005), b, asked)
	if r.Decision != Regression || r.FalseAlarm < 0.04 {
		t.Errorf("%s, false alarms %v: what is stored is not measured twice", r.Decision, r.FalseAlarm)
	}
}

// What the baseline does not have is not passed over in silence.
func TestWhatABaselineLacks(t *testing.T) {
	old := twins(t, 1, 0.005)
	old.Groups[0].Cells = old.Groups[0].Cells[:1]
	b, err := baseline.New("main", old, someHash)
	if err != nil {
		t.Fatal(err)
	}
	r := JudgeStored(twins(t, 1, 0.005), b, asked)
	if remarks := i18n.List("\n", r.Remarks...); r.Decision != OK || !strings.Contains(remarks.String(), "x@main under saturate, connections=64 is not checked") {
		t.Errorf("%s, %s", r.Decision, remarks)
	}
	mean := Options{Thresholds: []threshold.Threshold{{Metric: "first_byte.p50", Change: 0.1}}, Explicit: true}
	if r := JudgeStored(twins(t, 1, 0.005), b, mean); r.Decision != CannotTell || !strings.Contains(r.Checks[0].Sentence.String(), "the baseline has no figures of it") {
		t.Errorf("%s, %+v", r.Decision, r.Checks)
	}
}

func TestBaselinesOfOtherMachines(t *testing.T) {
	a := twins(t, 1, 0.005)
	b, err := baseline.New("main", a, someHash)
	if err != nil {
		t.Fatal(err)
	}
	if err := Comparable(b, &a.Run.Machine); err != nil {
		t.Error(err)
	}
	a.Run.Machine.CPUModel = "another"
	if err := Comparable(b, &a.Run.Machine); err == nil || !strings.Contains(err.Error(), "another") {
		t.Errorf("%v", err)
	}
	if r := JudgeStored(a, b, asked); !r.AcrossMachines || len(r.Conditions) != 1 {
		t.Errorf("%+v", r)
	}
}
