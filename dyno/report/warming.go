package report

import (
	"slices"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/finding"
)

// stillWarming marks the name of a subject whose figures are, in part, those of its warming
// up: they say too little of it. What it means stands below each table.
const stillWarming = "†"

// warming is in how many of the trials that count a subject was still warming up.
type warming struct {
	Trials int
	Of     int
}

// warmingOf counts those of a cell, also where the run accepts them.
func warmingOf(a *analysis.Analysis, cell *analysis.Cell) warming {
	w := warming{Of: len(cell.Trials)}
	for _, trial := range cell.Trials {
		if slices.ContainsFunc(a.Findings, func(f analysis.Finding) bool {
			return f.Name == finding.StillWarmingUp && slices.Contains(f.Trials, trial)
		}) {
			w.Trials++
		}
	}
	return w
}

// Mark stands behind the name, nothing if the subject was steady in all trials.
func (w warming) Mark() string {
	if w.Trials == 0 {
		return ""
	}
	return " " + stillWarming
}

// warmed is a subject in a table, with what its figures have in them of warming up.
type warmed struct {
	subject string
	warming
}

// warmingNote says what the mark means and which subjects have it, nothing if none does.
func warmingNote(list []warmed, c language) string {
	var marked []string
	for _, w := range list {
		if w.Trials > 0 {
			marked = append(marked, c.text("ranking.warming.trials", "subject", w.subject, "n", w.Trials, "trials", c.count("trials", w.Of)))
		}
	}
	if len(marked) == 0 {
		return ""
	}
	return c.text("ranking.note.warming", "mark", stillWarming, "list", c.names(marked))
}

func (r ranking) warmed() (list []warmed) {
	for i := range r.Rows {
		list = append(list, warmed{r.Rows[i].Subject.Name, r.Rows[i].Warming})
	}
	return list
}

func warmedStandings(list []standing) (out []warmed) {
	for i := range list {
		out = append(out, warmed{list[i].Subject.Name, list[i].Warming})
	}
	return out
}
