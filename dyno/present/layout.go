package present

import (
	"strings"

	"dyno.example/dyno/internal/columns"
)

// Width is how many columns of a terminal a text takes.
func Width(s string) int { return columns.Width(s) }

// Left fills a text up with spaces on its right to so many columns of a terminal.
func Left(text string, most int) string { return columns.Left(text, most) }

// Right fills a text up with spaces on its left to so many columns of a terminal.
func Right(text string, most int) string { return columns.Right(text, most) }

// Clip shortens a text to a number of columns with an ellipsis.
func Clip(s string, most int) string {
	if Width(s) <= most {
		return s
	}
	taken := 1 // by the ellipsis
	for i, r := range s {
		if taken += columns.Letter(r); taken > most {
			return s[:i] + "…"
		}
	}
	return s
}

// Wrap breaks a text into lines of at most so many columns, at ordinary spaces and
// between wide letters, which stand without spaces.
func Wrap(s string, most int) string {
	var lines []string
	line := ""
	for word := range strings.SplitSeq(s, " ") {
		space := " "
		for _, part := range breakable(word) {
			if line != "" && Width(line)+len(space)+Width(part) > most {
				lines, line = append(lines, line), ""
			}
			if line != "" {
				line += space
			}
			line, space = line+part, ""
		}
	}
	return strings.Join(append(lines, line), "\n")
}

// What no line begins with, and what none ends with.
const (
	notFirst = "、。，；：！？）」』》”’…)],.;:!?%\u00a0"
	notLast  = "（「『《“‘([\u00a0"
)

// breakable are the parts of a word between which a line may end: before and after
// each wide letter.
func breakable(word string) []string {
	var parts []string
	start, last := 0, rune(-1)
	for i, r := range word {
		if last >= 0 && (columns.Wide(last) || columns.Wide(r)) && !strings.ContainsRune(notFirst, r) && !strings.ContainsRune(notLast, last) {
			parts, start = append(parts, word[start:i]), i
		}
		last = r
	}
	return append(parts, word[start:])
}
