package present

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Width is how many columns of a terminal a text takes.
func Width(s string) int {
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

// Clip shortens a text to a number of columns with an ellipsis.
func Clip(s string, columns int) string {
	if Width(s) <= columns {
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

// Wrap breaks a text into lines of at most so many columns, at ordinary spaces and
// between wide letters, which stand without spaces.
func Wrap(s string, columns int) string {
	var lines []string
	line := ""
	for word := range strings.SplitSeq(s, " ") {
		space := " "
		for _, part := range breakable(word) {
			if line != "" && Width(line)+len(space)+Width(part) > columns {
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
		if last >= 0 && (wide(last) || wide(r)) && !strings.ContainsRune(notFirst, r) && !strings.ContainsRune(notLast, last) {
			parts, start = append(parts, word[start:i]), i
		}
		last = r
	}
	return append(parts, word[start:])
}

// Left fills a text up with spaces on its right to so many columns of a terminal.
func Left(text string, columns int) string {
	return text + strings.Repeat(" ", max(columns-Width(text), 0))
}

// Right fills a text up with spaces on its left to so many columns of a terminal.
func Right(text string, columns int) string {
	return strings.Repeat(" ", max(columns-Width(text), 0)) + text
}
