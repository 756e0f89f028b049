package analysis_test

import (
	"slices"
	"testing"

	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/machine/speed"
	"dyno.example/internal/i18n"
)

// speeds gives each trial's CPUs a speed.
func speeds(run *archive.Run, of func(t *archive.Trial) float64) {
	for i := range run.Trials {
		t := &run.Trials[i]
		r := []speed.Reading{{CPU: 2, Chain: 2, Wide: 12 * of(t)}}
		t.Speed = &archive.Speed{Before: r, After: r}
	}
}

// The first trials of a run are held to those after them.
func TestTrialsAtAnotherSpeedAreFound(t *testing.T) {
	run := analysistest.Run(4, "a", "b")
	speeds(run, func(t *archive.Trial) float64 {
		if t.Index < 2 {
			return 0.75
		}
		return 1
	})
	a := analyse(t, run)
	list := findings(a, finding.CPUSpeed)
	if len(list) != 1 || list[0].Validity != finding.Suspect || !slices.Equal(list[0].Trials, []int{0, 1}) || a.Validity != finding.Suspect {
		t.Errorf("the run is %s: %+v", a.Validity, a.Findings)
	}
	run.Manifest.Accept = []finding.Name{finding.CPUSpeed}
	if a = analyse(t, run); a.Validity != finding.Valid || !findings(a, finding.CPUSpeed)[0].Accepted {
		t.Errorf("accepted, the run is %s: %+v", a.Validity, a.Findings)
	}
}

// What was found when the trial ended is not found once more, and stays.
func TestASpeedIsJudgedOnce(t *testing.T) {
	run := analysistest.Run(4, "a", "b")
	speeds(run, func(t *archive.Trial) float64 {
		if t.Index == 5 {
			return 0.75
		}
		return 1
	})
	const before = "than in the trials before"
	run.Trials[5].Findings = append(run.Trials[5].Findings, finding.Finding{Name: finding.CPUSpeed, Validity: finding.Suspect, Detail: i18n.Verbatim(before)})
	if list := findings(analyse(t, run), finding.CPUSpeed); len(list) != 1 || list[0].Detail.String() != before || !slices.Equal(list[0].Trials, []int{5}) {
		t.Errorf("found %+v", list)
	}
}

func TestTrialsOfOneSpeed(t *testing.T) {
	run := analysistest.Run(4, "a", "b")
	speeds(run, func(t *archive.Trial) float64 { return 1 + 0.01*float64(t.Index%3) })
	if list := findings(analyse(t, run), finding.CPUSpeed); len(list) > 0 {
		t.Errorf("found %+v", list)
	}
}
