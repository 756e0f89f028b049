package nano

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"dyno/internal/http1"
	"dyno/internal/reactor"
)

// The wire of HTTP/1.1: a turn writes answers as RFC 9112 wants them.

// directAt is the size of a body that is written at once rather than copied.
const directAt = 16 << 10

// answer implements wire.
func (t *turn) answer(x *exchange, body []byte) error {
	t.head(x, int64(len(body)))
	t.reply.ended = true
	if t.reply.bodiless {
		return nil
	}
	if len(body) >= directAt {
		return t.direct(body)
	}
	t.out = append(t.out, body...)
	return nil
}

// begin implements wire.
func (t *turn) begin(x *exchange, length int64) error {
	t.reply.streamed = true
	t.reply.chunked = length < 0 && x.req.Minor > 0
	if length < 0 && x.req.Minor == 0 {
		t.reply.keep = false // the end of the connection is the end of the body
	}
	t.head(x, length)
	t.reply.left = length
	return nil
}

// head appends the head of an answer.
func (t *turn) head(x *exchange, length int64) {
	r := &t.reply
	if t.inflow.open && !t.inflow.dec.Done() && !r.streamed {
		r.keep = false // the rest of the body stands between us and the next request
	}
	out := append(t.out, http1.StatusLine(x.status)...)
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
			}
		}
		fields = fields[end:]
	}
	if !dated {
		out = append(out, t.dateLine()...)
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
	t.out = append(out, "\r\n"...)
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

// dateLine is the Date field. A handler that is away can't use the loop's.
func (t *turn) dateLine() []byte {
	if t.away {
		t.date = appendDateLine(t.date[:0], time.Now())
	}
	return t.date
}

var (
	errAnswerOver = errors.New("nano: the answer has ended")
	errTooMuch    = errors.New("nano: more was written than the answer's Content-Length")
)

// write implements wire.
func (t *turn) write(_ *exchange, p []byte) (int, error) {
	r := &t.reply
	if r.ended || r.cut {
		return 0, errAnswerOver
	}
	if r.left < 0 || int64(len(p)) <= r.left {
		return t.put(p)
	}
	n, err := t.put(p[:r.left])
	return n, errors.Join(err, errTooMuch)
}

// put sends or buffers a part of a body.
func (t *turn) put(p []byte) (int, error) {
	r := &t.reply
	if r.left > 0 {
		r.left -= int64(len(p))
	}
	if r.bodiless || len(p) == 0 {
		return len(p), nil
	}
	if r.chunked {
		t.out = http1.AppendChunk(t.out, p)
	} else {
		t.out = append(t.out, p...)
	}
	if len(t.out) >= directAt {
		if err := t.flush(nil); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// end implements wire.
func (t *turn) end(_ *exchange, trailers []byte) error {
	r := &t.reply
	if r.ended || r.cut {
		return errAnswerOver
	}
	r.ended = true
	if r.left > 0 && !r.bodiless {
		r.cut = true
		return fmt.Errorf("nano: the answer is %d bytes shorter than its Content-Length", r.left)
	}
	if r.chunked && !r.bodiless {
		t.out = append(t.out, "0\r\n"...)
		t.out = append(t.out, trailers...)
		t.out = append(t.out, "\r\n"...)
	}
	return nil
}

// abort implements wire.
func (t *turn) abort(*exchange) { t.reply.cut = true }

// direct sends what there is and body, without copying it. What the client does
// not take at once is kept.
func (t *turn) direct(body []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.out[t.sent:]
	n, errno := reactor.Write2(t.fd, before, body)
	t.ready = nil
	if errno != 0 && errno != unix.EAGAIN && errno != unix.EINTR {
		t.reply.cut = true
		return errno
	}
	if t.sent = 0; n >= len(before) {
		t.out = append(t.out[:0], body[n-len(before):]...)
	} else {
		t.out = append(t.out[:copy(t.out, before[n:])], body...)
	}
	return nil
}
