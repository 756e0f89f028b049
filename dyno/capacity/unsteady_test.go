package capacity

import (
	"strings"
	"testing"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/profile"
	"dyno.example/internal/i18n"
)

// That a service drifted or warmed up in trials is reported, whatever came of them.
func TestUnsteadyServicesAreTold(t *testing.T) {
	r := load.Result{Findings: []finding.Finding{{Name: finding.Drifting, Validity: finding.Suspect, Detail: i18n.Verbatim("p50 moved by +90 %")}}}
	trial := describe(&r, &profile.Profile{Connections: 1})
	found := Result{Loads: []Load{{Trials: []Trial{{}, trial}}}}
	if hints := found.hints(); len(hints) != 1 || !strings.Contains(hints[0].String(), "of 1 trials") || !strings.Contains(hints[0].String(), "drifting: p50 moved by +90 %") {
		t.Errorf("hints %q", hints)
	}
	var level LevelTrial
	level.judge(&r, nil)
	if notes := unsteadyLevels([]Level{{Trials: []LevelTrial{level, level}}}); len(notes) != 1 || !strings.Contains(notes[0].String(), "of 2 trials") {
		t.Errorf("notes %q", notes)
	}
	if notes := unsteadyLevels([]Level{{Trials: make([]LevelTrial, 2)}}); notes != nil {
		t.Errorf("notes %q of steady ones", notes)
	}
}
