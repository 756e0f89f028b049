package nano

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"

	"dyno/nano/wire/http1"
)

// ServeBytes answers one HTTP/1.1 request that is in memory, through the same
// codec, limits and routes as one from a connection, and writes the response to w
// as it would be sent. from is the client's address. When ctx ends, the client
// has gone. The handler runs on the caller's goroutine; it can't hijack.
//
// An error says that the request isn't whole, that w failed, or that the
// handler cut its response short ([ErrAborted]). What the server refuses is
// answered.
func (a *App) ServeBytes(ctx context.Context, from netip.AddrPort, request []byte, w io.Writer) error {
	m := &memoryWire{app: a, ctx: ctx, to: w, began: time.Now()}
	x := a.take(m)
	defer a.give(x)
	x.buf, x.remote, x.tls = append([]byte(nil), request...), from, nil
	if err := m.read1(x); err != nil {
		var wrong *http1.Error
		if !errors.As(err, &wrong) {
			return err
		}
		return m.refuse(wrong.Status)
	}
	h := a.find(x)
	if l := x.bodyLimit(); l >= 0 && int64(len(m.content)) > l {
		return m.refuse(413)
	}
	if m.reply.keep = x.req.KeepAlive; len(m.content) <= a.config.Limits.BufferBody {
		x.body = body{whole: m.content, ready: true}
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
	reply   reply
	began   time.Time
	failed  error // of to
}

// read1 parses the request in x.buf and decodes its body.
func (m *memoryWire) read1(x *exchange) error {
	l := m.app.config.Limits
	x.req.Reset()
	n, err := x.req.Parse(x.buf, &http1.Limits{Head: l.Head, URI: l.URI, Fields: l.Fields})
	if err != nil {
		return err
	}
	if n == 0 {
		return errors.New("nano: the request's head is not complete")
	}
	var b http1.Body
	b.Start(&x.req)
	used, data, err := b.Feed(x.buf[n:])
	switch {
	case err != nil:
		return err
	case !b.Done():
		return errors.New("nano: the request's body is not complete")
	case n+used < len(x.buf):
		return fmt.Errorf("nano: %d bytes follow the request", len(x.buf)-n-used)
	}
	m.content, x.buf = x.buf[n:n+data:n+data], x.buf[:n:n]
	return nil
}

// refuse answers what can't be served.
func (m *memoryWire) refuse(status int) error {
	m.out = append(append(m.out, http1.StatusLine(status)...), m.date()...)
	m.out = append(m.out, "Content-Length: 0\r\nConnection: close\r\n\r\n"...)
	return m.flush(nil)
}

// over ends the response when its handler has returned.
func (m *memoryWire) over() error {
	if m.reply.streamed && !m.reply.ended && !m.reply.cut {
		if err := m.end(nil, nil); err != nil {
			return err
		}
	}
	if err := m.flush(nil); err != nil {
		return err
	}
	if m.reply.cut {
		return ErrAborted
	}
	return nil
}

func (m *memoryWire) date() []byte { return appendDateLine(nil, time.Now()) }

func (m *memoryWire) respond(x *exchange, body []byte) error {
	m.out = m.reply.head(m.out, x, int64(len(body)), m.date())
	if m.reply.ended = true; !m.reply.bodiless {
		m.out = append(m.out, body...)
	}
	return nil
}

func (m *memoryWire) begin(x *exchange, length int64) error {
	m.out = m.reply.stream(m.out, x, length, m.date())
	return nil
}

func (m *memoryWire) write(_ *exchange, p []byte) (n int, err error) {
	if m.ctx.Err() != nil {
		return 0, context.Cause(m.ctx)
	}
	if m.out, n, err = m.reply.add(m.out, p); len(m.out) >= 16<<10 {
		err = errors.Join(err, m.flush(nil))
	}
	return n, err
}

func (m *memoryWire) flush(*exchange) error {
	if m.failed == nil && len(m.out) > 0 {
		_, m.failed = m.to.Write(m.out)
	}
	m.out = m.out[:0]
	return m.failed
}

func (m *memoryWire) end(_ *exchange, trailers []byte) (err error) {
	m.out, err = m.reply.finish(m.out, trailers)
	return err
}

func (m *memoryWire) read(_ *exchange, p []byte) (int, error) {
	n := copy(p, m.content[m.at:])
	if m.at += n; n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (m *memoryWire) abort(*exchange) { m.reply.cut = true }

func (m *memoryWire) context(x *exchange) (context.Context, context.CancelCauseFunc) {
	return x.timed(m.ctx, time.Since(m.began))
}

func (m *memoryWire) hijack(*exchange) (net.Conn, []byte, error) {
	return nil, nil, fmt.Errorf("nano: a request in memory has no connection to hijack: %w", errors.ErrUnsupported)
}
