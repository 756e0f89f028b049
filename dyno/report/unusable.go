package report

import (
	"slices"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/present"
)

// unusableTable shows what was seen of subjects that have no usable trial. It is a
// table of its own, so that no such figure stands next to one that counts.
type unusableTable struct {
	Title   string // of the group
	Columns []column
	Rows    []unusableRow
}

type unusableRow struct {
	Subject string
	Trials  int
	Figures []figure // one per column
}

func newUnusableTable(a *analysis.Analysis, g *analysis.Group, c language) unusableTable {
	t := unusableTable{Title: g.Title}
	for _, s := range chosen(a) {
		seen := func(cell analysis.Cell) bool { return cell.Unusable[s.metric].N > 0 }
		if slices.ContainsFunc(g.Cells, seen) {
			t.Columns = append(t.Columns, column{Metric: s.metric, Unit: unit(g, s.metric), Title: c.metric(s.metric), drop: s.drop})
		}
	}
	for i := range g.Cells {
		cell := &g.Cells[i]
		if len(cell.Unusable) == 0 {
			continue
		}
		row := unusableRow{Subject: cell.Subject, Trials: len(cell.Left)}
		for _, col := range t.Columns {
			f := figure{Missing: true}
			if iv := cell.Unusable[col.Metric]; iv.N > 0 {
				f = figure{spread: writeInterval(col.Unit, iv)}
			}
			row.Figures = append(row.Figures, f)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// terminalUnusable writes the table for a terminal, nothing if it has no rows.
func terminalUnusable(t unusableTable, c language, width int, p painter) string {
	if len(t.Rows) == 0 {
		return ""
	}
	g := &grid{heads: [][]string{{""}, {c.text("ranking.subject")}}, drop: []int{0, 0}, left: 2}
	for _, col := range t.Columns {
		g.heads, g.drop = append(g.heads, headLines(col, c)), append(g.drop, col.drop)
	}
	for _, row := range t.Rows {
		line := []entry{{main: "✗"}, {main: printable(row.Subject)}}
		for _, f := range row.Figures {
			line = append(line, entry{f.mainText(), f.Range()})
		}
		g.rows = append(g.rows, line)
	}
	g.plain = true
	g.fit(width)
	return p.paint(red, present.Wrap(c.text("unusable.title"), width)) + "\n" + present.Wrap(c.text("unusable.note"), width) + "\n\n" + g.String(p) + "\n"
}

// unusable writes the table as Markdown, nothing if it has no rows.
func (m *markdown) unusable(t unusableTable) {
	if len(t.Rows) == 0 {
		return
	}
	m.line("### %s\n\n%s\n", m.text("unusable.title"), m.text("unusable.note"))
	heads := []string{m.text("ranking.subject")}
	for _, col := range t.Columns {
		heads = append(heads, escape(col.Title))
	}
	var rows [][]string
	for _, row := range t.Rows {
		texts := []string{escape(row.Subject)}
		for _, f := range row.Figures {
			texts = append(texts, "~~"+f.text()+"~~")
		}
		rows = append(rows, texts)
	}
	m.table("l", heads, rows)
	m.line("")
}
