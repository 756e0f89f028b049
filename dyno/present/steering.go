package present

import (
	"bytes"
	"unicode"
)

// Steers reports whether a character says how others are shown, to terminals and pages: what
// comes from a server must not move a cursor, nor have what is read look like something else
// (Unicode UAX #9; Trojan Source, CVE-2021-42574).
func Steers(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// Harmless returns a page with a mark in place of what steers in it, but for its lines and
// tabs.
func Harmless(page []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if Steers(r) && r != '\n' && r != '\t' && r != '\r' {
			return unicode.ReplacementChar
		}
		return r
	}, page)
}
