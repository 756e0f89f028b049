package present

import (
	"bytes"
	"unicode"

	"dyno.example/internal/visible"
)

// Harmless returns a page with a mark in place of what steers in it, but for its lines and
// tabs.
func Harmless(page []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if visible.Steers(r) && r != '\n' && r != '\t' && r != '\r' {
			return unicode.ReplacementChar
		}
		return r
	}, page)
}
