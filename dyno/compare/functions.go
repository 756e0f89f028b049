package compare

import (
	"fmt"
	"slices"
	"strings"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/profiled"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

// Functions is what a cell's functions cost a request in both runs, of their own.
type Functions struct {
	Group   string                `json:"group"`
	Subject string                `json:"subject"`
	Kind    archive.Kind          `json:"kind"`
	Unit    string                `json:"unit"` // "µs/req" or "bytes"
	Rows    []profiled.Difference `json:"functions"`
}

// profilesCompared are the profiles that are held against each other, and the values of each.
var profilesCompared = []struct {
	kind         archive.Kind
	column, unit string
	per          float64 // of the column's units in the unit
}{
	{archive.CPUProfile, "cpu", "µs/req", 1e3},
	{archive.AllocProfile, "alloc_space", "bytes", 1},
}

// AddFunctions adds what functions cost, of cells of which both runs have kept profiles.
func (c *Comparison) AddFunctions(old, new *archive.Run) error {
	for _, p := range profilesCompared {
		before, err := profiled.Read(old, p.kind)
		if err != nil {
			return err
		}
		after, err := profiled.Read(new, p.kind)
		if err != nil {
			return err
		}
		for i := range after {
			n := &after[i]
			at := slices.IndexFunc(before, func(o profiled.Cell) bool { return o.Subject == n.Subject && o.Group == n.Group })
			if at < 0 {
				continue
			}
			if rows := profiled.Compare(&before[at], n, p.column); len(rows) > 0 {
				for k := range rows {
					inUnits(&rows[k], p.per)
				}
				c.Functions = append(c.Functions, Functions{n.Group, n.Subject, p.kind, p.unit, rows})
			}
		}
	}
	return nil
}

func inUnits(d *profiled.Difference, per float64) {
	for _, x := range []*float64{&d.Old, &d.New, &d.More.Estimate, &d.More.Low, &d.More.High, &d.Noise} {
		*x /= per
	}
}

// title says what a table of functions is of.
func (f *Functions) title() i18n.Message {
	if f.Kind == archive.AllocProfile {
		return i18n.New("compare.bytes-by-function", "%s under %s: bytes allocated a request, by function", f.Subject, f.Group)
	}
	return i18n.New("compare.cpu-by-function", "%s under %s: CPU time a request, by function", f.Subject, f.Group)
}

// table has a row for each function, with "more" or "less" where the interval for all of them
// together is on one side of zero.
func (f *Functions) table(t report.Texts) [][]string {
	rows := [][]string{{t.Text("compare.old.head"), t.Text("compare.new.head"), t.Text("compare.noise.head"), "", t.Text("compare.function.head")}}
	for i := range f.Rows {
		d := &f.Rows[i]
		noise, mark := "–", ""
		if d.Noise > 0 {
			noise = "±" + report.Quantity(f.Unit, d.Noise)
		}
		switch {
		case d.More.Level > 0 && d.More.Low > 0:
			mark = t.Text("compare.function.more")
		case d.More.Level > 0 && d.More.High < 0:
			mark = t.Text("compare.function.less")
		}
		rows = append(rows, []string{report.Quantity(f.Unit, d.Old), report.Quantity(f.Unit, d.New), noise, mark, report.TerminalText(d.Function)})
	}
	return rows
}

// functionsText writes the tables for a terminal.
func (c *Comparison) functionsText(b *strings.Builder, t report.Texts, width int) {
	for i := range c.Functions {
		f := &c.Functions[i]
		fmt.Fprintf(b, "\n%s\n", t.Say(f.title()))
		report.TerminalTable(b, "  ", f.table(t), width)
	}
	if len(c.Functions) > 0 {
		fmt.Fprintf(b, "\n%s\n", t.Say(noiseMeans()))
	}
}

// functionsMarkdown writes them in Markdown.
func (c *Comparison) functionsMarkdown(b *strings.Builder, t report.Texts) {
	for i := range c.Functions {
		f := &c.Functions[i]
		fmt.Fprintf(b, "\n### %s\n\n", report.MarkdownText(t.Say(f.title())))
		for k, row := range f.table(t) {
			for at := range row {
				row[at] = report.MarkdownText(row[at])
			}
			fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
			if k == 0 {
				b.WriteString("|--:|--:|--:|:--|:--|\n")
			}
		}
	}
	if len(c.Functions) > 0 {
		fmt.Fprintf(b, "\n%s\n", report.MarkdownText(t.Say(noiseMeans())))
	}
}

func noiseMeans() i18n.Message {
	return i18n.New("compare.noise-means", "NOISE is by how much two equal runs with as many starts that differ as much among themselves would be apart in 95 of 100 cases; more and less are beyond chance for all functions of a table together")
}
