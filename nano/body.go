package nano

import (
	"errors"
	"io"
	"time"

	"dyno.example/nano/internal/exchange"
)

// ErrBodyTooLarge is returned when a body exceeds Limits.Body or its route's limit.
// Returned by a handler, it becomes a 413.
var ErrBodyTooLarge error = NewProblem(413, exchange.BodyTooLarge)

var errTooSlow error = NewProblem(408, exchange.BodyTooSlow)

// Body returns the whole body, read if need be. It is a view: it ends with the
// handler.
func (c Ctx) Body() ([]byte, error) {
	x := c.own()
	if x.Body.Ready {
		return x.Body.Whole, nil
	}
	var from io.Reader = bodyReader{c}
	limit := x.BodyLimit()
	if limit >= 0 {
		from = io.LimitReader(from, limit+1)
	}
	whole, err := io.ReadAll(from)
	if err != nil {
		return nil, err
	}
	if limit >= 0 && int64(len(whole)) > limit {
		return nil, ErrBodyTooLarge
	}
	x.Body.Whole, x.Body.Ready = whole, true
	return whole, nil
}

// SetBody puts content in the place of the request's body, for handlers further in:
// what a middleware has decoded, say. The bytes must stay as they are until the request
// has been served. The body that was sent is read first, so that the connection goes on
// behind it; where that fails, nothing is changed. Fields of the request, such as
// Content-Length, still describe the body that was sent.
func (c Ctx) SetBody(content []byte) error {
	if _, err := c.Body(); err != nil {
		return err
	}
	b := &c.x.Body
	b.Whole, b.At = content, 0
	return nil
}

// BodyReader returns the body as it comes in.
func (c Ctx) BodyReader() io.Reader { c.live(); return bodyReader{c} }

// BodyWait returns how long the handler has waited so far for the client to send
// the request's body.
func (c Ctx) BodyWait() time.Duration {
	if w, ok := exchange.NetWireOf(c.live().Wire); ok {
		return w.BodyWait()
	}
	return 0
}

// SetDeadline bounds how long the handler waits for its client, to send more of the
// body and to take the response: a wait that lasts until then fails with
// os.ErrDeadlineExceeded, and so do later ones. It takes the place of the limits for
// bodies and responses; a zero time puts those in force again. Any goroutine may call
// it while the handler runs, also to end a wait that is under way.
func (c Ctx) SetDeadline(at time.Time) error {
	w, ok := exchange.NetWireOf(c.live().Wire)
	if !ok {
		return errors.ErrUnsupported
	}
	return errors.Join(w.Deadline(exchange.Reading, at), w.Deadline(exchange.Writing, at))
}

// bodyReader reads a request's body for as long as the request lasts.
type bodyReader struct{ c Ctx }

func (r bodyReader) Read(p []byte) (int, error) {
	if r.c.over() {
		return 0, errors.New("nano: the request's body was read after its handler returned")
	}
	x := r.c.x
	if x.Body.Ready {
		n := copy(p, x.Body.Whole[x.Body.At:])
		if x.Body.At += n; n == 0 && len(p) > 0 {
			return 0, io.EOF
		}
		return n, nil
	}
	return x.Wire.Read(&x.Exchange, p)
}
