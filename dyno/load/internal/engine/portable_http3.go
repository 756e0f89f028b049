package engine

import (
	"context"
	"net/http"
	"net/netip"
	"net/textproto"
	"strconv"
	"sync/atomic"
	"time"

	"dyno.example/dyno/load/internal/http3"
	"dyno.example/dyno/load/measure"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/clock"
)

// http3Line is a connection over HTTP/3, which quic-go speaks. Its bytes are counted
// from the beginning of the load.
type http3Line struct {
	line    *line
	conn    *http3.Conn
	in, out uint64 // bytes that are in the line's traffic
}

func dialHTTP3(ctx context.Context, l *line, first bool) (*http3Line, error) {
	p := l.engine
	var from netip.Addr
	if n := len(p.Link.Sources); n > 0 {
		from = p.Link.Sources[int(atomic.AddUint32(&p.dialled, 1)-1)%n]
	}
	conn, err := http3.Dial(ctx, from, p.Addr, p.TLS)
	if err != nil {
		return nil, err
	}
	c := &http3Line{line: l, conn: conn}
	if first {
		c.in, c.out = conn.Counts()
	}
	return c, nil
}

// room implements carrying: quic-go waits for the server to allow a stream.
func (c *http3Line) room() bool { return true }

func (c *http3Line) err() error { return c.conn.Err() }

func (c *http3Line) greeted(ctx context.Context) error { return c.conn.Greeted(ctx) }

func (c *http3Line) close() {
	c.count()
	c.conn.Close()
}

// count takes the bytes that went over the connection. The line's mu is held.
func (c *http3Line) count() {
	in, out := c.conn.Counts()
	c.line.traffic.in.Add(in - c.in)
	c.line.traffic.out.Add(out - c.out)
	c.in, c.out = in, out
}

// do implements carrying.
func (c *http3Line) do(ctx context.Context, w *worker) outcome {
	l := c.line
	w.chooses()
	l.begins()
	l.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var limit *time.Timer
	var late atomic.Bool
	var sent bool
	var o outcome
	body := int64(0)
	err := c.conn.Do(ctx, w.http3Request(), &http3.Trace{
		Sent: func() {
			now := w.sends()
			sent = true
			limit = time.AfterFunc(time.Duration(w.sentAt-now)+l.engine.Timeout, func() { late.Store(true); cancel() })
		},
		First: func() { o.first = clock.Now() },
		Head: func(head *http.Response) {
			if o.status = head.StatusCode; w.keeps(o.status) {
				w.keepResponse("HTTP/3", head)
			}
		},
		Data: func(status int, part []byte) {
			body += int64(len(part))
			w.keep(status, part)
		},
	})
	o.done = clock.Now()
	if limit != nil {
		limit.Stop()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c.count()
	switch dead := c.conn.Err(); {
	case err == nil:
	case late.Load():
		o.kind, o.why = measure.TimeoutError, tookTooLong(l.engine.Timeout, o.status != 0, body)
	case !sent: // the connection takes no more requests
		l.going, o.again = true, true
	case dead != nil:
		o.kind, o.why = faultKind(http3.Explain(dead))
	default:
		o.kind, o.why = faultKind(http3.Explain(err))
		o.again = o.kind == measure.RefusedError
		o.held = o.again
	}
	if c.conn.Err() != nil {
		l.going = true
	}
	l.ends(o.done)
	return o
}

// faultKind is the kind of error that a fault of HTTP/3 is.
func faultKind(f http3.Fault, why i18n.Message) (measure.ErrorKind, i18n.Message) {
	switch f {
	case http3.Reset:
		return measure.StreamError, why
	case http3.Rejected:
		return measure.RefusedError, why
	case http3.Violated:
		return measure.ProtocolError, why
	case http3.Ended:
		return measure.ResetError, why
	}
	return measure.BodyError, why
}

// http3Request is the worker's request as the library needs it.
func (w *worker) http3Request() *http3.Request {
	msg := &w.msg
	msg.parse(w.exchange.sent())
	r := &http3.Request{Method: string(msg.method), Authority: string(msg.authority), Path: string(msg.path), Fields: make(http.Header, len(msg.fields)+1), Body: msg.body}
	for i := range msg.fields {
		f := &msg.fields[i]
		name := textproto.CanonicalMIMEHeaderKey(string(f.name))
		r.Fields[name] = append(r.Fields[name], string(f.value))
	}
	return r
}

// keepResponse keeps the head of a response, as text.
func (x *exchange) keepResponse(protocol string, head *http.Response) {
	x.copyText(protocol + " " + strconv.Itoa(head.StatusCode) + " " + http.StatusText(head.StatusCode))
	for name, values := range head.Header {
		for _, v := range values {
			x.copyText("\r\n" + name + ": " + v)
		}
	}
	x.copyText("\r\n\r\n")
}
