package validity

import (
	"testing"

	"dyno/lab/archive"
	"dyno/lab/load"
)

func TestWhatTheSubjectDoesWrongIsNoFaultOfTheMeasurement(t *testing.T) {
	f := func(name string, level load.Validity) load.Finding {
		return load.Finding{Name: name, Validity: level}
	}
	accepted := load.Finding{Name: "other-load", Validity: load.Invalid, Accepted: true}
	for _, c := range []struct {
		name  string
		found []load.Finding
		want  load.Validity
	}{
		{"nothing", nil, load.Valid},
		{"errors", []load.Finding{f("errors", load.Invalid)}, load.Suspect},
		{"wrong answers", []load.Finding{f("wrong-answers", load.Invalid), f("drifting", load.Suspect)}, load.Suspect},
		{"the machine", []load.Finding{f("errors", load.Invalid), f("other-load", load.Invalid)}, load.Invalid},
		{"the generator", []load.Finding{f("generator-stalled", load.Invalid)}, load.Invalid},
		{"accepted", []load.Finding{accepted, f("errors", load.Suspect)}, load.Suspect},
	} {
		if got := Worth(c.found); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// A trial that was called invalid for its subject's errors is no spoiled one.
func TestSpoiled(t *testing.T) {
	errors := load.Finding{Name: "errors", Validity: load.Invalid}
	for _, c := range []struct {
		name  string
		trial archive.Trial
		want  bool
	}{
		{"valid", archive.Trial{Validity: load.Valid}, false},
		{"invalid, whatever for", archive.Trial{Validity: load.Invalid}, true},
		{"for errors, as older versions had it", archive.Trial{Validity: load.Invalid, Findings: []load.Finding{errors}}, false},
		{"for errors and more", archive.Trial{Validity: load.Invalid, Findings: []load.Finding{errors, {Name: "steal", Validity: load.Invalid}}}, true},
	} {
		if got := Spoiled(&c.trial); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
