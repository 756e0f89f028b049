package report

import (
	"math"
	"strconv"

	"dyno/lab/analysis"
)

// tabulated are the percentiles the table beside the latency chart lists.
var tabulated = []float64{50, 90, 99, 99.9, 99.99}

// curveTable is the latency chart of one group as a table.
type curveTable struct {
	Title string
	Heads []string // "p50", …
	Rows  []curveRow
}

type curveRow struct {
	Subject  string
	Response []string
	Service  []string
}

func newCurveTable(r ranking) curveTable {
	t := curveTable{Title: r.Title}
	for _, p := range tabulated {
		t.Heads = append(t.Heads, "p"+strconv.FormatFloat(p, 'f', -1, 64))
	}
	for _, row := range r.Rows {
		if len(row.Cell.Curve)+len(row.Cell.Service) == 0 {
			continue
		}
		t.Rows = append(t.Rows, curveRow{row.Cell.Subject, readCurve(row.Cell.Curve), readCurve(row.Cell.Service)})
	}
	return t
}

// readCurve reads the tabulated percentiles off a curve.
func readCurve(points []analysis.Point) []string {
	out := make([]string, len(tabulated))
	for i, want := range tabulated {
		out[i] = "–"
		for _, p := range points {
			if math.Abs(p.Percentile-want) > 1e-6 {
				continue
			}
			out[i] = bounded(p)
		}
	}
	return out
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
