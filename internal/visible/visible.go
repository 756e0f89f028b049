// Package visible writes what others have said, registries and clients and upstreams among
// them, so that a terminal shows it and obeys nothing of it: control characters, which set
// titles, colours and clipboards or rewrite what stands before them, and those that turn
// the direction of text around, are written as Go writes them in literals.
package visible

import (
	"io"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Steers reports whether a character changes how terminals and pages show others: text from
// outside must not move a cursor or make other text look like something else (Unicode UAX
// #9; Trojan Source, CVE-2021-42574).
func Steers(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// Append appends text. Line ends and tabs stay.
func Append(dst, text []byte) []byte {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			dst = append(append(dst, `\x`...), hex[text[0]>>4], hex[text[0]&15])
		case r != '\n' && r != '\t' && Steers(r):
			quoted := strconv.AppendQuoteRuneToASCII(nil, r)
			dst = append(dst, quoted[1:len(quoted)-1]...)
		default:
			dst = append(dst, text[:n]...)
		}
		text = text[n:]
	}
	return dst
}

const hex = "0123456789abcdef"

// Writer writes text to To in that form. Each Write must end with a complete character.
type Writer struct{ To io.Writer }

func (w Writer) Write(text []byte) (int, error) {
	if _, err := w.To.Write(Append(make([]byte, 0, len(text)), text)); err != nil {
		return 0, err
	}
	return len(text), nil
}
