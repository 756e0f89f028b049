package analysis_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/study"
)

// A repetition takes the place of the invalid trial in its block.
func TestARepetitionTakesItsPlace(t *testing.T) {
	run := analysistest.Run(4)
	invalid := trialOf(t, run, 1, 4)
	again := run.Trials[invalid]
	again.Index, again.Repeats, again.Validity, again.Findings = len(run.Trials), &invalid, finding.Valid, nil
	run.Trials = append(run.Trials, again)
	run.Manifest.Plan.Trials = append(run.Manifest.Plan.Trials, again.PlannedTrial)
	a := analyse(t, run)
	c := a.Groups[0].Cells[1]
	if !slices.Equal(c.Left, []int{invalid}) || !slices.Contains(c.Trials, again.Index) || c.Ratios["throughput"].N != analysistest.Blocks {
		t.Errorf("used %v, left out %v, %d pairs", c.Trials, c.Left, c.Ratios["throughput"].N)
	}
}

// Nor does an invalid trial of the second arm count once it was repeated.
func TestARepetitionOfTheTwinTakesItsPlace(t *testing.T) {
	run := withTwin(4, "a", "again")
	invalid := trialOf(t, run, 1, 4)
	again := run.Trials[invalid]
	again.Index, again.Repeats, again.Validity, again.Findings = len(run.Trials), &invalid, finding.Valid, nil
	run.Trials = append(run.Trials, again)
	run.Manifest.Plan.Trials = append(run.Manifest.Plan.Trials, again.PlannedTrial)
	run.Trials[0].Validity = finding.Suspect // with the repeated one, more than a tenth
	if a := analyse(t, run); a.Validity != finding.Valid {
		t.Errorf("the run is %s: %+v", a.Validity, a.Findings)
	}
}

// Of a run that could end by what it found, intervals are wider and the same at
// any stopping time.
func TestIntervalsOfASequentialRun(t *testing.T) {
	fixed := analyse(t, analysistest.Run(4))
	for name, until := range map[string]study.Until{"by time": {Time: 1}, "by blocks": {Blocks: 8}} {
		run := analysistest.Run(4)
		run.Manifest.Until = until
		a := analyse(t, run)
		for i, c := range a.Groups[0].Cells[2:] {
			one, any := fixed.Groups[0].Cells[i+2].Ratios["throughput"], c.Ratios["throughput"]
			if any.Level != 0.95 || math.Abs(any.Estimate-one.Estimate) > 1e-9 || any.High/any.Low <= one.High/one.Low {
				t.Errorf("%s: %+v, with a single look %+v", name, any, one)
			}
		}
	}
}

func TestRestartPlateausAreFound(t *testing.T) {
	run := analysistest.Run(4, "a", "b")
	for i := range run.Trials {
		if tr := &run.Trials[i]; tr.Cell == 0 && tr.Block%2 == 0 {
			for w := range tr.Windows {
				tr.Windows[w].Client.Completed /= 2
			}
		}
	}
	a := analyse(t, run)
	list := findings(a, finding.RestartPlateau)
	if len(list) != 1 || list[0].Validity != finding.Suspect || len(list[0].Trials) != analysistest.Blocks || a.Validity != finding.Suspect {
		t.Errorf("the run is %s: %+v", a.Validity, a.Findings)
	}
	run.Manifest.Accept = []finding.Name{finding.RestartPlateau}
	if a = analyse(t, run); a.Validity != finding.Valid || !findings(a, finding.RestartPlateau)[0].Accepted {
		t.Errorf("accepted, the run is %s: %+v", a.Validity, a.Findings)
	}
}

// Where all trials of a block are slow, it is the machine, and not how a subject starts.
func TestPlateausOfTheMachineAreItsOwn(t *testing.T) {
	const machine = "it is the machine at the time rather than the starts"
	for name, c := range map[string]struct {
		slow func(cell, block int) bool
		is   bool
	}{
		"all trials of some blocks": {func(_, block int) bool { return block%2 == 0 }, true},
		"each in blocks of its own": {func(cell, block int) bool { return block%2 == cell%2 }, false},
	} {
		run := analysistest.Run(4, "a", "b", "c")
		for i := range run.Trials {
			if tr := &run.Trials[i]; c.slow(tr.Cell, tr.Block) {
				slow(tr, 2)
			}
		}
		a := analyse(t, run)
		list := append(findings(a, finding.RestartPlateau), findings(a, finding.RestartOutlier)...)
		if len(list) == 0 || !strings.Contains(list[0].Detail.String(), "subject") {
			t.Errorf("%s: %+v", name, list)
			continue
		}
		if strings.Contains(list[0].Detail.String(), machine) != c.is || (list[0].Validity == finding.Valid) != c.is {
			t.Errorf("%s: %s: %s", name, list[0].Validity, list[0].Detail)
		}
	}
}

// Subjects that took turns shared what the machine did: levels that all have are nobody's; those
// of one alone are its starts', and the others have none because of it.
func TestPlateausOfTurns(t *testing.T) {
	every := func(n int) func(int) bool { return func(block int) bool { return block%n == 0 } }
	nobody := func(int) bool { return false }
	for name, c := range map[string]struct {
		machine, own func(block int) bool // is slow
		want         string               // who is said to have levels
	}{
		"all of them":            {every(2), nobody, ""},
		"one alone":              {nobody, every(2), "c"},
		"one, on such a machine": {every(2), func(block int) bool { return block < 3 }, "c"},
	} {
		run := analysistest.Run(4, "a", "b", "c", "d", "e")
		for i := range run.Trials {
			tr := &run.Trials[i]
			tr.Sliced = &archive.Sliced{Length: 25 * time.Millisecond, Rounds: 80, Arms: 5}
			if c.machine(tr.Block) {
				slow(tr, 1.5)
			}
			if run.Manifest.Plan.Cells[tr.Cell].Subject == "c" && c.own(tr.Block) {
				slow(tr, 1.5)
			}
		}
		var own []string
		for _, f := range findings(analyse(t, run), finding.RestartPlateau) {
			if f.Validity == finding.Suspect {
				own = append(own, run.Manifest.Plan.Cells[run.Trials[f.Trials[0]].Cell].Subject)
			}
		}
		if strings.Join(own, " ") != c.want {
			t.Errorf("%s: levels of %q, want %q", name, own, c.want)
		}
	}
}
