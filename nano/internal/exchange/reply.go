package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"dyno.example/nano/wire/http1"
)

// Reply is how far the response to a request has come, and how it is framed in
// HTTP/1.1 (RFC 9112 6). It does no I/O.
type Reply struct {
	Streamed bool  // begun by begin, not respond
	Ended    bool  // nothing more to send
	chunked  bool  // in chunked coding
	Bodiless bool  // HEAD, 204 or 304: the body is counted, not sent
	Keep     bool  // the connection may carry another request
	Cut      bool  // close the connection without ending the response
	ByClose  bool  // the end of the connection is the end of the body
	Left     int64 // bytes of the body to come; -1: not known
}

var (
	ErrOver    = errors.New("nano: the response has ended")
	ErrTooMuch = errors.New("nano: more was written than the response's Content-Length")
)

// Shorter says that a response is shorter than its length, in bytes.
func Shorter(by int64) error {
	return fmt.Errorf("nano: the response is %d bytes shorter than its Content-Length", by)
}

// Stream appends the head of a response whose body follows in parts.
func (r *Reply) Stream(out []byte, x *Exchange, length int64, date []byte) []byte {
	r.Streamed = true
	r.chunked = length < 0 && x.Req.Minor > 0
	if length < 0 && x.Req.Minor == 0 {
		r.Keep, r.ByClose = false, true
	}
	out = r.Head(out, x, length, date)
	r.Left = length
	return out
}

// Head appends the head of a response. date is the Date field's line.
func (r *Reply) Head(out []byte, x *Exchange, length int64, date []byte) []byte {
	out = append(out, http1.StatusLine(x.Status)...)
	out, tell, dated := r.fields(out, x, length, false)
	if !dated {
		out = append(out, date...)
	}
	switch {
	case r.chunked && x.Status != 204 && x.Status != 304:
		out = append(out, "Transfer-Encoding: chunked\r\n"...)
	case tell >= 0:
		out = append(out, "Content-Length: "...)
		out = strconv.AppendInt(out, tell, 10)
		out = append(out, "\r\n"...)
	}
	if !r.Keep {
		out = append(out, "Connection: close\r\n"...)
	} else if x.Req.Minor == 0 {
		out = append(out, "Connection: keep-alive\r\n"...)
	}
	return append(out, "\r\n"...)
}

// Add appends a part of a streamed body, as much of it as the length allows.
func (r *Reply) Add(out, p []byte) ([]byte, int, error) {
	if r.Ended || r.Cut {
		return out, 0, ErrOver
	}
	var err error
	if r.Left >= 0 {
		if int64(len(p)) > r.Left {
			p, err = p[:r.Left], ErrTooMuch
		}
		r.Left -= int64(len(p))
	}
	switch {
	case r.Bodiless || len(p) == 0:
	case r.chunked:
		out = http1.AppendChunk(out, p)
	default:
		out = append(out, p...)
	}
	return out, len(p), err
}

// Open begins a part of a streamed body that is sent from where it lies: size
// bytes, or n if the length allows no more. close ends it.
func (r *Reply) Open(out []byte, size int) (to []byte, n int, err error) {
	if r.Ended || r.Cut {
		return out, 0, ErrOver
	}
	if r.Left >= 0 {
		if int64(size) > r.Left {
			size, err = int(r.Left), ErrTooMuch
		}
		r.Left -= int64(size)
	}
	if r.chunked && !r.Bodiless && size > 0 {
		out = http1.AppendChunkSize(out, size)
	}
	return out, size, err
}

// Close ends a part that Open began.
func (r *Reply) Close(out []byte) []byte {
	if r.chunked {
		out = append(out, "\r\n"...)
	}
	return out
}

// Finish appends the end of a streamed response.
func (r *Reply) Finish(out, trailers []byte) ([]byte, error) {
	if r.Ended || r.Cut {
		return out, ErrOver
	}
	r.Ended = true
	if r.Left > 0 && !r.Bodiless {
		r.Cut = true
		return out, Shorter(r.Left)
	}
	if r.chunked && !r.Bodiless {
		out = append(out, "0\r\n"...)
		out = append(out, trailers...)
		out = append(out, "\r\n"...)
	}
	return out, nil
}

// IsHead reports whether the request is one of HEAD.
func IsHead(x *Exchange) bool { return string(x.Req.Method.Of(x.Buf)) == "HEAD" }

// FieldKind sorts out the fields that are the wire's own business.
type FieldKind uint8

const (
	FieldPlain FieldKind = iota
	fieldDate
	fieldConnection
	fieldLength
	fieldCoding
)

// KindOf returns that of a line.
func KindOf(line []byte) FieldKind {
	switch bytes.IndexByte(line, ':') {
	case len("date"):
		if SameName(line[:4], "date") {
			return fieldDate
		}
	case len("connection"):
		if SameName(line[:10], "connection") {
			return fieldConnection
		}
	case len("content-length"):
		if SameName(line[:14], "content-length") {
			return fieldLength
		}
	case len("transfer-encoding"):
		if SameName(line[:17], "transfer-encoding") {
			return fieldCoding
		}
	}
	return FieldPlain
}
