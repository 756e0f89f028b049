package report

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
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

// textWidth is how many columns of a terminal a text takes.
func textWidth(s string) int {
	columns := 0
	for _, r := range s {
		columns += letterWidth(r)
	}
	return columns
}

// letterWidth is how many columns a letter takes: two if it is wide or full-width
// by Unicode's annex 11, none if it stands on the letter before it. Those of which the
// annex leaves it open, as ≥ and ×, are narrow on the terminals of today.
func letterWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case wide(r):
		return 2
	}
	return 1
}

func wide(r rune) bool {
	kind := width.LookupRune(r).Kind()
	return kind == width.EastAsianWide || kind == width.EastAsianFullwidth
}

// clip shortens a text to a number of columns with an ellipsis.
func clip(s string, columns int) string {
	if textWidth(s) <= columns {
		return s
	}
	taken := 1 // by the ellipsis
	for i, r := range s {
		if taken += letterWidth(r); taken > columns {
			return s[:i] + "…"
		}
	}
	return s
}

// wrap breaks a text into lines of at most so many columns, at ordinary spaces and
// between wide letters, which stand without spaces.
func wrap(s string, columns int) string {
	var lines []string
	line := ""
	for word := range strings.SplitSeq(s, " ") {
		space := " "
		for _, part := range breakable(word) {
			if line != "" && textWidth(line)+len(space)+textWidth(part) > columns {
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
	notFirst = "、。，；：！？）」』》”’…)],.;:!?%" + gap
	notLast  = "（「『《“‘([" + gap
)

// breakable are the parts of a word between which a line may end: before and after
// each wide letter.
func breakable(word string) []string {
	var parts []string
	start, last := 0, rune(-1)
	for i, r := range word {
		if last >= 0 && (wide(last) || wide(r)) && !strings.ContainsRune(notFirst, r) && !strings.ContainsRune(notLast, last) {
			parts, start = append(parts, word[start:i]), i
		}
		last = r
	}
	return append(parts, word[start:])
}
