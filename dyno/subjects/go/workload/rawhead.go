package main

import "bytes"

const maxFields = 32

// rawHead is a parsed request head. All of it are views into the bytes it was
// parsed from.
type rawHead struct {
	method, target []byte
	fields         [maxFields]rawField
	filled         int
}

type rawField struct{ name, value []byte }

// parse reads a whole head: the request line and fields of RFC 9112, sections 3
// and 5, with the checks net/http makes too. It reports whether all was right.
func (h *rawHead) parse(b []byte) bool {
	h.filled = 0
	line, b, ok := cutLine(b)
	if !ok || !h.parseLine(line) {
		return false
	}
	for {
		if line, b, ok = cutLine(b); !ok {
			return false
		}
		if len(line) == 0 {
			return len(b) == 0
		}
		if !h.parseField(line) {
			return false
		}
	}
}

func cutLine(b []byte) (line, rest []byte, ok bool) {
	end := bytes.IndexByte(b, '\n')
	if end < 1 || b[end-1] != '\r' {
		return nil, nil, false
	}
	return b[:end-1], b[end+1:], true
}

func (h *rawHead) parseLine(line []byte) bool {
	space := bytes.IndexByte(line, ' ')
	if space < 0 || !all(line[:space], tokens) {
		return false
	}
	h.method, line = line[:space], line[space+1:]
	space = bytes.IndexByte(line, ' ')
	if space < 1 || line[0] != '/' || !all(line[:space], visible) {
		return false
	}
	h.target = line[:space]
	return string(line[space+1:]) == "HTTP/1.1"
}

func (h *rawHead) parseField(line []byte) bool {
	colon := bytes.IndexByte(line, ':')
	if colon < 0 || h.filled == maxFields || !all(line[:colon], tokens) {
		return false
	}
	value := bytes.Trim(line[colon+1:], " \t")
	if !all(value, text) {
		return false
	}
	h.fields[h.filled] = rawField{line[:colon], value}
	h.filled++
	return true
}

// field returns the first field of the name, nil if there is none.
func (h *rawHead) field(name string) []byte {
	for i := range h.fields[:h.filled] {
		if f := &h.fields[i]; len(f.name) == len(name) && equalFold(f.name, name) {
			return f.value
		}
	}
	return nil
}

// equalFold compares ASCII letters without regard to their case. Both are of
// the same length.
func equalFold(a []byte, b string) bool {
	for i, c := range a {
		if d := b[i]; c != d && (c|0x20 != d|0x20 || c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return true
}

// Kinds of bytes, as bits of the table.
const (
	tokens  = 1 << iota // RFC 9110, section 5.6.2
	visible             // printable ASCII but the space
	text                // all that a field's value may hold
)

var kinds = func() (table [256]byte) {
	for c := range 256 {
		if c > ' ' && c < 0x7f {
			table[c] |= visible | text
			if bytes.IndexByte([]byte(`"(),/:;<=>?@[\]{}`), byte(c)) < 0 {
				table[c] |= tokens
			}
		}
		if c == ' ' || c == '\t' || c >= 0x80 {
			table[c] |= text
		}
	}
	return table
}()

// all reports whether b is not empty, unless it is text, and of one kind.
func all(b []byte, kind byte) bool {
	for _, c := range b {
		if kinds[c]&kind == 0 {
			return false
		}
	}
	return len(b) > 0 || kind == text
}
