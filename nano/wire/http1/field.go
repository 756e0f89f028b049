package http1

import "bytes"

// Refusals of header and trailer fields.
var (
	errBareCR    = &Error{400, "RFC 9112 2.2", "bare CR"}
	errBareLF    = &Error{400, "RFC 9112 2.2", "bare LF"}
	errControl   = &Error{400, "RFC 9110 5.5", "control character"}
	errFold      = &Error{400, "RFC 9112 5.2", "line folding, or white space before the first field"}
	errFieldName = &Error{400, "RFC 9112 5.1", "field name is empty, not a token or not followed by a colon"}
)

// field reads the field line at b[at]. next is the index after its CRLF, or 0
// when the line is not complete yet: a line is judged when its end is in. A line
// that holds only CRLF gives an empty name: the end of the section.
func field(b []byte, at int) (f Field, next int, err error) {
	colon := token.endOf(b, at)
	if colon == len(b) || b[colon] != ':' || colon == at {
		if at+1 < len(b) && b[at] == '\r' && b[at+1] == '\n' {
			return Field{}, at + 2, nil
		}
		return Field{}, 0, wrongLine(b, at, wrongName(b[at:]))
	}
	start := colon + 1
	for start < len(b) && (b[start] == ' ' || b[start] == '\t') {
		start++
	}
	end := controlAt(b, start)
	if end+1 >= len(b) || b[end] != '\r' || b[end+1] != '\n' {
		return Field{}, 0, wrongLine(b, at, nil)
	}
	next = end + 2
	for end > start && (b[end-1] == ' ' || b[end-1] == '\t') {
		end--
	}
	return Field{span(at, colon), span(start, end)}, next, nil
}

// wrongName distinguishes a folded line from one without a valid name.
func wrongName(line []byte) error {
	if len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
		return errFold
	}
	return errFieldName
}

// wrongLine says what is wrong with the line at b[at]: the byte that ends it, or
// else err. It gives nil if the line is not complete.
func wrongLine(b []byte, at int, err error) error {
	end := controlAt(b, at)
	if incomplete(b, end) {
		return nil
	}
	switch {
	case b[end] == '\n':
		return errBareLF
	case b[end] != '\r':
		return errControl
	case b[end+1] != '\n':
		return errBareCR
	}
	return err
}

// incomplete reports whether the end of a line, as controlAt found it, is still
// to come or half in.
func incomplete(b []byte, end int) bool {
	return end >= len(b) || b[end] == '\r' && end+1 == len(b)
}

// CutField takes the first of "Name: value\r\n" lines off, of a head that was parsed or
// written by us. White space around a value is no part of it. A line without a colon has
// no name.
func CutField(lines []byte) (name, value, rest []byte) {
	end := bytes.IndexByte(lines, '\n')
	colon := bytes.IndexByte(lines[:end], ':')
	if colon < 0 {
		return nil, nil, lines[end+1:]
	}
	value = lines[colon+1 : end-1]
	for len(value) > 0 && (value[0] == ' ' || value[0] == '\t') {
		value = value[1:]
	}
	for n := len(value); n > 0 && (value[n-1] == ' ' || value[n-1] == '\t'); n = len(value) {
		value = value[:n-1]
	}
	return lines[:colon], value, lines[end+1:]
}
