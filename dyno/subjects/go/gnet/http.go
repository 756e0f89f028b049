package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

const (
	maxHead = 8 << 10 // bytes of request line and headers
	maxBody = 1 << 20 // bytes
)

// request is one parsed request. Target and body are views into the bytes it
// was parsed from, valid until they are discarded.
type request struct {
	method string
	target []byte // origin form, as sent
	body   []byte
	close  bool // the client wants no further request on this connection
}

// refusal is a request that can't be served, and the status that says so.
type refusal struct {
	status int
	reason string
}

func (r *refusal) Error() string { return r.reason }

func malformed(format string, args ...any) error {
	return &refusal{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// parse reads the first request in buf and returns it with its length in
// bytes; a length of 0 means that more bytes are needed. It refuses what RFC
// 9112 leaves open to two readings: bare LF, folded lines, blanks before a
// colon, repeated lengths. Transfer codings are not served.
func parse(buf []byte) (req request, n int, err error) {
	end := bytes.Index(buf, []byte("\r\n\r\n"))
	if end > maxHead || end < 0 && len(buf) > maxHead {
		return req, 0, &refusal{http.StatusRequestHeaderFieldsTooLarge, "head: too large"}
	}
	if end < 0 {
		return req, 0, nil
	}
	line, fields, _ := bytes.Cut(buf[:end+2], []byte("\r\n"))
	old, err := req.parseLine(line)
	if err != nil {
		return req, 0, err
	}
	length, err := req.parseFields(fields, old)
	if err != nil {
		return req, 0, err
	}
	n = end + 4 + length
	if len(buf) < n {
		return req, 0, nil
	}
	req.body = buf[end+4 : n]
	return req, n, nil
}

// parseLine reads "METHOD SP TARGET SP VERSION" (RFC 9112, section 3) and
// reports whether the version is HTTP/1.0.
func (req *request) parseLine(line []byte) (old bool, err error) {
	method, rest, ok := bytes.Cut(line, []byte(" "))
	if !ok || !isToken(method) {
		return false, malformed("request line: no method")
	}
	target, version, ok := bytes.Cut(rest, []byte(" "))
	if !ok || len(target) == 0 || target[0] != '/' || !isVisible(target) {
		return false, malformed("request line: the target must be a path")
	}
	req.method, req.target = methodName(method), target
	switch string(version) {
	case "HTTP/1.1":
		return false, nil
	case "HTTP/1.0":
		// Persistence was never standardised for 1.0 (RFC 9112, appendix C.2.2).
		req.close = true
		return true, nil
	}
	return false, &refusal{http.StatusHTTPVersionNotSupported, "request line: the version must be HTTP/1.1"}
}

// parseFields reads the header fields (RFC 9112, section 5) and returns the
// body's length. Lines all end in CRLF.
func (req *request) parseFields(fields []byte, old bool) (length int, err error) {
	hosts, lengths := 0, 0
	for len(fields) > 0 {
		var line []byte
		line, fields, _ = bytes.Cut(fields, []byte("\r\n"))
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok || !isToken(name) {
			return 0, malformed("header: a line must be a name, a colon and a value")
		}
		if value = bytes.Trim(value, " \t"); !isText(value) {
			return 0, malformed("header %s: control character", name)
		}
		switch {
		case is(name, "host"):
			hosts++
		case is(name, "content-length"):
			lengths++
			if length, err = parseLength(value); err != nil {
				return 0, err
			}
		case is(name, "connection"):
			req.close = req.close || hasToken(value, "close")
		case is(name, "transfer-encoding"):
			return 0, &refusal{http.StatusNotImplemented, "transfer-encoding: not implemented"}
		case is(name, "expect"):
			return 0, &refusal{http.StatusExpectationFailed, "expect: send the body at once"}
		}
	}
	if hosts > 1 || hosts == 0 && !old {
		return 0, malformed("header: exactly one Host") // RFC 9112, section 3.2
	}
	if lengths > 1 {
		return 0, malformed("content-length: more than one")
	}
	return length, nil
}

func parseLength(value []byte) (int, error) {
	if len(value) == 0 {
		return 0, malformed("content-length: no digits")
	}
	n := 0
	for _, c := range value {
		if c < '0' || c > '9' {
			return 0, malformed("content-length: not a number")
		}
		if n = n*10 + int(c-'0'); n > maxBody {
			return 0, &refusal{http.StatusRequestEntityTooLarge, "body: too large"}
		}
	}
	return n, nil
}

// methodName avoids a copy for the methods that are served.
func methodName(method []byte) string {
	switch string(method) {
	case "GET":
		return "GET"
	case "POST":
		return "POST"
	}
	return string(method)
}

// is compares a field name with one in lower case.
func is(name []byte, lower string) bool {
	return len(name) == len(lower) && strings.EqualFold(string(name), lower)
}

// hasToken looks for token in a comma-separated list.
func hasToken(list []byte, token string) bool {
	for item := range bytes.SplitSeq(list, []byte(",")) {
		if strings.EqualFold(string(bytes.Trim(item, " \t")), token) {
			return true
		}
	}
	return false
}

// tokenChars are the characters of a token (RFC 9110, section 5.6.2).
var tokenChars = func() (set [256]bool) {
	for c := '!'; c <= '~'; c++ {
		set[c] = !strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c)
	}
	return set
}()

func isToken(b []byte) bool {
	for _, c := range b {
		if !tokenChars[c] {
			return false
		}
	}
	return len(b) > 0
}

func isVisible(b []byte) bool {
	for _, c := range b {
		if c <= ' ' || c == 0x7f {
			return false
		}
	}
	return true
}

func isText(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// response makes the responses of one connection in a buffer that it keeps.
type response struct {
	out   []byte
	date  string
	close bool // say "Connection: close"
	head  bool // the request was HEAD: headers only
}

// field is a header field.
type field struct{ name, value string }

// send appends one response.
func (a *response) send(status int, contentType string, body []byte, more ...field) {
	a.out = append(a.out, "HTTP/1.1 "...)
	a.out = strconv.AppendInt(a.out, int64(status), 10)
	a.out = append(a.out, ' ')
	a.out = append(a.out, http.StatusText(status)...)
	a.field("Date", a.date)
	a.field("Content-Type", contentType)
	for _, f := range more {
		a.field(f.name, f.value)
	}
	a.out = append(a.out, "\r\nContent-Length: "...)
	a.out = strconv.AppendInt(a.out, int64(len(body)), 10)
	if a.close {
		a.field("Connection", "close")
	}
	a.out = append(a.out, "\r\n\r\n"...)
	if !a.head {
		a.out = append(a.out, body...)
	}
}

// sendJSON sends body, whose types can always be encoded.
func (a *response) sendJSON(status int, body any, more ...field) {
	encoded, err := json.Marshal(body)
	if err != nil {
		status, encoded = http.StatusInternalServerError, []byte(`{"error":"encoding"}`)
	}
	a.send(status, "application/json", encoded, more...)
}

func (a *response) field(name, value string) {
	a.out = append(a.out, "\r\n"...)
	a.out = append(a.out, name...)
	a.out = append(a.out, ": "...)
	a.out = append(a.out, value...)
}

// refuse responds to a request that could not be parsed; the connection ends.
func (a *response) refuse(err error) {
	status := http.StatusBadRequest
	var r *refusal
	if errors.As(err, &r) {
		status = r.status
	}
	a.close, a.head = true, false
	a.sendJSON(status, failure{err.Error()})
}
