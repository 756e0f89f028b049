package present

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"dyno.example/internal/visible"
)

// Cut shortens a line to so many columns, and leaves out what a terminal would
// obey.
func Cut(line string, columns int) string {
	return Clip(strings.Map(func(r rune) rune {
		if visible.Steers(r) {
			return ' '
		}
		return r
	}, line), columns)
}

// Clean makes one printable line of at most some 80 characters.
func Clean(text string) string {
	const most = 80
	text = strings.Join(strings.Fields(strings.Map(printable, text)), " ")
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return text
}

// printable keeps what comes from a server from steering the terminal.
func printable(r rune) rune {
	if visible.Steers(r) {
		return ' '
	}
	return r
}

// tableWidth is what tables of figures keep within: terminals are as wide if nobody
// made them wider.
const tableWidth = 80

// Columns prints a table with its columns to the right. If it is wider than a terminal,
// columns stand closer together, and heads of two words on two lines.
func Columns(w io.Writer, head []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	heads, gap := [][]string{head}, 2
	widths := columnWidths(append(heads, rows...))
	if lineWidth(widths, gap) > tableWidth {
		gap = 1
	}
	if lineWidth(widths, gap) > tableWidth {
		heads = onTwoLines(head)
		widths = columnWidths(append(heads, rows...))
	}
	fmt.Fprintln(w)
	for _, row := range append(heads, rows...) {
		line := " "
		for i, text := range row {
			line += strings.Repeat(" ", gap) + Right(text, widths[i])
		}
		fmt.Fprintln(w, line)
	}
}

// columnWidths are those of the widest texts of each column.
func columnWidths(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, text := range row {
			widths[i] = max(widths[i], Width(text))
		}
	}
	return widths
}

// lineWidth is how wide a line of columns is.
func lineWidth(widths []int, gap int) int {
	total := 1
	for _, width := range widths {
		total += gap + width
	}
	return total
}

// onTwoLines breaks heads before a slash or at a space.
func onTwoLines(head []string) [][]string {
	lines := [][]string{make([]string, len(head)), slices.Clone(head)}
	for i, text := range head {
		if at := strings.IndexAny(text, " /"); at > 0 {
			lines[0][i], lines[1][i] = text[:at], strings.TrimPrefix(text[at:], " ")
		}
	}
	return lines
}
