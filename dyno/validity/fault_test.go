package validity

import (
	"testing"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
)

func TestWhatTheSubjectDoesWrongIsNoFaultOfTheMeasurement(t *testing.T) {
	f := func(name finding.Name, level finding.Validity) finding.Finding {
		return finding.Finding{Name: name, Validity: level}
	}
	accepted := finding.Finding{Name: finding.OtherLoad, Validity: finding.Invalid, Accepted: true}
	for _, c := range []struct {
		name  string
		found []finding.Finding
		want  finding.Validity
	}{
		{"nothing", nil, finding.Valid},
		{"errors", []finding.Finding{f(finding.Errors, finding.Invalid)}, finding.Suspect},
		{"wrong responses", []finding.Finding{f(finding.WrongResponses, finding.Invalid), f(finding.Drifting, finding.Suspect)}, finding.Suspect},
		{"the machine", []finding.Finding{f(finding.Errors, finding.Invalid), f(finding.OtherLoad, finding.Invalid)}, finding.Invalid},
		{"the generator", []finding.Finding{f(finding.GeneratorStalled, finding.Invalid)}, finding.Invalid},
		{"accepted", []finding.Finding{accepted, f(finding.Errors, finding.Suspect)}, finding.Suspect},
	} {
		if got := Worth(c.found); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// A trial that was called invalid for its subject's errors is no spoiled one.
func TestSpoiled(t *testing.T) {
	errors := finding.Finding{Name: finding.Errors, Validity: finding.Invalid}
	for _, c := range []struct {
		name  string
		trial archive.Trial
		want  bool
	}{
		{"valid", archive.Trial{Validity: finding.Valid}, false},
		{"invalid, whatever for", archive.Trial{Validity: finding.Invalid}, true},
		{"for errors, as older versions had it", archive.Trial{Validity: finding.Invalid, Findings: []finding.Finding{errors}}, false},
		{"for errors and more", archive.Trial{Validity: finding.Invalid, Findings: []finding.Finding{errors, {Name: finding.Steal, Validity: finding.Invalid}}}, true},
	} {
		if got := Spoiled(&c.trial); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
