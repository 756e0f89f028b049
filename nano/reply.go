package nano

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"dyno/nano/wire/http1"
)

// reply is how far the response to a request has come, and how it is framed in
// HTTP/1.1 (RFC 9112 6). It does no I/O.
type reply struct {
	streamed bool  // begun by begin, not respond
	ended    bool  // nothing more to send
	chunked  bool  // in chunked coding
	bodiless bool  // HEAD, 204 or 304: the body is counted, not sent
	keep     bool  // the connection may carry another request
	cut      bool  // close the connection without ending the response
	byClose  bool  // the end of the connection is the end of the body
	left     int64 // bytes of the body to come; -1: not known
}

var (
	errResponseOver = errors.New("nano: the response has ended")
	errTooMuch      = errors.New("nano: more was written than the response's Content-Length")
)

func shorter(by int64) error {
	return fmt.Errorf("nano: the response is %d bytes shorter than its Content-Length", by)
}

// stream appends the head of a response whose body follows in parts.
func (r *reply) stream(out []byte, x *exchange, length int64, date []byte) []byte {
	r.streamed = true
	r.chunked = length < 0 && x.req.Minor > 0
	if length < 0 && x.req.Minor == 0 {
		r.keep, r.byClose = false, true
	}
	out = r.head(out, x, length, date)
	r.left = length
	return out
}

// head appends the head of a response. date is the Date field's line.
func (r *reply) head(out []byte, x *exchange, length int64, date []byte) []byte {
	out = append(out, http1.StatusLine(x.status)...)
	dated := false
	for fields := x.fields; len(fields) > 0; {
		line, end := cutLine(fields)
		switch kind := kindOf(line); kind {
		case fieldPlain:
			out = append(out, fields[:end]...)
		case fieldDate:
			out, dated = append(out, fields[:end]...), true
		case fieldConnection:
			if http1.ListHas(line[len("connection:"):], "close") {
				r.keep = false
			}
		case fieldLength:
			if x.status == 304 || isHead(x) && length == 0 {
				out = append(out, fields[:end]...) // the length that GET would give
				length = -2
			} else {
				x.ignored(fields[:end])
			}
		case fieldCoding:
			x.ignored(fields[:end])
		}
		fields = fields[end:]
	}
	if !dated {
		out = append(out, date...)
	}
	r.bodiless = isHead(x) || x.status == 204 || x.status == 304
	switch {
	case r.chunked && x.status != 204 && x.status != 304:
		out = append(out, "Transfer-Encoding: chunked\r\n"...)
	case length >= 0 && x.status != 204 && x.status != 304:
		out = append(out, "Content-Length: "...)
		out = strconv.AppendInt(out, length, 10)
		out = append(out, "\r\n"...)
	}
	if !r.keep {
		out = append(out, "Connection: close\r\n"...)
	} else if x.req.Minor == 0 {
		out = append(out, "Connection: keep-alive\r\n"...)
	}
	return append(out, "\r\n"...)
}

// add appends a part of a streamed body, as much of it as the length allows.
func (r *reply) add(out, p []byte) ([]byte, int, error) {
	if r.ended || r.cut {
		return out, 0, errResponseOver
	}
	var err error
	if r.left >= 0 {
		if int64(len(p)) > r.left {
			p, err = p[:r.left], errTooMuch
		}
		r.left -= int64(len(p))
	}
	switch {
	case r.bodiless || len(p) == 0:
	case r.chunked:
		out = http1.AppendChunk(out, p)
	default:
		out = append(out, p...)
	}
	return out, len(p), err
}

// open begins a part of a streamed body that is sent from where it lies: size
// bytes, or n if the length allows no more. close ends it.
func (r *reply) open(out []byte, size int) (to []byte, n int, err error) {
	if r.ended || r.cut {
		return out, 0, errResponseOver
	}
	if r.left >= 0 {
		if int64(size) > r.left {
			size, err = int(r.left), errTooMuch
		}
		r.left -= int64(size)
	}
	if r.chunked && !r.bodiless && size > 0 {
		out = http1.AppendChunkSize(out, size)
	}
	return out, size, err
}

func (r *reply) close(out []byte) []byte {
	if r.chunked {
		out = append(out, "\r\n"...)
	}
	return out
}

// finish appends the end of a streamed response.
func (r *reply) finish(out, trailers []byte) ([]byte, error) {
	if r.ended || r.cut {
		return out, errResponseOver
	}
	r.ended = true
	if r.left > 0 && !r.bodiless {
		r.cut = true
		return out, shorter(r.left)
	}
	if r.chunked && !r.bodiless {
		out = append(out, "0\r\n"...)
		out = append(out, trailers...)
		out = append(out, "\r\n"...)
	}
	return out, nil
}

// ignored tells, under Config.Debug, of a field that the wire sets itself.
func (x *exchange) ignored(line []byte) {
	if x.app.config.Debug {
		x.app.config.Logger.Warn("nano sets this field itself: what the handler has set is ignored", "route", routeName(x), "field", strings.TrimSpace(string(line)))
	}
}

func isHead(x *exchange) bool { return string(x.req.Method.Of(x.buf)) == "HEAD" }

// fieldKind sorts out the fields that are the wire's own business.
type fieldKind uint8

const (
	fieldPlain fieldKind = iota
	fieldDate
	fieldConnection
	fieldLength
	fieldCoding
)

func kindOf(line []byte) fieldKind {
	switch bytes.IndexByte(line, ':') {
	case len("date"):
		if sameName(line[:4], "date") {
			return fieldDate
		}
	case len("connection"):
		if sameName(line[:10], "connection") {
			return fieldConnection
		}
	case len("content-length"):
		if sameName(line[:14], "content-length") {
			return fieldLength
		}
	case len("transfer-encoding"):
		if sameName(line[:17], "transfer-encoding") {
			return fieldCoding
		}
	}
	return fieldPlain
}

// appendDateLine appends the Date field (RFC 9110 6.6.1).
func appendDateLine(b []byte, at time.Time) []byte {
	b = append(b, "Date: "...)
	b = http1.AppendDate(b, at.Unix())
	return append(b, "\r\n"...)
}
