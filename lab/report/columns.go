package report

import (
	"strings"

	"dyno/lab/present"
)

// TerminalTable writes rows of cells below each other, each column as wide as its widest
// cell on a terminal, where letters of some languages take two columns. Lines begin with
// the indent; the last cell of a row may be as long as it is.
func TerminalTable(b *strings.Builder, indent string, rows [][]string) {
	const gap = 2
	var wide []int
	for _, row := range rows {
		for i, cell := range row[:max(len(row)-1, 0)] {
			if i == len(wide) {
				wide = append(wide, 0)
			}
			wide[i] = max(wide[i], present.Width(cell))
		}
	}
	for _, row := range rows {
		line := indent
		for i, cell := range row {
			if i < len(row)-1 {
				cell = present.Left(cell, wide[i]+gap)
			}
			line += cell
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}
