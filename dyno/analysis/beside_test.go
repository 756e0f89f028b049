package analysis_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/study"
)

const (
	heldByA = 64 << 20
	heldByB = 96 << 20
)

// ofCostAndMemory are claims of which each is about one of the two kinds of trials.
var ofCostAndMemory = []claim.Claim{
	{ID: "cost", Says: "b costs 5 % more", Expressions: []string{"cpu[b] / cpu[a] ~ 1.05 +- 1%"}, Margin: 0.01},
	{ID: "memory", Says: "b holds half as much again", Expressions: []string{"rss[b] / rss[a] ~ 1.5 +- 1%"}, Margin: 0.01},
}

// bothWays is a run whose two subjects were measured in slices and in trials. In slices b costs 1.05
// of a, and they hold next to nothing; in trials b costs five times as much, and holds half as
// much again.
func bothWays() *archive.Run {
	run := slicedRun(analysistest.Blocks)
	trials := analysistest.Run(4, "a", "b")
	for i := range run.Trials {
		hold(&run.Trials[i], 1<<20)
	}
	n := len(run.Manifest.Plan.Cells)
	for i := range n {
		c := run.Manifest.Plan.Cells[i]
		c.Index, c.Beside = n+i, &i
		run.Manifest.Plan.Cells = append(run.Manifest.Plan.Cells, c)
	}
	for i := range trials.Trials {
		t := trials.Trials[i]
		if t.Cell == 1 {
			spend(&t)
		}
		hold(&t, []uint64{heldByA, heldByB}[t.Cell])
		t.Cell += n
		t.Index = len(run.Manifest.Plan.Trials)
		run.Manifest.Plan.Trials = append(run.Manifest.Plan.Trials, t.PlannedTrial)
		run.Trials = append(run.Trials, t)
	}
	return run
}

func hold(t *archive.Trial, bytes uint64) {
	for i := range t.Windows {
		if p := t.Windows[i].Server.Process; p != nil {
			p.RSS = bytes
		}
	}
}

// spend has a trial cost five times as much.
func spend(t *archive.Trial) {
	for i := range t.Windows {
		if p := t.Windows[i].Server.Process; p != nil {
			p.CPU *= 5
			p.CPUUser *= 5
			p.CPUSys *= 5
		}
	}
}

// Each metric is from one of the two, wherever it is asked for: in the groups, and in claims.
func TestEachMetricIsFromOneOfTheTwo(t *testing.T) {
	run := bothWays()
	run.Manifest.Claims = ofCostAndMemory
	a, err := analysis.Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Groups) != 2 {
		t.Fatalf("%d groups", len(a.Groups))
	}
	inSlices, inTrials := &a.Groups[0], &a.Groups[1]
	if inSlices.Slices == nil || inTrials.Slices != nil || inSlices.Beside != inTrials.Title || inTrials.Beside != inSlices.Title {
		t.Errorf("%q beside %q, %q beside %q", inSlices.Title, inSlices.Beside, inTrials.Title, inTrials.Beside)
	}
	for _, g := range []*analysis.Group{inSlices, inTrials} {
		for _, c := range g.Cells {
			for metric := range c.Estimates {
				if study.SlicesTell(metric) != (g == inSlices) {
					t.Errorf("%s: %s has %s", g.Title, c.Subject, metric)
				}
			}
			for metric := range c.Merged {
				if study.SlicesTell(metric) != (g == inSlices) {
					t.Errorf("%s: %s has %s of all its trials", g.Title, c.Subject, metric)
				}
			}
		}
	}
	b := inSlices.Cells[1]
	if r := b.Ratios["cpu"].Estimate; math.Abs(r-1.05) > 1e-3 || !strings.Contains(b.Omitted["rss"].String(), inTrials.Title) {
		t.Errorf("cpu %v, rss %v", r, b.Omitted["rss"])
	}
	if r := inTrials.Cells[1].Ratios["rss"].Estimate; math.Abs(r-1.5) > 1e-9 {
		t.Errorf("rss %v", r)
	}
	for _, c := range a.Claims {
		if !c.Verdict.Confirms() {
			t.Errorf("%s is %s: %+v", c.ID, c.Verdict, c.Parts)
		}
	}
	if _, err := json.Marshal(a); err != nil {
		t.Error(err)
	}
}

// What speaks against trials bears on what trials tell, and no verdict about the slices that go with them; and the
// other way round.
func TestDoubtsOfOneOfTheTwo(t *testing.T) {
	for _, doubted := range []string{"cost", "memory"} {
		run := bothWays()
		run.Manifest.Claims = ofCostAndMemory
		for i := range run.Trials {
			trial := &run.Trials[i]
			if (trial.Sliced != nil) == (doubted == "cost") && trial.Status == archive.Complete && trial.Validity == finding.Valid {
				trial.Findings = append(trial.Findings, finding.Finding{Name: finding.Swapping, Validity: finding.Suspect})
				trial.Validity = finding.Suspect
			}
		}
		a, err := analysis.Analyse(run)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range a.Claims {
			if turned := len(c.Basis.Turning) > 0; a.Validity != finding.Suspect || turned != (c.ID == doubted) {
				t.Errorf("%s, doubted %s: %v, %v", c.ID, doubted, a.Validity, c.Basis.Turning)
			}
		}
	}
}
