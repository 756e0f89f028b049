package present

import (
	"fmt"
	"io"
	"strings"
)

// Cut shortens a line to so many columns, and leaves out what a terminal would
// obey.
func Cut(line string, columns int) string {
	return Clip(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
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
	if r < ' ' || r >= 0x7f && r < 0xa0 {
		return ' '
	}
	return r
}

// Columns prints a table with its columns to the right.
func Columns(w io.Writer, head []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	widths := make([]int, len(head))
	for _, row := range append([][]string{head}, rows...) {
		for i, text := range row {
			widths[i] = max(widths[i], Width(text))
		}
	}
	fmt.Fprintln(w)
	for _, row := range append([][]string{head}, rows...) {
		fmt.Fprint(w, " ")
		for i, text := range row {
			fmt.Fprint(w, " ", Right(text, widths[i]+1))
		}
		fmt.Fprintln(w)
	}
}
