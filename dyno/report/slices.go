package report

import (
	"strconv"

	"dyno.example/dyno/analysis"
)

// slicesNote says where the figures of a ranking are from whose subjects took turns, and
// what their uncertainty is made of, and where the others of the same load are; empty if they
// didn't take turns.
func slicesNote(g *analysis.Group, c language) string {
	s := g.Slices
	if s == nil && g.Beside != "" {
		return c.text("ranking.note.trials.beside", "group", g.Beside)
	}
	if s == nil {
		return ""
	}
	key := "ranking.note.slices"
	if g.Beside != "" {
		key = "ranking.note.slices.beside"
	}
	notes := []string{c.text(key, "group", g.Beside, "length", s.Length.String(), "rounds", strconv.Itoa(s.Rounds))}
	between, within := 0.0, 0.0
	for i := range g.Cells {
		if t := g.Cells[i].Turns; t != nil {
			between, within = max(between, t.Between), max(within, t.Within)
		}
	}
	if within > 0 {
		share := func(x float64) string { return number(100*x, 2) + gap + "%" }
		notes = append(notes, c.text("ranking.note.slices.levels", "between", share(between), "within", share(within)))
	}
	if s.Whole > 0 {
		notes = append(notes, c.text("ranking.note.slices.whole", "whole", strconv.Itoa(s.Whole), "trials", strconv.Itoa(s.Whole+s.Trials)))
	}
	return c.paragraph(notes)
}
