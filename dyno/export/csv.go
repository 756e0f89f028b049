package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
)

// column is one of the CSV's: its name, with the unit at the end, and its text.
type column struct {
	name string
	text func(l *Load, w *measure.Window) string
}

// CSV writes a row per window, warm-up and invalid ones too, after a row of
// column names that end in the unit. There is no row of totals, so that a column
// can be plotted or added up as it is. A field is empty if there is nothing to
// tell, and begins with ">=" if only a lower bound is known.
func CSV(w io.Writer, l *Load) error {
	out := csv.NewWriter(w)
	columns := csvColumns()
	row := make([]string, len(columns))
	for i, c := range columns {
		row[i] = c.name
	}
	if err := out.Write(row); err != nil {
		return err
	}
	for i := range l.Result.Windows {
		for k, c := range columns {
			row[k] = c.text(l, &l.Result.Windows[i])
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// csvColumns are the columns in order. New ones are added at the end of their
// group's kind; names stay.
func csvColumns() []column {
	columns := []column{
		{"window", func(_ *Load, w *measure.Window) string { return strconv.Itoa(w.Index) }},
		{"start_unix_s", func(l *Load, w *measure.Window) string {
			return strconv.FormatFloat(float64(l.at(w.Start).UnixMicro())/1e6, 'f', 6, 64)
		}},
		{"length_s", func(_ *Load, w *measure.Window) string { return decimals(w.Length.Seconds(), 6) }},
		{"validity", func(_ *Load, w *measure.Window) string { return finding.Level(w.Validity(), w.Findings) }},
		{"findings", func(_ *Load, w *measure.Window) string { return findingNames(w.Findings) }},
		{"throughput_per_s", func(_ *Load, w *measure.Window) string { return perSecond(w.Completed, w) }},
	}
	for _, c := range countsOf(&measure.Window{}) {
		columns = append(columns, countColumn(c.name))
	}
	columns = append(columns,
		column{"in_flight", func(_ *Load, w *measure.Window) string { return decimals(w.InFlight, 3) }},
		column{"generator_cpu_s", func(_ *Load, w *measure.Window) string { return decimals(w.Worked().Seconds(), 6) }},
		column{"stall_ms", func(_ *Load, w *measure.Window) string { return decimals(float64(w.Stall)/1e6, 3) }},
	)
	for clock := range measure.NumClocks {
		for i, name := range FigureNames() {
			columns = append(columns, column{clock.String() + "_" + name + "_us", func(_ *Load, w *measure.Window) string {
				return micros(Figures(w, clock), i)
			}})
		}
	}
	return columns
}

// countOf is one of a window's counts by its name in the outputs.
type countOf struct {
	name  string
	count uint64
}

// countsOf are the counts of a window in order.
func countsOf(w *measure.Window) []countOf {
	counts := []countOf{
		{"offered", w.Offered}, {"late", w.Late}, {"sent", w.Sent}, {"completed", w.Completed}, {"drained", w.Drained},
		{"unfinished", w.Unfinished}, {"shed", w.Shed},
	}
	for _, e := range w.Errors.ByKind() {
		counts = append(counts, countOf{"errors_" + e.Kind, e.Count})
	}
	for class := 1; class <= 5; class++ {
		n := uint64(0)
		for status, count := range w.Statuses {
			if status/100 == class {
				n += count
			}
		}
		counts = append(counts, countOf{fmt.Sprintf("status_%dxx", class), n})
	}
	return append(counts, countOf{"bytes_in", w.BytesIn}, countOf{"bytes_out", w.BytesOut}, countOf{"connects", w.Connects},
		countOf{"messages_out", w.Messages.Out}, countOf{"messages_in", w.Messages.In}, countOf{"missed", w.Messages.Missed}, countOf{"reconnects", w.Messages.Reconnects})
}

func countColumn(name string) column {
	return column{name, func(_ *Load, w *measure.Window) string {
		for _, c := range countsOf(w) {
			if c.name == name {
				return strconv.FormatUint(c.count, 10)
			}
		}
		return ""
	}}
}

func micros(figures []Figure, i int) string {
	if figures == nil || figures[i].Absent {
		return ""
	}
	text := decimals(figures[i].NS/1e3, 3)
	if !figures[i].Known {
		return ">=" + text
	}
	return text
}

func findingNames(findings []finding.Finding) string {
	names := make([]string, len(findings))
	for i, f := range findings {
		names[i] = string(f.Name)
	}
	return strings.Join(names, ";")
}

func perSecond(n uint64, w *measure.Window) string {
	if w.Length <= 0 {
		return ""
	}
	return decimals(float64(n)/w.Length.Seconds(), 3)
}

// decimals writes x with at most so many decimals.
func decimals(x float64, most int) string {
	text := strconv.FormatFloat(x, 'f', most, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
