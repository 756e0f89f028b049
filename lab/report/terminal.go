package report

import (
	"strings"
	"unicode/utf8"
)

// printable replaces control characters, which a terminal would obey.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
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

// textWidth is how many columns a text takes if all its letters are narrow.
func textWidth(s string) int { return utf8.RuneCountInString(s) }

// clip shortens a text to width with an ellipsis.
func clip(s string, width int) string {
	if textWidth(s) <= width {
		return s
	}
	return string([]rune(s)[:max(width-1, 0)]) + "…"
}

// wrap breaks a text at ordinary spaces into lines of at most width.
func wrap(s string, width int) string {
	var lines []string
	line := ""
	for word := range strings.SplitSeq(s, " ") {
		if line != "" && textWidth(line)+1+textWidth(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return strings.Join(append(lines, line), "\n")
}
