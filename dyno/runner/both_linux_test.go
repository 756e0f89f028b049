package runner

import (
	"math"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/study"
)

// A subject that costs 5 % more and holds 96 MiB more, in one run: the cost is found in slices,
// whose meter knows nothing of memory, and the memory in trials, whose probe knows nothing of
// the account that the cost is in. Neither has the other's figures.
func TestSlicesAndTrialsOfOneRun(t *testing.T) {
	t.Parallel()
	r := inTurns(t, 12, 2, "100000", "105000,holds")
	r.Study.Trial.Slices.Beside = true
	var err error
	if r.Plan, err = study.Expand(r.Study, 1); err != nil {
		t.Fatal(err)
	}
	archived := run(t, r)
	for i := range archived.Trials {
		trial := &archived.Trials[i]
		if cell := &archived.Manifest.Plan.Cells[trial.Cell]; (trial.Sliced != nil) == (cell.Beside != nil) {
			t.Errorf("trial %d of cell %d: sliced %v", trial.Index, trial.Cell, trial.Sliced)
		}
	}
	a, err := analysis.Analyse(archived)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Groups) != 2 || a.Groups[0].Beside != a.Groups[1].Title || a.Groups[1].Beside != a.Groups[0].Title {
		t.Fatalf("%d groups", len(a.Groups))
	}
	for _, g := range a.Groups {
		for _, m := range g.Metrics {
			if study.SlicesTell(m.Name) != (g.Slices != nil) {
				t.Errorf("%s has %s", g.Title, m.Name)
			}
		}
	}
	if ratio := ratioOf(t, archived, "b").Estimate; math.Abs(ratio-1.05) > edgesOf(archived, 1) {
		t.Errorf("b costs %v times as much, want 1.05", ratio)
	}
	held := map[string]float64{}
	for _, c := range a.Groups[1].Cells {
		held[c.Subject] = c.Estimates["rss"].Estimate
	}
	// The race detector has memory of its own beside, in pieces of up to 60 MiB.
	if more := held["b"] - held["a"]; more < heldBytes*3/4 || more > heldBytes*2 {
		t.Errorf("b holds %.0f more bytes, want %d", more, heldBytes)
	}
}
