package nano

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/wire/http1"
)

// ServeBytes serves one HTTP/1.1 request that is in memory, through the same codec,
// limits and routes as one from a connection, and writes the response to w as it would
// be sent. from is the client's address. When ctx ends, the client has gone. The
// handler runs on the caller's goroutine; it can't hijack.
//
// It fails if the request isn't complete, if w fails, or if the handler cut its
// response short ([ErrAborted]). To a request that the server refuses, the response is
// written.
func (a *App) ServeBytes(ctx context.Context, from netip.AddrPort, request []byte, w io.Writer) error {
	m := &memoryWire{app: a, ctx: ctx, to: w, began: time.Now()}
	x := a.take(m)
	defer a.give(x)
	x.Unnamed = false
	x.Buf, x.Remote, x.TLS = append([]byte(nil), request...), from, nil
	if err := m.read1(x); err != nil {
		var wrong *http1.Error
		if !errors.As(err, &wrong) {
			return err
		}
		return m.refuse(wrong.Status)
	}
	h := a.find(x)
	if l := x.BodyLimit(); l >= 0 && int64(len(m.content)) > l {
		return m.refuse(413)
	}
	if m.reply.Keep = x.Req.KeepAlive; len(m.content) <= a.config.Limits.BufferBody {
		x.Body = exchange.Body{Whole: m.content, Ready: true}
	}
	a.serve(x, h)
	return m.over()
}

// memoryWire carries an exchange whose request is in memory.
type memoryWire struct {
	app     *App
	ctx     context.Context
	content []byte // of the body
	at      int    // of content, that was read
	to      io.Writer
	out     []byte // not written yet
	reply   exchange.Reply
	began   time.Time
	failed  error // of to
}

// read1 parses the request in x.Buf and decodes its body.
func (m *memoryWire) read1(x *liveRequest) error {
	l := m.app.config.Limits
	x.Req.Reset()
	n, err := x.Req.Parse(x.Buf, &http1.Limits{Head: l.Head, URI: l.URI, Fields: l.Fields})
	if err != nil {
		return err
	}
	if n == 0 {
		return errors.New("nano: the request's head is not complete")
	}
	var b http1.Body
	b.Start(&x.Req)
	used, data, err := b.Feed(x.Buf[n:])
	switch {
	case err != nil:
		return err
	case !b.Done():
		return errors.New("nano: the request's body is not complete")
	case n+used < len(x.Buf):
		return fmt.Errorf("nano: %d bytes follow the request", len(x.Buf)-n-used)
	}
	m.content, x.Buf = x.Buf[n:n+data:n+data], x.Buf[:n:n]
	return nil
}

// refuse responds to a request that can't be served.
func (m *memoryWire) refuse(status int) error {
	m.out = append(append(m.out, http1.StatusLine(status)...), m.date()...)
	m.out = append(m.out, "Content-Length: 0\r\nConnection: close\r\n\r\n"...)
	return m.Flush(nil)
}

// over ends the response when its handler has returned.
func (m *memoryWire) over() error {
	if m.reply.Streamed && !m.reply.Ended && !m.reply.Cut {
		if err := m.End(nil, nil); err != nil {
			return err
		}
	}
	if err := m.Flush(nil); err != nil {
		return err
	}
	if m.reply.Cut {
		return ErrAborted
	}
	return nil
}

func (m *memoryWire) date() []byte { return http1.AppendDateLine(nil, time.Now().Unix()) }

func (m *memoryWire) Respond(x *exchange.Exchange, body []byte) error {
	m.out = m.reply.Head(m.out, x, int64(len(body)), m.date())
	if m.reply.Ended = true; !m.reply.Bodiless {
		m.out = append(m.out, body...)
	}
	return nil
}

func (m *memoryWire) Begin(x *exchange.Exchange, length int64) error {
	m.out = m.reply.Stream(m.out, x, length, m.date())
	return nil
}

func (m *memoryWire) Write(_ *exchange.Exchange, p []byte) (n int, err error) {
	if m.ctx.Err() != nil {
		return 0, context.Cause(m.ctx)
	}
	if m.out, n, err = m.reply.Add(m.out, p); len(m.out) >= 16<<10 {
		err = errors.Join(err, m.Flush(nil))
	}
	return n, err
}

func (m *memoryWire) Flush(*exchange.Exchange) error {
	if m.failed == nil && len(m.out) > 0 {
		_, m.failed = m.to.Write(m.out)
	}
	m.out = m.out[:0]
	return m.failed
}

func (m *memoryWire) End(_ *exchange.Exchange, trailers []byte) (err error) {
	m.out, err = m.reply.Finish(m.out, trailers)
	return err
}

func (m *memoryWire) Read(_ *exchange.Exchange, p []byte) (int, error) {
	n := copy(p, m.content[m.at:])
	if m.at += n; n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (m *memoryWire) Abort(*exchange.Exchange) { m.reply.Cut = true }

func (m *memoryWire) Context(x *exchange.Exchange) (context.Context, context.CancelCauseFunc) {
	return x.Owner.Timed(m.ctx, time.Since(m.began))
}

func (m *memoryWire) Hijack(*exchange.Exchange) (net.Conn, []byte, error) {
	return nil, nil, fmt.Errorf("nano: a request in memory has no connection to hijack: %w", errors.ErrUnsupported)
}
