package engine

import (
	"bytes"
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/wire/http1"
)

// borrow takes the connection's own buffer into the turn, which keeps it if a
// handler keeps the turn.
func (l *loop) borrow(c *conn) []byte {
	l.turn.held = c.in
	return c.in
}

// process serves the requests at the start of b and keeps the rest.
func (l *loop) process(c *conn, b []byte) (mine bool) {
	t := l.turn
	t.conn, t.fd, t.out, t.sent = c, c.fd, t.out[:0], 0
	if c.opening != 0 {
		var ok bool
		if b, ok = l.opened(c, b); !ok {
			return true
		}
	}
	if c.h2 != nil {
		return l.processHTTP2(c, b)
	}
	return l.processMore(c, b)
}

// processMore goes on with what follows in the same bytes.
func (l *loop) processMore(c *conn, b []byte) (mine bool) {
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
			l.deliver(c)
		}
	}
	if c.fd < 0 {
		return true
	}
	l.keep(c, b)
	l.deliver(c)
	l.settle(c)
	return true
}

// request serves the request at the start of b and returns how many bytes are
// done with; 0 if it isn't complete.
func (l *loop) request(c *conn, b []byte) (n int, mine bool) {
	x := l.turn.x
	n, err := x.Req.Parse(b, &l.head)
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
func (l *loop) serve(c *conn, head, rest []byte, in *inflow) (mine bool) {
	t := l.turn
	t.x.Buf = head
	t.x.Remote, t.x.Unnamed, t.x.TLS = c.remote, c.unnamed, c.secure.Connection()
	spawn := t.x.Owner.Find()
	head = t.x.Buf // which may have been rewritten
	if in != nil || spawn {
		l.spawn(c, head, rest, in)
		return true
	}
	t.start(head, rest)
	if !l.serveInline(t) {
		return false
	}
	if !t.reply.Keep || t.reply.Cut {
		c.closing, c.cut = true, t.reply.Cut
		c.reset = t.reply.Cut && t.reply.ByClose
	}
	return true
}

// refuse answers what can't be served and closes the connection.
func (l *loop) refuse(c *conn, err error) {
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

func (l *loop) refuseWith(c *conn, status int, detail string) {
	t := l.turn
	t.out = l.config.App.Refuse(t.out, t.date, status, detail, c.remote)
	c.closing, c.unread = true, true
}

// keep saves what isn't served yet.
func (l *loop) keep(c *conn, b []byte) {
	held := l.turn.held
	l.turn.held = nil
	switch {
	case len(b) == 0 || c.closing:
		c.unread = c.unread || len(b) > 0
		if c.in = nil; held != nil {
			l.buffers.Give(held)
		}
	case held != nil:
		c.in = held[:copy(held, b)]
	default:
		c.in = append(l.buffers.Take(), b...)
	}
}

// deliver gives the kernel what the turn has for c. What it doesn't take is kept
// with the connection.
func (l *loop) deliver(c *conn) {
	t := l.turn
	out := t.out
	if t.out = out[:0]; cap(out) > 4*flushAt {
		t.out = nil
	}
	switch {
	case c.secure != nil:
		l.deliverSecured(c, out)
	case len(out) > 0:
		l.deliverPlain(c, out)
	}
}

func (l *loop) deliverPlain(c *conn, out []byte) {
	n, errno := l.Sys.Write(c.fd, out)
	switch {
	case errno != 0 && errno != unix.EAGAIN && errno != unix.EINTR:
		c.closing, c.cut = true, true
	case n == len(out):
	case l.turn.out == nil: // too large to be kept for others
		c.out, c.sent = out, n
	default:
		c.out, c.sent = append(c.out[:0], out[n:]...), 0
	}
}

// writeMore sends what the client hadn't taken. It reports whether all is sent.
func (l *loop) writeMore(c *conn) bool {
	limits := &l.config.Limits
	taken := int64(c.queued - l.Sys.Queued(c.fd))
	late := c.taken.Spend(taken, time.Duration(l.now-c.asked), limits.MinTake, limits.WriteStall)
	c.asked = l.now
	n, errno := l.Sys.Write(c.fd, c.out[c.sent:])
	if late || errno != 0 && errno != unix.EAGAIN && errno != unix.EINTR {
		l.drop(c)
		return false
	}
	if n > 0 {
		c.sent += n
		l.writing(c)
	}
	if c.sent < len(c.out) {
		return false
	}
	c.out, c.sent = nil, 0
	if c.h2 != nil {
		l.beginOut(c)
		l.sendReady(c)
	}
	l.settle(c)
	return c.fd >= 0 && len(c.out) == 0
}

// settle decides what the connection waits for next.
func (l *loop) settle(c *conn) {
	switch {
	case c.h2 != nil:
		l.settleHTTP2(c)
	case c.cut:
		l.drop(c)
	case c.away != nil:
	case len(c.out) > 0:
		l.writing(c)
	case c.closing:
		l.retire(c)
	case c.ending && !c.unseen:
		l.drop(c) // all that it has sent is answered
	case c.upload != nil:
		l.await(c, phaseBody)
	case len(c.in) == 0 || c.unseen:
		l.await(c, phaseIdle)
	case c.phase != phaseHead:
		l.await(c, phaseHead)
	}
}

// lineEnds reports whether b holds the end of a line.
func lineEnds(b []byte) bool { return bytes.IndexByte(b, '\n') >= 0 }
