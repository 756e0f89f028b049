package http1

import "bytes"

var errStatusLine = &Error{502, "RFC 9112 4", "status line is not HTTP/1.x SP 3DIGIT"}

// statusLine is the first line of a response.
type statusLine struct {
	status int
	minor  uint8
	reason Span
}

// readStatusLine parses "HTTP/1.x SSS reason CRLF" at the start of b; n is its
// length, or 0 when it is not complete. An absent reason may lack its space, as
// many servers send it.
func readStatusLine(b []byte) (line statusLine, n int, err error) {
	const shortest = len("HTTP/1.1 200")
	if len(b) < shortest {
		if !bytes.HasPrefix([]byte("HTTP/1."), b[:min(len(b), 7)]) {
			return line, 0, errStatusLine
		}
		return line, 0, nil
	}
	if string(b[:7]) != "HTTP/1." || b[7] != '0' && b[7] != '1' || b[8] != ' ' {
		return line, 0, errStatusLine
	}
	line.minor = b[7] - '0'
	for _, c := range b[9:shortest] {
		if !isDigit(c) {
			return line, 0, errStatusLine
		}
		line.status = line.status*10 + int(c-'0')
	}
	end := controlAt(b, shortest)
	if wrong := wrongLine(b, shortest, nil); wrong != nil || line.status < 100 {
		return line, 0, errStatusLine
	}
	switch {
	case incomplete(b, end):
		return line, 0, nil
	case end > shortest && b[shortest] != ' ':
		return line, 0, errStatusLine
	}
	line.reason = span(min(shortest+1, end), end)
	return line, end + 2, nil
}
