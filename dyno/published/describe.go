package published

import (
	"fmt"
	"slices"
	"strings"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/finding"
)

// New makes the record of a run. command is what repeats it, as a shell reads it.
// A run that can't be trusted has none.
func New(a *analysis.Analysis, command string) (*Record, error) {
	m := &a.Run
	if a.Validity == finding.Invalid {
		return nil, fmt.Errorf("run %s is INVALID, and nothing that rests on it can be published; dyno show %s has the reasons", m.ID, m.ID)
	}
	r := &Record{
		Study: m.Study, Run: m.ID, Quick: m.Quick, Date: m.Started, Machine: m.Machine.Line(),
		Versions: []string{"dyno " + m.Dyno}, Method: method(a), Command: command, Verdicts: a.Claims,
	}
	for _, s := range m.Subjects {
		if version := strings.TrimSpace(s.Framework + " " + s.Version); version != "" && !slices.Contains(r.Versions, version) {
			r.Versions = append(r.Versions, version)
		}
	}
	return r, nil
}

// method says how much was measured.
func method(a *analysis.Analysis) string {
	m := &a.Run
	blocks := 0
	for _, t := range m.Plan.Trials {
		blocks = max(blocks, t.Block+1)
	}
	left := 0
	for i := range a.Groups {
		for _, c := range a.Groups[i].Cells {
			left += len(c.Left)
		}
	}
	text := fmt.Sprintf("%d trials of %v in %d blocks", len(m.Plan.Trials), m.Duration, blocks)
	if left > 0 {
		text += fmt.Sprintf(", %d of them left out", left)
	}
	if m.Quick {
		text += ", the study's quick form"
	}
	return text
}
