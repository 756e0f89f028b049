package engine

import (
	"errors"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/wire/http1"
)

// requests is how what comes over HTTP/1.1 is served.
type requests struct {
	*loop

	limits http1.Limits // of heads
}

// process serves the requests at the start of b and keeps the rest.
func (l *requests) process(c *conn, b []byte) (mine bool) {
	t := l.turn
	t.conn, t.fd, t.out, t.sent = c, c.fd, t.out[:0], 0
	if c.opening != 0 {
		var ok bool
		if b, ok = l.openings.opened(c, b); !ok {
			return true
		}
	}
	if c.h2 != nil {
		return l.h2conns.process(c, b)
	}
	return l.processMore(c, b)
}

// processMore goes on with what follows in the same bytes.
func (l *requests) processMore(c *conn, b []byte) (mine bool) {
	t := l.turn
	c.unseen = false
	for len(b) > 0 && !c.closing {
		if c.unseen = len(c.out) > 0; c.unseen {
			break
		}
		n, mine := l.request(c, b)
		if !mine {
			return false
		}
		if c.away != nil {
			b = nil // the handler has the rest
			break
		}
		if b = b[n:]; n == 0 {
			break
		}
		if len(t.out) >= flushAt || c.secure != nil && c.secure.Holds() {
			l.transport.deliver(c)
		}
	}
	if c.fd < 0 {
		return true
	}
	l.transport.keep(c, b)
	l.transport.deliver(c)
	l.lifecycle.settle(c)
	return true
}

// request serves the request at the start of b and returns how many bytes are
// done with; 0 if it isn't complete.
func (l *requests) request(c *conn, b []byte) (n int, mine bool) {
	x := l.turn.x
	n, err := x.Req.Parse(b, &l.limits)
	if err != nil {
		x.Req.Reset()
		l.refuse(c, err)
		return len(b), true
	}
	if n == 0 {
		x.Req.Reset() // the next one to be parsed may be another connection's
		return 0, true
	}
	c.requests++
	c.phase = phaseIdle
	if x.Req.Chunked || x.Req.ContentLength > 0 {
		return l.requestWithBody(c, b, n)
	}
	x.Body = exchange.Body{Ready: true}
	return n, l.serve(c, b[:n], b[n:], nil)
}

// serve runs the handler of the request that was parsed from head. The content of
// its body is in x.Body, or comes with in.
func (l *requests) serve(c *conn, head, rest []byte, in *inflow) (mine bool) {
	t := l.turn
	t.x.Buf = head
	t.x.Remote, t.x.Unnamed, t.x.TLS = c.remote, c.unnamed, c.secure.Connection()
	spawn := t.x.Owner.Find()
	head = t.x.Buf // which may have been rewritten
	if in != nil || spawn {
		l.handlers.spawn(c, head, rest, in)
		return true
	}
	t.start(head, rest)
	if !l.handlers.serveInline(t) {
		return false
	}
	if !t.reply.Keep || t.reply.Cut {
		c.closing, c.cut = true, t.reply.Cut
		c.reset = t.reply.Cut && t.reply.ByClose
	}
	return true
}

// refuse responds to what can't be served and closes the connection.
func (l *requests) refuse(c *conn, err error) {
	status, detail := refusal(err)
	l.refuseWith(c, status, detail)
}

// refusal is what a client is told of a head that isn't valid.
func refusal(err error) (status int, detail string) {
	var wrong *http1.Error
	if errors.As(err, &wrong) {
		return wrong.Status, wrong.Message
	}
	return 400, ""
}

func (l *requests) refuseWith(c *conn, status int, detail string) {
	t := l.turn
	t.out = l.config.App.Refuse(t.out, t.date, status, detail, c.remote)
	c.closing, c.unread = true, true
}
