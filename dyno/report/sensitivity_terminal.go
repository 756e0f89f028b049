package report

import (
	"strings"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/present"
)

// terminalSensitivity writes the Sobol indices for a terminal, nothing if there are
// none.
func terminalSensitivity(a *analysis.Analysis, c language, width int, p painter) string {
	tables := sensitivityTables(a, c)
	if len(tables) == 0 {
		return ""
	}
	out := p.paint(bold, c.text("variance.title")) + "\n"
	for _, t := range tables {
		out += "\n" + present.Clip(printable(t.Title), width) + "\n"
		if len(t.Rows) > 0 {
			out += t.terminal(c, width, p)
		}
		out += indented(t.Missing, width)
	}
	return out + "\n" + present.Wrap(c.text("variance.note"), width) + "\n"
}

// terminal writes the table's lines two columns in. Names are shortened where they
// don't fit.
func (t *sensitivityTable) terminal(c language, width int, p painter) string {
	heads, lines := t.heads(c), t.lines()
	widths := columnWidths(append(heads, lines...))
	over := -width
	for _, w := range widths {
		over += columnGap + w
	}
	if over > 0 {
		widths[0] = max(widths[0]-over, 8)
	}
	var out strings.Builder
	for _, line := range heads {
		out.WriteString(p.paint(dim, alignedLine(line, widths)) + "\n")
	}
	for _, line := range lines {
		out.WriteString(alignedLine(line, widths) + "\n")
	}
	return out.String()
}

// heads are two lines: what stands in parentheses is the second.
func (t *sensitivityTable) heads(c language) [][]string {
	first, second := []string{""}, []string{c.text("variance.factor")}
	for _, head := range []string{c.text("variance.first"), c.text("variance.total")} {
		name, rest, found := strings.Cut(head, " (")
		if !found {
			name, rest = "", head
		} else {
			rest = "(" + rest
		}
		first, second = append(first, name), append(second, rest)
	}
	return [][]string{first, second}
}

func (t *sensitivityTable) lines() (lines [][]string) {
	for _, r := range t.Rows {
		lines = append(lines, []string{printable(r.Factor), r.First.text(), r.Total.text()})
	}
	return lines
}

func columnWidths(lines [][]string) []int {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for k, text := range line {
			widths[k] = max(widths[k], present.Width(text))
		}
	}
	return widths
}

// alignedLine writes the first column to the left, figures to the right.
func alignedLine(line []string, widths []int) string {
	name := present.Clip(line[0], widths[0])
	text := strings.Repeat(" ", columnGap) + name + strings.Repeat(" ", widths[0]-present.Width(name))
	for k := 1; k < len(line); k++ {
		text += strings.Repeat(" ", columnGap+widths[k]-present.Width(line[k])) + line[k]
	}
	return text
}
