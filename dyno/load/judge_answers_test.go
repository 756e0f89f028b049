package load

import (
	"testing"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
)

func TestJudgeResponses(t *testing.T) {
	for _, c := range []struct {
		errors measure.Errors
		names  []finding.Name
		level  finding.Validity
	}{
		{measure.Errors{}, nil, ""},
		{measure.Errors{Expect: 5}, []finding.Name{finding.WrongResponses}, finding.Valid},
		{measure.Errors{Expect: 10}, []finding.Name{finding.WrongResponses}, finding.Suspect},
		{measure.Errors{Body: 3, Expect: 7}, []finding.Name{finding.WrongResponses}, finding.Suspect},
		{measure.Errors{Expect: 101}, []finding.Name{finding.Errors, finding.WrongResponses}, finding.Invalid},
		{measure.Errors{Status: 49}, nil, ""},
		{measure.Errors{Status: 100}, []finding.Name{finding.Errors}, finding.Suspect},
		{measure.Errors{Timeout: 2000}, []finding.Name{finding.Errors}, finding.Invalid},
	} {
		r := &Result{Total: measure.Window{Completed: 10_000 - c.errors.Total(), Errors: c.errors}}
		r.judge(&Spec{Profile: profile.Profile{Mode: profile.Closed}})
		var names []finding.Name
		for _, f := range r.Findings {
			names = append(names, f.Name)
		}
		if len(names) != len(c.names) {
			t.Errorf("%+v: found %q, want %q", c.errors, names, c.names)
			continue
		}
		for i := range names {
			if names[i] != c.names[i] {
				t.Errorf("%+v: found %q, want %q", c.errors, names, c.names)
			}
		}
		if len(names) > 0 && r.Validity != c.level {
			t.Errorf("%+v: %s, want %s", c.errors, r.Validity, c.level)
		}
	}
}

// What is accepted is found and lowers nothing, in windows as in the whole.
func TestAcceptedFindings(t *testing.T) {
	spec := &Spec{Profile: profile.Profile{Mode: profile.Closed}, Accept: []finding.Name{finding.Errors, finding.GeneratorStalled}}
	r := &Result{Total: measure.Window{Completed: 500, Errors: measure.Errors{Status: 500}}}
	r.judge(spec)
	if len(r.Findings) != 1 || !r.Findings[0].Accepted || r.Findings[0].Validity != finding.Invalid || r.Validity != finding.Valid {
		t.Errorf("%s because of %+v", r.Validity, r.Findings)
	}
	w := measure.Window{Length: 1, Stall: stallInvalid}
	w.Findings = finding.Accept(judgeWindow(&w, spec), spec.Accept)
	if len(w.Findings) != 1 || w.Validity() != finding.Valid {
		t.Errorf("a window is %s because of %+v", w.Validity(), w.Findings)
	}
	merged := finding.Merge(w.Findings, 1)
	if !merged[0].Accepted {
		t.Errorf("merged: %+v", merged)
	}
}
