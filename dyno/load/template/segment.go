package template

import (
	"strconv"
	"time"
	"unicode/utf8"
)

// kind is what a segment puts in.
type kind uint8

const (
	literal kind = iota
	integer
	letters
	hexadecimal
	uuid
	choice
	sequence
	unixSeconds
	unixMillis
	rfc3339
	feedField
)

// encoding is how a text that someone has written is put in.
type encoding uint8

const (
	plain encoding = iota
	jsonString
	percent
)

// segment is a part of a template.
type segment struct {
	kind     kind
	encoding encoding
	text     string   // literal
	low      int64    // integer: lowest; sequence: first; letters, hexadecimal: how many
	span     uint64   // integer: how many there are
	choices  []string // choice
	feed     int      // feedCell: index in the Env …
	column   int      // … in its table
	table    *Table
}

// Append renders the template with what s has for the current request, and
// returns the extended buffer. It allocates only if dst is too small.
func (t *Template) Append(dst []byte, s *State) []byte {
	for i := range t.segments {
		dst = t.segments[i].append(dst, s)
	}
	return dst
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func (g *segment) append(dst []byte, s *State) []byte {
	switch g.kind {
	case literal:
		return append(dst, g.text...)
	case integer:
		return strconv.AppendInt(dst, g.low+int64(s.rng.Uint64N(g.span)), 10)
	case letters:
		for range g.low {
			dst = append(dst, alphabet[s.rng.IntN(len(alphabet))])
		}
	case hexadecimal:
		return s.appendHex(dst, int(g.low))
	case uuid:
		return s.appendUUID(dst)
	case choice:
		return g.encode(dst, g.choices[s.rng.IntN(len(g.choices))])
	case sequence:
		return strconv.AppendInt(dst, g.low+int64(s.sequence), 10)
	case unixSeconds:
		return strconv.AppendInt(dst, s.Now/int64(time.Second), 10)
	case unixMillis:
		return strconv.AppendInt(dst, s.Now/int64(time.Millisecond), 10)
	case rfc3339:
		return time.Unix(0, s.Now).UTC().AppendFormat(dst, "2006-01-02T15:04:05.000Z07:00")
	case feedField:
		return g.encode(dst, g.table.rows[s.rows[g.feed]][g.column].text)
	}
	return dst
}

const digits = "0123456789abcdef"

func (s *State) appendHex(dst []byte, n int) []byte {
	for n > 0 {
		bits := s.rng.Uint64()
		for i := 0; i < 16 && n > 0; i++ {
			dst = append(dst, digits[bits&15])
			bits >>= 4
			n--
		}
	}
	return dst
}

// appendUUID appends a UUID of version 4 (RFC 9562 5.4).
func (s *State) appendUUID(dst []byte) []byte {
	high := s.rng.Uint64()&^0xf000 | 0x4000
	low := s.rng.Uint64()&^(0b11<<62) | 0b10<<62
	for i := 60; i >= 0; i -= 4 {
		dst = append(dst, digits[high>>i&15])
		if i == 32 || i == 16 {
			dst = append(dst, '-')
		}
	}
	dst = append(dst, '-')
	for i := 60; i >= 0; i -= 4 {
		dst = append(dst, digits[low>>i&15])
		if i == 48 {
			dst = append(dst, '-')
		}
	}
	return dst
}

func (g *segment) encode(dst []byte, text string) []byte {
	switch g.encoding {
	case jsonString:
		return appendJSON(dst, text)
	case percent:
		return appendPercent(dst, text)
	}
	return append(dst, text...)
}

// appendJSON appends a text as a JSON string (RFC 8259 7). What is not UTF-8
// becomes the replacement character.
func appendJSON(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		case c < utf8.RuneSelf:
			dst = append(dst, c)
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			dst = utf8.AppendRune(dst, r)
			i += size
			continue
		}
		i++
	}
	return append(dst, '"')
}

// appendPercent encodes all but the unreserved characters (RFC 3986 2.3).
func appendPercent(dst []byte, text string) []byte {
	const digits = "0123456789ABCDEF"
	for i := range len(text) {
		c := text[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~' {
			dst = append(dst, c)
			continue
		}
		dst = append(dst, '%', digits[c>>4], digits[c&15])
	}
	return dst
}
