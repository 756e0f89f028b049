// Package columns knows how many columns of a terminal texts take.
package columns

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Width is how many columns of a terminal a text takes.
func Width(s string) int {
	columns := 0
	for _, r := range s {
		columns += Letter(r)
	}
	return columns
}

// Letter is how many columns a letter takes: two if it is wide or full-width
// by Unicode's annex 11, none if it stands on the letter before it. Those of which the
// annex leaves it open, as ≥ and ×, are narrow on the terminals of today.
func Letter(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case Wide(r):
		return 2
	}
	return 1
}

// Wide reports whether a letter takes two.
func Wide(r rune) bool {
	kind := width.LookupRune(r).Kind()
	return kind == width.EastAsianWide || kind == width.EastAsianFullwidth
}

// Left fills a text up with spaces on its right to so many columns of a terminal.
func Left(text string, columns int) string {
	return text + strings.Repeat(" ", max(columns-Width(text), 0))
}

// Right fills a text up with spaces on its left to so many columns of a terminal.
func Right(text string, columns int) string {
	return strings.Repeat(" ", max(columns-Width(text), 0)) + text
}
