package jsonpb

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// next skips spaces and returns the byte that comes, 0 at the end.
func (r *reader) next() byte {
	for ; r.at < len(r.in); r.at++ {
		switch c := r.in[r.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// take takes a byte if it comes next.
func (r *reader) take(c byte) bool {
	if r.next() != c {
		return false
	}
	r.at++
	return true
}

// word takes a word that nothing of a word or number stands behind.
func (r *reader) word(word string) bool {
	if !bytes.HasPrefix(r.in[r.at:], []byte(word)) {
		return false
	}
	r.at += len(word)
	return r.apart()
}

// apart reports whether what comes isn't a part of the word or number before.
func (r *reader) apart() bool {
	if r.at == len(r.in) {
		return true
	}
	c := r.in[r.at]
	return c != '-' && c != '+' && c != '.' && c != '_' && !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'z')
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// plain are the bytes that stand for themselves in a string.
var plain = func() (plain [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// string takes a string, which is good until the next one is taken. It is in UTF-8.
func (r *reader) string() (text []byte, ok bool) {
	if r.next() != '"' {
		return nil, false
	}
	from := r.at + 1
	for i := from; i < len(r.in); i++ {
		switch c := r.in[i]; {
		case plain[c]:
		case c == '"':
			r.at = i + 1
			return r.in[from:i], true
		case c == '\\':
			r.at = i
			r.text = append(r.text[:0], r.in[from:i]...)
			return r.text, r.escaped()
		default:
			n := runeLen(r.in[i:])
			if n == 0 {
				return nil, false
			}
			i += n - 1
		}
	}
	return nil, false
}

// runeLen is the length of a character that isn't ASCII; 0: it is none.
func runeLen(b []byte) int {
	if _, n := utf8.DecodeRune(b); n > 1 {
		return n
	}
	return 0
}

// escaped takes the rest of a string that has escapes, from the first on, into r.text.
func (r *reader) escaped() bool {
	for r.at < len(r.in) {
		c := r.in[r.at]
		switch {
		case plain[c]:
			r.text = append(r.text, c)
			r.at++
		case c == '"':
			r.at++
			return true
		case c != '\\':
			n := runeLen(r.in[r.at:])
			if n == 0 {
				return false
			}
			r.text = append(r.text, r.in[r.at:r.at+n]...)
			r.at += n
		case r.at+1 == len(r.in):
			return false
		case r.in[r.at+1] == 'u':
			if !r.escapedRune() {
				return false
			}
		default:
			i := bytes.IndexByte([]byte(`"\/bfnrt`), r.in[r.at+1])
			if i < 0 {
				return false
			}
			r.text = append(r.text, "\"\\/\b\f\n\r\t"[i])
			r.at += 2
		}
	}
	return false
}

// escapedRune takes a character given by its number, or by two that are its surrogates.
func (r *reader) escapedRune() bool {
	c, ok := r.hex()
	if utf16.IsSurrogate(c) {
		low, is := r.hex()
		if c = utf16.DecodeRune(c, low); !is || c == utf8.RuneError {
			return false
		}
	}
	r.text = utf8.AppendRune(r.text, c)
	return ok
}

// hex takes \u with four digits.
func (r *reader) hex() (c rune, ok bool) {
	b := r.in[r.at:]
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	r.at += 6
	return rune(n), err == nil
}

// integer takes a number without fraction, exponent or zeros in front, as it is or as a
// string.
func (r *reader) integer() (n uint64, negative, ok bool) {
	quoted := r.take('"')
	from := r.at
	for r.at < len(r.in) && (isDigit(r.in[r.at]) || r.at == from && r.in[r.at] == '-') {
		r.at++
	}
	n, negative, ok = parseInteger(r.in[from:r.at])
	if quoted {
		return n, negative, ok && r.takeIf('"')
	}
	return n, negative, ok && r.apart()
}

// parseInteger reads a number that is nothing but it.
func parseInteger(text []byte) (n uint64, negative, ok bool) {
	if len(text) > 0 && text[0] == '-' {
		negative, text = true, text[1:]
	}
	if len(text) == 0 || len(text) > 20 || text[0] == '0' && (len(text) > 1 || negative) {
		return 0, false, false
	}
	for i, c := range text {
		if !isDigit(c) {
			return 0, false, false
		}
		if i == 19 && (n > 1844674407370955161 || n == 1844674407370955161 && c > '5') { // of 20 digits the first 19 are in
			return 0, false, false
		}
		n = n*10 + uint64(c-'0')
	}
	return n, negative, true
}

// float takes a number, or the name of one that JSON has no number for.
func (r *reader) float(bits int) (x float64, ok bool) {
	if r.next() == '"' {
		text, ok := r.string()
		if !ok {
			return 0, false
		}
		x, ok = notNumbers[string(text)]
		return x, ok
	}
	from := r.at
	r.takeIf('-')
	whole := r.digits()
	if whole == 0 || whole > 1 && r.in[r.at-whole] == '0' {
		return 0, false
	}
	if r.takeIf('.') && r.digits() == 0 {
		return 0, false
	}
	if r.takeIf('e') || r.takeIf('E') {
		if !r.takeIf('+') {
			r.takeIf('-')
		}
		if r.digits() == 0 {
			return 0, false
		}
	}
	if !r.apart() {
		return 0, false
	}
	x, err := strconv.ParseFloat(string(r.in[from:r.at]), bits)
	return x, err == nil
}

// takeIf takes a byte that comes without spaces before it.
func (r *reader) takeIf(c byte) bool {
	is := r.at < len(r.in) && r.in[r.at] == c
	if is {
		r.at++
	}
	return is
}

// digits takes digits, and returns how many there were.
func (r *reader) digits() (n int) {
	for ; r.at < len(r.in) && isDigit(r.in[r.at]); r.at++ {
		n++
	}
	return n
}
