package http1

import (
	"bytes"
	"encoding/binary"
)

// Refusals of header fields.
var (
	errBareCR      = &Error{"RFC 9112 2.2", "bare CR in the head"}
	errControl     = &Error{"RFC 9110 5.5", "control character in a field value"}
	errFold        = &Error{"RFC 9112 5.2", "line folding"}
	errFieldName   = &Error{"RFC 9112 5.1", "field name is empty or not a token"}
	errHeadTooLong = &Error{"RFC 9112 3", "message head longer than 64 KiB"}
)

// token marks the bytes a field name or method may hold (RFC 9110 5.6.2).
var token = func() (t [256]bool) {
	for c := '0'; c <= '9'; c++ {
		t[c] = true
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = true, true
	}
	for _, c := range "!#$%&'*+-.^_`|~" {
		t[c] = true
	}
	return
}()

// field splits the field line at the start of b. It returns the line's length
// with its CRLF; n is 0 when the line is not complete yet. A line that holds
// only CRLF gives n == 2 and an empty name: the end of the section.
func field(b []byte) (name, value []byte, n int, err error) {
	end := bytes.IndexByte(b, '\r')
	if end < 0 || end+1 == len(b) {
		// Nothing after an incomplete line may be trusted, but what is already
		// wrong is refused now: a peer must not be able to make us wait for it.
		if bytes.IndexByte(b, '\n') >= 0 {
			return nil, nil, 0, errControl
		}
		return nil, nil, 0, nil
	}
	if b[end+1] != '\n' {
		return nil, nil, 0, errBareCR
	}
	if end == 0 {
		return nil, nil, 2, nil
	}
	line := b[:end]
	if line[0] == ' ' || line[0] == '\t' {
		return nil, nil, 0, errFold
	}
	colon := 0
	for colon < len(line) && token[line[colon]] {
		colon++
	}
	if colon == 0 || colon == len(line) || line[colon] != ':' {
		return nil, nil, 0, errFieldName
	}
	value = trim(line[colon+1:])
	if hasControl(value) {
		return nil, nil, 0, errControl
	}
	return line[:colon], value, end + 2, nil
}

// trim removes optional white space (RFC 9110 5.6.3) from both ends.
func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// hasControl reports whether b holds a byte below 0x20 other than TAB, or DEL.
// It looks at eight bytes at a time; the exact test runs only on a hit.
func hasControl(b []byte) bool {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	for len(b) >= 8 {
		w := binary.LittleEndian.Uint64(b)
		below := (w - 0x20*ones) & ^w
		del := w ^ 0x7f*ones
		if (below|(del-ones)&^del)&highs != 0 && controlIn(b[:8]) {
			return true
		}
		b = b[8:]
	}
	return controlIn(b)
}

func controlIn(b []byte) bool {
	for _, c := range b {
		if c < 0x20 && c != '\t' || c == 0x7f {
			return true
		}
	}
	return false
}

// equalFold compares b with a lower-case ASCII string, ignoring case.
func equalFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// listHas reports whether the comma-separated list holds the token.
func listHas(list []byte, lower string) bool {
	for len(list) > 0 {
		item := list
		if i := bytes.IndexByte(list, ','); i >= 0 {
			item, list = list[:i], list[i+1:]
		} else {
			list = nil
		}
		if equalFold(trim(item), lower) {
			return true
		}
	}
	return false
}
