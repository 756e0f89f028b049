package analysis_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/stats"
)

// withTwin makes the second of two equal subjects the twin of the first.
func withTwin(seed uint64, subjects ...string) *archive.Run {
	run := analysistest.Run(seed, subjects...)
	run.Manifest.Plan.Cells = slices.Clone(run.Manifest.Plan.Cells)
	twin := &run.Manifest.Plan.Cells[1]
	twin.Subject, twin.Twin = subjects[0], true
	run.Manifest.Subjects = slices.Delete(slices.Clone(run.Manifest.Subjects), 1, 2)
	return run
}

func TestTwinIsNoCompetitor(t *testing.T) {
	plain := analyse(t, analysistest.Run(4, "a", "again", "b"))
	a := analyse(t, withTwin(4, "a", "again", "b"))
	g, before := &a.Groups[0], &plain.Groups[0]
	if len(g.Cells) != 2 || g.Cells[1].Subject != "b" || len(a.Subjects) != 2 {
		t.Fatalf("cells %d, subjects %v", len(g.Cells), a.Subjects)
	}
	for metric, places := range g.Ranking {
		for _, p := range places {
			if p.Cell == 1 {
				t.Errorf("the twin has a place by %s", metric)
			}
		}
	}
	for _, metric := range []string{"throughput", "cpu", "response.p99"} {
		if got, want := g.Twin[metric], before.Cells[1].Ratios[metric]; got != want || got.N == 0 {
			t.Errorf("%s: twin %+v, want the ratio of the second arm to the first, %+v", metric, got, want)
		}
		if got, want := g.Cells[1].Ratios[metric], before.Cells[2].Ratios[metric]; got != want {
			t.Errorf("%s: ratio of b %+v, want %+v as without a twin", metric, got, want)
		}
		if !g.InNoise(metric, g.Twin[metric].Estimate) {
			t.Errorf("%s: the twin is outside its own noise", metric)
		}
	}
	if g.TwinCell == nil || g.TwinCell.Cell != 1 || len(g.TwinCell.Trials)+len(g.TwinCell.Left) != analysistest.Blocks || g.TwinFrom != "" {
		t.Errorf("twin cell %+v from %q", g.TwinCell, g.TwinFrom)
	}
}

// TestTwinIsShared: a group without a twin is judged by that of its load.
func TestTwinIsShared(t *testing.T) {
	run := withTwin(4, "a", "again", "b")
	run.Manifest.Plan.Cells[2].Levels = map[string]string{"connections": "128"}
	run.Manifest.Plan.Cells[2].Subject = "a"
	run.Manifest.Subjects = run.Manifest.Subjects[:1]
	a := analyse(t, run)
	if len(a.Groups) != 2 {
		t.Fatalf("%d groups", len(a.Groups))
	}
	second := &a.Groups[1]
	if second.TwinFrom != a.Groups[0].Title || second.Twin["cpu"] != a.Groups[0].Twin["cpu"] || second.TwinCell != nil {
		t.Errorf("twin %+v from %q", second.Twin["cpu"], second.TwinFrom)
	}
}

func TestNoise(t *testing.T) {
	g := analysis.Group{Twin: map[string]stats.Interval{
		"even": {N: 6, Estimate: 1, Low: 1 / 1.02, High: 1.02, Level: 0.95}, "low": {N: 6, Estimate: 0.97, Low: 1 / 1.05, High: 0.99, Level: 0.95},
		"none": {},
	}}
	for metric, want := range map[string]float64{"even": 0.02, "low": 0.05} {
		if got, ok := g.Noise(metric); !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %v, %v, want %v", metric, got, ok, want)
		}
	}
	for _, metric := range []string{"none", "unknown"} {
		if _, ok := g.Noise(metric); ok || g.InNoise(metric, 1) {
			t.Errorf("%s has a noise", metric)
		}
	}
	for ratio, want := range map[float64]bool{1: true, 1.019: true, 1 / 1.019: true, 1.021: false, 0.97: false, 0: false} {
		if g.InNoise("even", ratio) != want {
			t.Errorf("a ratio of %v: %v, want %v", ratio, !want, want)
		}
	}
}

// TestOldRunsHaveNoTwin: nothing about twins is in the analysis of a run without.
func TestOldRunsHaveNoTwin(t *testing.T) {
	data, err := json.Marshal(analyse(t, analysistest.Run(4, "a", "b")).Groups[0])
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"twin", "twin_from", "twin_cell"} {
		if _, ok := fields[name]; ok {
			t.Errorf("there is a field %s", name)
		}
	}
}

// TestHandshakesHaveFigures: only runs that speak TLS have them.
func TestHandshakesHaveFigures(t *testing.T) {
	run := analysistest.Run(4, "a")
	withHandshakes(run, measure.FullHandshake)
	if got := analyse(t, run).Groups[0].Cells[0].Estimates["tls_full.p50"]; got.N != 0 {
		t.Errorf("without TLS: %+v", got)
	}
	run.Manifest.Plan.Cells[0].TLS = "full"
	cell := analyse(t, run).Groups[0].Cells[0]
	if got := cell.Estimates["tls_full.p50"]; math.Abs(got.Estimate-2000) > 2 {
		t.Errorf("full handshakes of 2 ms: %+v", got)
	}
	if got := cell.Estimates["tls_resumed.p50"]; got.N != 0 {
		t.Errorf("resumed handshakes that were none: %+v", got)
	}
}

// withHandshakes adds handshakes of 2 ms to every window.
func withHandshakes(run *archive.Run, clocks ...measure.Clock) {
	h := measure.NewHistogram()
	for range 2000 {
		h.RecordValue(2_000_000)
	}
	for i := range run.Trials {
		for w := range run.Trials[i].Windows {
			for _, clock := range clocks {
				run.Trials[i].Windows[w].Client.Hist[clock] = h
			}
		}
	}
}
