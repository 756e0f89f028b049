package found

import (
	"fmt"
	"io"

	"dyno.example/dyno/capacity"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/present"
	"dyno.example/dyno/present/curve"
	"dyno.example/dyno/report"
)

// labelled prints a line that begins with what it is about.
func labelled(w io.Writer, label, text string) {
	fmt.Fprintf(w, "  %s %s\n", present.Left(label, 12), text)
}

// heads are the heads of a table's columns in a language.
func heads(t report.Texts, names ...string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		if name != "" {
			out[i] = t.Text("found.head." + name)
		}
	}
	return out
}

// writeValidity says what a measurement of many trials is worth, and why.
func writeValidity(w io.Writer, t report.Texts, d *capacity.Disturbed) {
	for _, line := range validityLines(t, d) {
		labelled(w, line[0], line[1])
	}
}

func validityLines(t report.Texts, d *capacity.Disturbed) [][2]string {
	lines := [][2]string{{t.Text("load.validity"), t.Text("validity." + finding.Level(d.Validity, d.Findings))}}
	for i := range d.Findings {
		f := &d.Findings[i]
		lines = append(lines, [2]string{"", t.Text("found.finding", "level", levelText(t, f), "name", f.Name, "trials", t.Count("found.trials", uint64(len(f.Windows))), "detail", t.Say(f.Detail))})
	}
	return lines
}

// levelText is a finding's level as a word in a line.
func levelText(t report.Texts, f *finding.Finding) string {
	switch {
	case f.Validity == finding.Valid:
		return t.Text("found.remark")
	case f.Accepted:
		return t.Text("validity.accepted")
	}
	return t.Text("validity." + string(f.Validity))
}

// newPage begins a page of a kind: "capacity", "knee" or "overload".
func newPage(t report.Texts, kind, target, objective, sentence string) *curve.Page {
	return &curve.Page{
		Lang: t.Lang(), Title: t.Text("found.page."+kind, "target", target), Question: t.Text("found.page."+kind+".question", "objective", objective),
		Result: sentence, Figures: t.Text("found.page.figures"),
	}
}
