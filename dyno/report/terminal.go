package report

import (
	"strings"

	"dyno.example/internal/visible"
)

// printable replaces characters that a terminal would obey.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if visible.Steers(r) {
			return '?'
		}
		return r
	}, s)
}

// oneLine joins the lines of a text, such as an error with the last lines of a
// subject's log.
func oneLine(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, " | ")
}
