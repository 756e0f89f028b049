package nano

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"sync/atomic"

	"dyno.example/nano/internal/exchange"
)

// A detached handler has an exchange of its own, with a copy of the request and a wire
// that ends in memory. It shares nothing with the request it was made from, so that one
// that misses its deadline can go on for as long as it likes: its response is
// discarded.

// Detached runs h with a copy of the request on a goroutine of its own and waits
// for it until ctx ends. In time, its response and its error are the request's: the
// response is sent, fields and values that h has set are kept, hooks that it has set see how
// the request ends. Too late, Detached returns [context.Cause] of ctx and nothing
// of h is seen any more, except for a log line if it panics; its hooks get an Outcome
// of 503 when it has returned.
//
// The request's body is read before h starts, and the whole response is kept in memory,
// up to limit bytes; limit <= 0: without a limit. So h can't stream, nor see trailers
// of the request, nor hijack. ctx must be derived from [Ctx.Context] if h is to learn
// that the client has gone.
func (c Ctx) Detached(ctx context.Context, limit int64, h Handler) error {
	x := c.live()
	if x.begun {
		return ErrResponded
	}
	if _, err := c.Body(); err != nil {
		return err
	}
	d := &detached{returned: make(chan struct{})}
	d.wire = &bufferedWire{ctx: ctx, limit: limit}
	d.x = x.copied(d.wire)
	go d.run(h)
	select {
	case <-d.returned:
	case <-ctx.Done():
		if d.state.CompareAndSwap(running, abandoned) {
			return context.Cause(ctx)
		}
		<-d.returned // it has just returned
	}
	return d.adopt(c)
}

// detached is one detached handler. The goroutine that first moves state away from
// running decides the fate of x: the request adopts it, or x's own goroutine ends it.
type detached struct {
	x        *liveRequest
	wire     *bufferedWire
	state    atomic.Int32
	returned chan struct{} // closed when the handler has returned in time
	err      error
	panicked any // with its stack
}

const (
	running int32 = iota
	inTime
	abandoned
)

func (d *detached) run(h Handler) {
	d.err = ErrAborted // if the handler calls runtime.Goexit
	defer func() {
		if p := recover(); p != nil {
			d.panicked = p
			if err, ok := p.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
				d.panicked = detachedPanic{p, debug.Stack()}
			}
		}
		if d.state.CompareAndSwap(running, inTime) {
			close(d.returned)
			return
		}
		d.tooLate()
	}()
	if d.x.app.config.Debug {
		d.x.isolate()
	}
	d.err = h(Ctx{d.x, d.x.gen.Load()})
	for i := len(d.x.after) - 1; i >= 0; i-- {
		d.x.after[i]()
	}
	if d.x.hooked {
		d.x.hooks.finish()
	}
}

// detachedPanic is a panic on its way to the goroutine of the request.
type detachedPanic struct {
	value any
	stack []byte
}

func (p detachedPanic) Error() string {
	return fmt.Sprintf("%v\n\nin a detached handler:\n%s", p.value, p.stack)
}

func (p detachedPanic) Unwrap() error { err, _ := p.value.(error); return err }

// tooLate ends the exchange of a handler that its request no longer waits for.
func (d *detached) tooLate() {
	app := d.x.app
	if d.panicked != nil {
		app.config.Logger.Error("handler panicked after its time was up", "route", routeName(d.x), "panic", fmt.Sprint(d.panicked))
	}
	d.end(Outcome{Status: 503, Err: context.Cause(d.wire.ctx)})
}

// end gives the exchange back; hooks get the outcome.
func (d *detached) end(o Outcome) {
	if d.x.hooked {
		d.x.unhook(o)
	}
	d.x.app.give(d.x)
}

// adopt makes the response that of the request of c. A response that the handler began
// and didn't complete is discarded: none of it has been sent.
func (d *detached) adopt(c Ctx) error {
	x := c.x
	d.x.debug.owner = x.debug.owner
	x.values = append(x.values[:0], d.x.values...)
	x.marks = d.x.marks
	if d.x.hooked {
		c.AfterResponse(func(_ Ctx, o Outcome) { d.end(o) })
	} else {
		defer d.end(Outcome{})
	}
	if d.panicked != nil {
		panic(d.panicked)
	}
	err := cmp.Or(d.wire.failed, d.err)
	if err != nil && d.x.begun {
		return err
	}
	x.Fields = append(x.Fields[:0], d.x.Fields...)
	x.Status = d.x.Status
	if err != nil || !d.x.begun {
		return err
	}
	x.begun = true
	return d.wire.replay(x)
}

// copied returns an exchange with a copy of the request and of what has been set
// of its response.
func (x *liveRequest) copied(w exchange.Wire) *liveRequest {
	d := x.app.take(w)
	fields, scratch := d.Req.Fields, d.match.Scratch
	d.Buf, d.Req, d.match, d.marks = slices.Clone(x.Buf), x.Req, x.match, x.marks
	d.Req.Fields = append(fields[:0], x.Req.Fields...)
	d.match.Scratch = append(scratch[:0], x.match.Scratch...)
	d.route, d.Remote, d.TLS = x.route, x.peer(), x.TLS
	d.Body = exchange.Body{Whole: slices.Clone(x.Body.Whole), Ready: true, At: x.Body.At}
	x.lendForwarded(d)
	d.Status, d.Fields = x.Status, append(d.Fields[:0], x.Fields...)
	d.values = append(d.values[:0], x.values...)
	return d
}

// bufferedWire keeps a response until it is known whether it is in time.
type bufferedWire struct {
	ctx      context.Context
	limit    int64
	body     []byte
	trailers []byte
	failed   error // why the response is void
}

var errResponseTooLarge = errors.New("nano: the response of a detached handler is larger than its limit")

func (m *bufferedWire) Respond(_ *exchange.Exchange, body []byte) error {
	_, err := m.Write(nil, body)
	return err
}

func (m *bufferedWire) Begin(*exchange.Exchange, int64) error { return nil }

func (m *bufferedWire) Write(_ *exchange.Exchange, p []byte) (int, error) {
	if m.limit > 0 && int64(len(m.body)+len(p)) > m.limit {
		m.failed = errResponseTooLarge
		return 0, m.failed
	}
	m.body = append(m.body, p...)
	return len(p), nil
}

func (m *bufferedWire) Flush(*exchange.Exchange) error { return nil }

func (m *bufferedWire) End(_ *exchange.Exchange, trailers []byte) error {
	m.trailers = slices.Clone(trailers)
	return nil
}

func (m *bufferedWire) Read(*exchange.Exchange, []byte) (int, error) { return 0, io.EOF }

func (m *bufferedWire) Abort(*exchange.Exchange) { m.failed = ErrAborted }

func (m *bufferedWire) Context(*exchange.Exchange) (context.Context, context.CancelCauseFunc) {
	return context.WithCancelCause(m.ctx)
}

func (m *bufferedWire) Hijack(*exchange.Exchange) (net.Conn, []byte, error) {
	return nil, nil, fmt.Errorf("nano: a detached handler can't take the connection: %w", errors.ErrUnsupported)
}

// replay sends the response on the wire of x.
func (m *bufferedWire) replay(x *liveRequest) error {
	if len(m.trailers) == 0 {
		return x.Wire.Respond(&x.Exchange, m.body)
	}
	if err := x.Wire.Begin(&x.Exchange, -1); err != nil {
		return err
	}
	if _, err := x.Wire.Write(&x.Exchange, m.body); err != nil {
		return err
	}
	return x.Wire.End(&x.Exchange, m.trailers)
}
