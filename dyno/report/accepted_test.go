package report

import (
	"bytes"
	"strings"
	"testing"

	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/finding"
)

// What is accepted is shown as accepted; what was repeated says as which trial.
func TestAcceptedAndRepeated(t *testing.T) {
	run := analysistest.Run(4)
	invalid := -1
	for i := range run.Trials {
		tr := &run.Trials[i]
		finding.Accept(tr.Findings, []finding.Name{finding.Steal})
		if tr.Cell == 1 && tr.Block == 4 {
			invalid = tr.Index
		}
	}
	again := run.Trials[invalid]
	again.Index, again.Repeats, again.Validity, again.Findings = len(run.Trials), &invalid, finding.Valid, nil
	run.Trials = append(run.Trials, again)
	run.Manifest.Plan.Trials = append(run.Manifest.Plan.Trials, again.PlannedTrial)
	run.Manifest.Ended = "decided"
	a := analysed(t, run)
	for format, write := range formats {
		if format == "values.csv" {
			continue
		}
		var out bytes.Buffer
		if err := write(&out, a); err != nil {
			t.Fatal(err)
		}
		parts := []string{"(ACCEPTED): ", "Without that it would be SUSPECT."}
		switch format {
		case "page", "markdown.md":
			parts = []string{"ACCEPTED", parts[1], "repeated as trial 48"}
		case "table.txt", "table-narrow.txt": // it is broken into lines
			parts = parts[:1]
		case "analysis.json":
			parts = []string{`"validity": "accepted"`}
		}
		for _, part := range parts {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%s lacks %q", format, part)
			}
		}
	}
	c, err := openLanguage("en")
	if err != nil {
		t.Fatal(err)
	}
	if got := blockCount(a, c); got != "6 (nothing was left to decide)" {
		t.Errorf("blocks: %q", got)
	}
}
