package analysis_test

import (
	"strings"
	"testing"

	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
)

// slow makes a trial serve so many times fewer requests.
func slow(t *archive.Trial, times float64) {
	for w := range t.Windows {
		c := &t.Windows[w].Client.Completed
		*c = uint64(float64(*c) / times)
	}
}

// One subject alone that starts slowly now and then: its ratio has two answers.
func TestRatiosThatPartAreNamed(t *testing.T) {
	run := analysistest.Run(4, "a", "again", "b")
	if got := findings(analyse(t, run), finding.RatiosPart); len(got) != 0 {
		t.Fatalf("nothing parts, yet %+v", got)
	}
	slowed := 0
	for i := range run.Trials {
		if trial := &run.Trials[i]; trial.Cell == 2 && trial.Block == 2 {
			slow(trial, 3)
			slowed++
		}
	}
	a := analyse(t, run)
	got := findings(a, finding.RatiosPart)
	if slowed != 1 || len(got) != 1 || !strings.Contains(got[0].Detail.String(), "of b under") || !strings.Contains(got[0].Detail.String(), "by ranks") {
		t.Errorf("%d trials slowed: %+v", slowed, got)
	}
	if iv := a.Groups[0].Cells[2].ByRank["throughput"]; iv.N != a.Groups[0].Cells[2].Ratios["throughput"].N {
		t.Errorf("by ranks %+v", iv)
	}
	if out := findings(a, finding.RestartOutlier); len(out) != 1 || out[0].Trials == nil || !strings.Contains(out[0].Detail.String(), "18 %") {
		t.Errorf("the slow start is not named: %+v", out)
	}
}

// A twin that is another than the reference makes the run suspect, unless accepted.
func TestTwinThatDiffers(t *testing.T) {
	run := withTwin(4, "a", "again", "b")
	if got := findings(analyse(t, run), finding.TwinDiffers); len(got) != 0 {
		t.Fatalf("the twin does not differ, yet %+v", got)
	}
	for i := range run.Trials {
		if trial := &run.Trials[i]; trial.Cell == 1 {
			slow(trial, 1.5)
		}
	}
	a := analyse(t, run)
	if got := findings(a, finding.TwinDiffers); len(got) != 1 || !strings.Contains(got[0].Detail.String(), "throughput under") || a.Validity != finding.Suspect {
		t.Errorf("%s, %+v", a.Validity, got)
	}
	run.Manifest.Accept = []finding.Name{finding.TwinDiffers}
	if a = analyse(t, run); a.Validity != finding.Valid {
		t.Errorf("accepted, yet %s", a.Validity)
	}
}

// The first place's ratio to the others is shown as well as that to the reference: with
// the slow start of a subject that is second to it, it parts, too.
func TestLeadsThatPartAreNamed(t *testing.T) {
	run := analysistest.Run(8, "a", "slowest", "b", "c")
	for i := range run.Trials {
		trial := &run.Trials[i]
		times := map[int]float64{0: 2, 1: 3, 2: 1, 3: 1.1}[trial.Cell]
		if trial.Cell == 3 && trial.Block == 2 {
			times = 4
		}
		slow(trial, times)
	}
	a := analyse(t, run)
	got := findings(a, finding.RatiosPart)
	if len(got) != 1 || !strings.Contains(got[0].Detail.String(), "throughput of c under") || !strings.Contains(got[0].Detail.String(), "throughput of b / c under") || strings.Contains(got[0].Detail.String(), "of b under") {
		t.Errorf("reference %s: %+v", a.Run.Reference, got)
	}
}
