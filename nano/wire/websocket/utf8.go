package websocket

import "unicode/utf8"

// textCheck holds the text of a message to UTF-8 as it comes, in pieces that may end
// within a character. It fails at the first piece that no more bytes could make valid.
type textCheck struct {
	part [utf8.UTFMax]byte // of an incomplete character
	n    int
}

// take takes the next bytes.
func (c *textCheck) take(b []byte) bool {
	for len(b) > 0 && c.n > 0 {
		if !c.character(b[0]) {
			return false
		}
		b = b[1:]
	}
	whole := wholeUntil(b)
	if !utf8.Valid(b[:whole]) {
		return false
	}
	for _, x := range b[whole:] {
		if !c.character(x) {
			return false
		}
	}
	return true
}

// takeMasked takes bytes that are masked, and leaves them so.
func (c *textCheck) takeMasked(b []byte, mask [4]byte, at uint64) bool {
	var plain [512]byte
	for len(b) > 0 {
		n := copy(plain[:], b)
		Mask(plain[:n], mask, at)
		if !c.take(plain[:n]) {
			return false
		}
		b, at = b[n:], at+uint64(n)
	}
	return true
}

// whole reports whether the text so far ends with a complete character.
func (c *textCheck) whole() bool { return c.n == 0 }

// wholeUntil is where the last character of b begins if that may lack bytes, else
// len(b).
func wholeUntil(b []byte) int {
	for i := len(b) - 1; i >= 0 && i > len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if utf8.FullRune(b[i:]) {
				return len(b)
			}
			return i
		}
	}
	return len(b)
}

// character takes a byte.
func (c *textCheck) character(x byte) bool {
	c.part[c.n] = x
	c.n++
	s := c.part[:c.n]
	if utf8.FullRune(s) { // also when no more bytes could make it valid
		r, size := utf8.DecodeRune(s)
		c.n = 0
		return r != utf8.RuneError || size == len(s) // U+FFFD itself
	}
	return true
}
