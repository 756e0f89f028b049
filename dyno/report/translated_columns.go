package report

import (
	"io"
	"strings"

	"dyno.example/dyno/present"
)

// Columns translates tables that are written to w, each writing as a text of its own,
// cell by cell: a cell ends at two spaces. Cells begin where they began, as far as those
// before them leave room.
func (t Texts) Columns(w io.Writer) io.Writer {
	if t.c.whole == nil {
		return w
	}
	return &translator{w, t.columns}
}

// ColumnsToTheRight is Columns for tables whose cells, but for the first of each line, end
// below each other.
func (t Texts) ColumnsToTheRight(w io.Writer) io.Writer {
	if t.c.whole == nil {
		return w
	}
	return &translator{w, t.columnsToTheRight}
}

func (t Texts) columns(text string) string           { return t.eachLine(text, false) }
func (t Texts) columnsToTheRight(text string) string { return t.eachLine(text, true) }

func (t Texts) eachLine(text string, right bool) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		line, end := strings.CutSuffix(line, "\n")
		out.WriteString(t.cells(line, right))
		if end {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// cells translates the cells of one line.
func (t Texts) cells(line string, right bool) string {
	const gap = "  "
	out, at := "", 0 // at is where the rest begins, in columns
	for first := true; line != ""; first = false {
		spaces := len(line) - len(strings.TrimLeft(line, " "))
		line, at = line[spaces:], at+spaces
		cell := line
		if end := strings.Index(line, gap); end >= 0 {
			cell = line[:end]
		}
		line = line[len(cell):]
		translated := t.Cell(cell)
		start := at
		at += present.Width(cell)
		if right && !first {
			start = at - present.Width(translated)
		}
		pad := start - present.Width(out)
		if !first {
			pad = max(pad, len(gap))
		}
		out += strings.Repeat(" ", max(pad, 0)) + translated
	}
	return out
}

// Cells are heads of columns in the language.
func (t Texts) Cells(texts ...string) []string {
	for i, text := range texts {
		texts[i], _ = t.Whole(text)
	}
	return texts
}

// Cell is what a cell says, as a whole, or with the phrases in it in the language.
func (t Texts) Cell(text string) string {
	if translated, _ := t.Whole(text); translated != text {
		return translated
	}
	return t.Reason(text)
}
