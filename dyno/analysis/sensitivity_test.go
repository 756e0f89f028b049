package analysis_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/study"
)

// sobolRun makes up the run of a Sobol design over two factors, of which only
// the first matters. The figures are those of one made-up trial; what is read of
// them is the throughput, which the test sets by how much was completed.
func sobolRun(t *testing.T, samples int) *archive.Run {
	t.Helper()
	matrix := stats.Saltelli(samples, 2, 1)
	run := analysistest.Run(4, "a")
	cell, trial := run.Manifest.Plan.Cells[0], run.Trials[0]
	run.Manifest.Plan.Cells, run.Manifest.Plan.Trials, run.Trials = nil, nil, nil
	design := &study.PlannedDesign{Kind: study.SobolDesign, Samples: samples, Factors: []string{"env.A", "env.B"}}
	for i, row := range matrix {
		cell.Index, cell.Point = i, i
		cell.Levels = map[string]string{"env.A": fmt.Sprint(row[0]), "env.B": fmt.Sprint(row[1])}
		planned := study.PlannedTrial{Index: i, Cell: i}
		made := trial
		made.PlannedTrial, made.Windows = planned, slices.Clone(trial.Windows)
		for w := range made.Windows {
			made.Windows[w].Client.Completed = uint64(1000 * (1 + row[0]))
		}
		design.Rows = append(design.Rows, i)
		run.Manifest.Plan.Cells = append(run.Manifest.Plan.Cells, cell)
		run.Manifest.Plan.Trials = append(run.Manifest.Plan.Trials, planned)
		run.Trials = append(run.Trials, made)
	}
	run.Manifest.Plan.Design = design
	return run
}

func TestSensitivity(t *testing.T) {
	const samples = 64
	a := analyse(t, sobolRun(t, samples))
	at := slices.IndexFunc(a.Sensitivity, func(s analysis.Sensitivity) bool { return s.Metric == "throughput" })
	if at < 0 {
		t.Fatalf("no indices of the throughput among %d", len(a.Sensitivity))
	}
	s := a.Sensitivity[at]
	if s.Subject != "a" || s.Load != "saturate" || len(s.Factors) != 2 || s.Factors[0].Factor != "env.A" {
		t.Fatalf("%+v", s)
	}
	if first, total := s.Factors[0].First.Estimate, s.Factors[0].Total.Estimate; math.Abs(first-1) > 0.25 || math.Abs(total-1) > 0.25 {
		t.Errorf("the factor that alone matters accounts for %v, %v in all", first, total)
	}
	if first, total := s.Factors[1].First.Estimate, s.Factors[1].Total.Estimate; math.Abs(first) > 0.1 || math.Abs(total) > 0.1 {
		t.Errorf("the factor that does not matter accounts for %v, %v in all", first, total)
	}
}

func TestSensitivityWithHoles(t *testing.T) {
	run := sobolRun(t, 4)
	run.Trials[3].Status = archive.Failed
	a := analyse(t, run)
	for _, s := range a.Sensitivity {
		if !strings.HasPrefix(s.Missing.String(), "1 of 16 samples have no figure") || len(s.Factors) != 2 || s.Factors[0].Total.N > 3 {
			t.Errorf("%s: %+v", s.Metric, s)
		}
	}
	if len(a.Sensitivity) == 0 {
		t.Error("nothing is said of the missing figures")
	}
}

func TestOtherDesignsHaveNoIndices(t *testing.T) {
	if a := analyse(t, analysistest.Run(4, "a", "b")); a.Sensitivity != nil {
		t.Errorf("%+v", a.Sensitivity)
	}
}

// Claims are held to the indices: the factor that alone matters is found, where two blocks tell
// what measuring alone makes.
func TestClaimsOfIndices(t *testing.T) {
	run := sobolRun(t, 64)
	run.Manifest.Claims = []claim.Claim{
		{ID: "most", Expressions: []string{"sobol(throughput, env.A) >= 0.5"}},
		{ID: "least", Expressions: []string{"sobol.total(throughput, env.B) < 0.1"}},
		{ID: "wrong", Expressions: []string{"sobol(throughput, env.B) >= 0.3"}},
		{ID: "unknown", Expressions: []string{"sobol(throughput, env.C) >= 0.3"}},
	}
	for _, out := range analyse(t, run).Claims {
		if out.Verdict != claim.Unmeasurable || out.ID != "unknown" && !strings.Contains(out.Why.String(), "at least two blocks") {
			t.Errorf("one block: %s: %s (%s)", out.ID, out.Verdict, out.Why)
		}
	}
	cells := len(run.Trials)
	for i := range cells { // the same again, a little off
		again := run.Trials[i]
		again.Index, again.Block, again.Windows = cells+i, 1, slices.Clone(again.Windows)
		for w := range again.Windows {
			again.Windows[w].Client.Completed += uint64(20 * (i % 3))
		}
		run.Manifest.Plan.Trials = append(run.Manifest.Plan.Trials, again.PlannedTrial)
		run.Trials = append(run.Trials, again)
	}
	want := map[string]claim.Verdict{"most": claim.Confirmed, "least": claim.Confirmed, "wrong": claim.SizeRefuted, "unknown": claim.Unmeasurable}
	for _, out := range analyse(t, run).Claims {
		if out.Verdict != want[out.ID] {
			t.Errorf("two blocks: %s: %s (%s) %+v", out.ID, out.Verdict, out.Why, out.Parts)
		}
	}
}
