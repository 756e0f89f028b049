package analysis_test

import (
	"strings"
	"testing"

	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/finding"
	"dyno.example/internal/i18n"
)

// A run that used up its repetitions and lacks trials says so; one that made
// everything good doesn't.
func TestExhaustedRepetitionsAreSaid(t *testing.T) {
	for _, good := range []bool{true, false} {
		run := analysistest.Run(4, "a")
		for of := range 3 { // half of six
			run.Trials[of].Validity = finding.Invalid
			run.Trials[of].Findings = []finding.Finding{{Name: finding.OtherLoad, Validity: finding.Invalid, Detail: i18n.Verbatim("busy")}}
			again := run.Trials[5]
			again.Index, again.Block, again.Repeats = len(run.Trials), run.Trials[of].Block, &of
			if !good {
				again.Validity, again.Findings = finding.Invalid, run.Trials[of].Findings
			}
			run.Trials = append(run.Trials, again)
			run.Manifest.Plan.Trials = append(run.Manifest.Plan.Trials, again.PlannedTrial)
		}
		list := findings(analyse(t, run), finding.RepeatsExhausted)
		if good && len(list) != 0 || !good && (len(list) != 1 || !strings.Contains(list[0].Detail.String(), "as many trials were repeated as may be of 6 planned (3), and still so many are missing: 3")) {
			t.Errorf("made good %t: %+v", good, list)
		}
	}
}

func TestLikewise(t *testing.T) {
	run := analysistest.Run(4, "a")
	for i := range 2 {
		run.Trials[i].Findings = []finding.Finding{{Name: finding.Steal, Validity: finding.Suspect, Detail: i18n.Verbatim("stolen")}}
	}
	if list := findings(analyse(t, run), finding.Steal); len(list) != 1 || !strings.HasSuffix(list[0].Detail.String(), "in 1 more trial)") {
		t.Errorf("%+v", list)
	}
}
