package main

import (
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/stats/statstest"
)

func TestLive(t *testing.T) {
	twin := func(low, high float64) analysis.Group {
		return analysis.Group{Twin: map[string]stats.Interval{"cpu": {Estimate: 1, Low: low, High: high}}, TwinCell: &analysis.Cell{}}
	}
	shared := twin(1.1, 1.2) // shown with it, measured elsewhere
	shared.TwinCell = nil
	run := &archive.Run{Trials: []archive.Trial{
		{Status: archive.Complete, Validity: finding.Valid, Findings: []finding.Finding{{Name: finding.AtFloor, Validity: finding.Valid}}},
		{Status: archive.Complete, Validity: finding.Suspect, Findings: []finding.Finding{{Name: finding.Steal, Validity: finding.Suspect}, {Name: finding.Steal, Validity: finding.Suspect}}},
		{Status: archive.Complete, Validity: finding.Valid, Findings: []finding.Finding{{Name: finding.Drifting, Validity: finding.Suspect, Accepted: true}}},
		{Status: archive.Interrupted},
	}}
	counted := newLive()
	counted.add(run, &analysis.Analysis{Groups: []analysis.Group{twin(0.98, 1.03), twin(1.01, 1.03), shared}})
	counted.add(run, &analysis.Analysis{Groups: []analysis.Group{twin(0.9, 0.99)}})
	counted.add(&archive.Run{Trials: run.Trials[:1]}, &analysis.Analysis{Groups: []analysis.Group{shared}}) // no twin of its own

	var r Record
	counted.results(&r)
	got := make(map[string]statstest.Rate)
	for _, result := range r.Results {
		got[result.What+" "+result.Figure] = result.Happened
	}
	for name, want := range map[string]statstest.Rate{
		"live cpu":        {Count: 2, Of: 3},
		"flagged suspect": {Count: 2, Of: 7},
		"flagged invalid": {Count: 0, Of: 7},
		"flagged steal":   {Count: 2, Of: 7},
	} {
		if got[name] != want {
			t.Errorf("%s: %v, want %v", name, got[name], want)
		}
	}
	if len(got) != 4 || counted.studies != 2 || counted.runs != 3 {
		t.Errorf("results: %v", got)
	}
}
