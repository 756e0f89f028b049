package report

import (
	"slices"

	"dyno.example/dyno/analysis"
)

// same stands before a ratio whose whole interval lies within sameMargin of 1, which
// is a test of equivalence (two one-sided tests). A difference that is merely no larger than
// what the A/A comparison leaves open is no equivalence, and gets no mark.
const (
	same       = "="
	sameMargin = 0.02
)

// noise writes how far apart two measurements of the same may be by a metric,
// "±1.8 %"; as a factor where they may be twice as much or more, and no more than that
// it is over ten where nothing can be compared; empty if it was not measured.
func noise(g *analysis.Group, metric string) string {
	share, ok := g.Noise(metric)
	if !ok {
		return ""
	}
	switch factor := 1 + share; {
	case factor > 10:
		return "> 10×"
	case factor >= 2:
		return "≤ " + number(factor, 2) + "×"
	}
	return "±" + number(100*share, 2) + gap + "%"
}

// twinNote says what the A/A comparison of a ranking's metrics showed; it is empty if
// there was none, or if it is another group's and there is no difference here to
// compare it with.
func twinNote(r ranking, c language) string {
	if r.Group.TwinFrom != "" && !slices.ContainsFunc(r.Columns, func(col column) bool { return col.Ratio }) {
		return ""
	}
	var list []string
	for _, col := range r.Columns {
		if share := noise(r.Group, col.Metric); share != "" && !col.Ratio {
			list = append(list, col.Title+" "+share)
		}
	}
	if len(list) == 0 {
		return ""
	}
	note := c.text("ranking.note.twin", "list", c.list(list))
	if from := r.Group.TwinFrom; from != "" {
		note = c.paragraph([]string{note, c.text("ranking.note.twin.from", "group", from)})
	}
	return note
}

// arms are the cells of a group with the twin, which is in no ranking.
func arms(g *analysis.Group) []*analysis.Cell {
	var list []*analysis.Cell
	for i := range g.Cells {
		list = append(list, &g.Cells[i])
	}
	if g.TwinCell != nil {
		list = append(list, g.TwinCell)
	}
	return list
}
