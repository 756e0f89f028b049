package report

import (
	"math"
	"strconv"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/stats"
)

// tabulated are the percentiles that the table next to the latency chart lists.
var tabulated = []float64{50, 90, 99, 99.9, 99.99}

// curveTable is the latency chart of one group as a table.
type curveTable struct {
	Title string
	Heads []string // "p50", …
	Rows  []curveRow
	Note  string // what the figures are, and their intervals if there are any
}

type curveRow struct {
	Subject  string
	Response []curveFigure
	Service  []curveFigure
}

// curveFigure is a quantile of all requests of a cell, with its interval.
type curveFigure struct{ Text, Range string }

func newCurveTable(a *analysis.Analysis, r ranking, c language) curveTable {
	t := curveTable{Title: r.Title}
	for _, p := range tabulated {
		t.Heads = append(t.Heads, "p"+strconv.FormatFloat(p, 'f', -1, 64))
	}
	for _, row := range r.Rows {
		if len(row.Cell.Curve)+len(row.Cell.Service) == 0 {
			continue
		}
		line := curveRow{row.Cell.Subject, readCurve(row.Cell.Curve), readCurve(row.Cell.Service)}
		for i, head := range t.Heads {
			line.Response[i].Range = mergedRange(row.Cell.Merged["response."+head])
		}
		t.Rows = append(t.Rows, line)
	}
	t.Note = quantilesNote(a, r, c)
	return t
}

// readCurve reads the tabulated percentiles off a curve.
func readCurve(points []analysis.Point) []curveFigure {
	out := make([]curveFigure, len(tabulated))
	for i, want := range tabulated {
		out[i].Text = "–"
		for _, p := range points {
			if math.Abs(p.Percentile-want) > 1e-6 {
				continue
			}
			out[i].Text = bounded(p)
		}
	}
	return out
}

// mergedRange is the interval of a quantile, in the unit of its estimate, with its
// confidence if that is less than usual. It is empty if there is none.
func mergedRange(iv stats.Interval) string {
	if iv.Level <= 0 {
		return ""
	}
	iv.N = max(iv.N, 2) // that of a single start has an interval too, over its windows
	text := writeInterval("µs", iv).Range()
	if iv.Level < 0.9499 {
		text += ", " + level(iv)
	}
	return text
}

// quantilesNote says what the quantiles are, and their intervals if there are any.
func quantilesNote(a *analysis.Analysis, r ranking, c language) string {
	some, single := false, false
	for _, row := range r.Rows {
		for _, iv := range row.Cell.Merged {
			some = some || iv.Level > 0
			single = single || iv.Level > 0 && iv.N == 1
		}
	}
	notes := []string{c.text("quantiles.note")}
	if some {
		notes = append(notes, c.text("quantiles.note.intervals"))
	}
	if single {
		notes = append(notes, c.text("quantiles.note.single"))
	}
	if some && a.Run.Until.Sequential() {
		notes = append(notes, c.text("quantiles.note.look"))
	}
	return c.paragraph(notes)
}

// text is the figure with its interval on one line.
func (f curveFigure) text() string {
	if f.Range == "" {
		return f.Text
	}
	return f.Text + " (" + f.Range + ")"
}

// curves writes the response times by percentile, nothing if no cell has any.
func (m *markdown) curves(t curveTable) {
	if len(t.Rows) == 0 {
		return
	}
	m.line("### %s\n", m.text("percentiles.title"))
	var rows [][]string
	for _, row := range t.Rows {
		texts := []string{escape(row.Subject)}
		for _, f := range row.Response {
			texts = append(texts, f.text())
		}
		rows = append(rows, texts)
	}
	m.table("l", append([]string{m.text("ranking.subject")}, t.Heads...), rows)
	m.line("\n%s\n", t.Note)
}

// heatTable is the heat map of one group as a table: the worst second of each
// subject and block.
type heatTable struct {
	Title  string
	Blocks []int // from 1
	Rows   []heatTableRow
}

type heatTableRow struct {
	Subject string
	Blocks  []worstOfBlock
}

func newHeatTable(a *analysis.Analysis, r ranking) heatTable {
	t := heatTable{Title: r.Title}
	for b := range blocks(a) {
		t.Blocks = append(t.Blocks, b+1)
	}
	for _, row := range r.Rows {
		t.Rows = append(t.Rows, heatTableRow{row.Cell.Subject, heatRow(a, row.Cell)})
	}
	return t
}
