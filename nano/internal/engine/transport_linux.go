package engine

import (
	"bytes"
	"time"

	"golang.org/x/sys/unix"

	eventloop "dyno.example/nano/wire/loop"
)

// transport moves bytes between connections and the turn: it reads what is served, and
// keeps what can't be yet; it sends responses, and keeps what clients don't take at once.
type transport struct {
	*loop

	buffers eventloop.Buffers // for incomplete requests
}

// read reads once and serves what has come.
func (l *transport) read(c *conn) (mine bool) {
	if c.secure != nil && c.phase != phaseLinger { // what lingers isn't looked at
		return l.readSecured(c)
	}
	b := l.turn.scratch
	n, errno := l.Sys.Read(c.fd, b)
	switch {
	case errno == unix.EAGAIN:
		c.readable = false
		return true
	case errno == unix.EINTR:
		l.more = append(l.more, c.id)
		return true
	case errno != 0:
		l.lifecycle.drop(c)
		return true
	}
	c.readable = n == len(b)
	if n == 0 || c.hungUp && !c.readable {
		c.ending = true
	}
	if !l.receive(c, b[:n]) {
		return false
	}
	if c.readable && c.fd >= 0 && c.away == nil {
		l.more = append(l.more, c.id)
	}
	return true
}

// receive takes bytes that were read.
func (l *transport) receive(c *conn, b []byte) (mine bool) {
	switch {
	case c.phase == phaseLinger:
		l.lifecycle.lingered(c, len(b))
		return true
	case c.upload != nil:
		return l.requests.receiveBody(c, b)
	case len(c.in) == 0:
		return l.requests.process(c, b)
	case c.h2 != nil:
		c.in = append(c.in, b...)
		return l.requests.process(c, l.borrow(c))
	}
	line := lineEnds(b)
	c.in = append(c.in, b...)
	if !line && c.opening == 0 && len(c.in) <= min(l.requests.limits.URI, l.requests.limits.Head) && !c.ending {
		return true // still in the same line: nothing new to judge
	}
	return l.requests.process(c, l.borrow(c))
}

// lineEnds reports whether b holds the end of a line.
func lineEnds(b []byte) bool { return bytes.IndexByte(b, '\n') >= 0 }

// borrow takes the connection's own buffer into the turn, which keeps it if a
// handler keeps the turn.
func (l *transport) borrow(c *conn) []byte {
	l.turn.held = c.in
	return c.in
}

// keep saves what isn't served yet.
func (l *transport) keep(c *conn, b []byte) {
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
func (l *transport) deliver(c *conn) {
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

func (l *transport) deliverPlain(c *conn, out []byte) {
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
func (l *transport) writeMore(c *conn) bool {
	limits := &l.config.Limits
	taken := int64(c.queued - l.Sys.Queued(c.fd))
	late := c.taken.Spend(taken, time.Duration(l.now-c.asked), limits.MinTake, limits.WriteStall)
	c.asked = l.now
	n, errno := l.Sys.Write(c.fd, c.out[c.sent:])
	if late || errno != 0 && errno != unix.EAGAIN && errno != unix.EINTR {
		l.lifecycle.drop(c)
		return false
	}
	if n > 0 {
		c.sent += n
		l.lifecycle.writing(c)
	}
	if c.sent < len(c.out) {
		return false
	}
	c.out, c.sent = nil, 0
	if c.h2 != nil {
		l.h2conns.beginOut(c)
		l.h2conns.sendReady(c)
	}
	l.lifecycle.settle(c)
	return c.fd >= 0 && len(c.out) == 0
}
