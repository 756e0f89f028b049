package nano

import (
	"io"
	"sync"

	"dyno/nano/internal/exchange"
)

// Stream responds with what fn writes, as it is written; the length is not known
// before. Small writes are gathered: [Stream.Flush] sends what there is. Writing
// blocks while the client is slow. If fn fails the connection is cut, so that
// the client knows that something is missing. fn is not called for HEAD.
func (c Ctx) Stream(code int, contentType string, fn func(s *Stream) error) error {
	return c.StreamSized(code, contentType, -1, fn)
}

// StreamSized is Stream for a body of which the length is known, in bytes. fn
// has to write as many.
func (c Ctx) StreamSized(code int, contentType string, length int64, fn func(s *Stream) error) error {
	x := c.own()
	if x.begun {
		return ErrResponded
	}
	if contentType != "" {
		x.setContentType(contentType)
	}
	s := &Stream{c: c}
	if err := s.begin(code, length); err != nil || exchange.IsHead(&x.Exchange) {
		return err
	}
	if err := fn(s); err != nil {
		return err
	}
	return x.Wire.End(&x.Exchange, s.trailers)
}

// Stream is the body of a response that is sent bit by bit. It belongs to the
// goroutine that runs the handler.
type Stream struct {
	c        Ctx
	trailers []byte
}

var _ io.Writer = (*Stream)(nil)

// begin sends the head, or keeps it to go with the first bytes.
func (s *Stream) begin(code int, length int64) error {
	x := s.c.live()
	x.Status, x.begun = checkStatus(code), true
	return x.Wire.Begin(&x.Exchange, length)
}

// Write sends p, or gathers it. An error means that the client is gone or has
// not taken anything for Limits.WriteStall.
func (s *Stream) Write(p []byte) (int, error) {
	x := s.c.live()
	return x.Wire.Write(&x.Exchange, p)
}

// WriteString is Write without a copy of the string.
func (s *Stream) WriteString(p string) (int, error) { return s.Write(unsafeBytes(p)) }

// Flush sends what was gathered. Before the first Write it sends the head.
func (s *Stream) Flush() error {
	x := s.c.live()
	return x.Wire.Flush(&x.Exchange)
}

// Trailer sets a field to be sent after the body (RFC 9110 6.5). The client
// should be told by a Trailer field in the head; responds with a length, and to
// HTTP/1.0, have none. It panics as SetHeader does, and for fields that frame the
// message.
func (s *Stream) Trailer(name, value string) {
	s.c.live()
	checkField(name, value)
	line := append(append(append([]byte(name), ": "...), value...), "\r\n"...)
	if exchange.KindOf(line) != exchange.FieldPlain {
		panic("nano: " + name + " can't be sent as a trailer field")
	}
	s.trailers = append(s.trailers, line...)
}

// copyBuffers are for io.Copy in responses.
var copyBuffers = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

// StreamReader responds with what from gives; length is in bytes, -1 if it isn't
// known. It does not close from.
func (c Ctx) StreamReader(code int, contentType string, length int64, from io.Reader) error {
	return c.StreamSized(code, contentType, length, func(s *Stream) error {
		if length >= 0 {
			from = io.LimitReader(from, length)
		}
		buf := copyBuffers.Get().(*[]byte)
		defer copyBuffers.Put(buf)
		_, err := io.CopyBuffer(s, struct{ io.Reader }{from}, *buf)
		return err
	})
}
