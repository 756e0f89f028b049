package engine

import (
	"time"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/internal/netconn"
	"dyno.example/nano/wire/reactor"
)

const (
	lingerTime  = 2 * time.Second
	lingerBytes = 1 << 20                // that are read and thrown away
	lingerLast  = 500 * time.Millisecond // without reading, for who sends more than that
)

// lifecycle is what connections wait for, for how long, and how they end.
type lifecycle struct {
	*loop

	wheel *reactor.Wheel
}

// await puts the connection into a phase, with the deadline of that phase.
func (l *lifecycle) await(c *conn, p phase) {
	c.phase = p
	limits := &l.config.Limits
	var d time.Duration
	switch p {
	case phaseIdle:
		d = limits.Idle
	case phaseHead:
		d = limits.ReadHead
	case phaseBody:
		d = c.upload.pace.Patience(limits.ReadBody, limits.MinRate)
	case phaseWrite:
		d = c.taken.Patience(limits.WriteStall, limits.MinTake)
	case phaseLinger:
		d = lingerTime
	case phaseStreams:
		d = l.server.tickEvery
	case phaseHello:
		if d = limits.Handshake; c.opening&opensProxy != 0 {
			d = limits.ReadHead
		}
	}
	if d <= 0 {
		l.wheel.Clear(c.id)
		return
	}
	l.wheel.Set(c.id, l.now+int64(d))
}

// settle decides what the connection waits for next.
func (l *lifecycle) settle(c *conn) {
	switch {
	case c.h2 != nil:
		l.h2conns.settle(c)
	case c.cut:
		l.drop(c)
	case c.away != nil:
	case len(c.out) > 0:
		l.writing(c)
	case c.closing:
		l.retire(c)
	case c.ending && !c.unseen:
		l.drop(c) // all that it has sent has had its response
	case c.upload != nil:
		l.await(c, phaseBody)
	case len(c.in) == 0 || c.unseen:
		l.await(c, phaseIdle)
	case c.phase != phaseHead:
		l.await(c, phaseHead)
	}
}

// expired closes a connection that let its deadline pass.
func (l *lifecycle) expired(id int32) {
	c := l.conns.At(id)
	if c.fd < 0 {
		return
	}
	switch c.phase {
	case phaseHead, phaseBody:
		l.timedOut(c)
	case phaseWrite:
		if !l.taking(c) {
			l.drop(c)
		}
	case phaseStreams:
		l.h2conns.tick(c)
	case phaseHello:
		l.openings.late(c)
	case phaseIdle:
		if c.h2 != nil {
			l.h2conns.closeIdle(c)
			return
		}
		l.drop(c)
	case phaseLinger:
		if queued := l.Sys.Queued(c.fd); queued > 0 && queued < c.queued { // it still takes its last response
			c.queued = queued
			l.await(c, phaseLinger)
			return
		}
		l.drop(c)
	default:
		l.drop(c)
	}
}

// writing begins the wait for a client that didn't take all of a response at once.
func (l *lifecycle) writing(c *conn) {
	if c.phase != phaseWrite {
		c.taken = netconn.Pace{}
		c.taken.Begin(netconn.MostGrace)
		c.asked = l.now
	}
	c.queued = l.Sys.Queued(c.fd)
	l.await(c, phaseWrite)
}

// taking reports whether the client has acknowledged something since the last
// look, and enough of late; then the wait goes on.
func (l *lifecycle) taking(c *conn) bool {
	limits := &l.config.Limits
	n := int64(c.queued - l.Sys.Queued(c.fd))
	late := c.taken.Spend(n, time.Duration(l.now-c.asked), limits.MinTake, limits.WriteStall)
	if late || n <= 0 {
		return false
	}
	c.asked = l.now
	l.writing(c)
	return true
}

// timedOut tells a client that its request took too long to come in.
func (l *lifecycle) timedOut(c *conn) {
	l.turn.conn, l.turn.out = c, l.turn.out[:0]
	l.requests.refuseWith(c, 408, "the request came too slowly")
	c.upload = nil
	l.transport.keep(c, nil)
	l.transport.deliver(c)
	l.settle(c)
}

// retire closes a connection after its last response. If the client has sent what
// was not read, closing at once would reset the connection, and the reset could
// overtake the response: then its side is closed first, and what still comes is
// read and thrown away for a while (RFC 9112 9.6). That is for clients that send all
// before they read. From those that have much to send no more is read then, and the
// connection stays for another while: proxies that send and read at once, such as
// nginx, look for the response when they can send no more. Clients of HTTP/2 send all the time:
// they open windows for what they have read of the response.
func (l *lifecycle) retire(c *conn) {
	if !c.unread && !c.readable && c.h2 == nil || c.ending {
		l.drop(c)
		return
	}
	if c.phase == phaseLinger {
		return
	}
	c.closeNotify()
	l.Sys.CloseWrite(c.fd)
	c.in, c.upload = nil, nil
	c.queued = l.Sys.Queued(c.fd)
	l.await(c, phaseLinger)
	if c.readable {
		l.more = append(l.more, c.id)
	}
}

// lingered counts what a connection sends after its last response.
func (l *lifecycle) lingered(c *conn, n int) {
	c.drained += n
	switch {
	case n == 0 || c.ending:
		l.drop(c)
	case c.drained > lingerBytes:
		c.readable = false
		l.wheel.Set(c.id, l.now+int64(lingerLast))
	}
}

// lingersOn reports whether a connection waits only for its client to close.
func (c *conn) lingersOn() bool { return c.phase == phaseLinger && c.drained > lingerBytes }

// drop closes a connection now. After a reset the client can't take a part of a
// response that ends with the connection for the whole.
func (l *lifecycle) drop(c *conn) {
	if c.away != nil {
		l.Sys.Abort(c.fd) // the handler still uses the descriptor
		return
	}
	if c.phase == phaseHello && c.secure != nil {
		l.openings.dropHello(c)
		l.forget(c)
		return
	}
	if c.h2 != nil {
		l.h2streams.lose(c, exchange.ErrClientGone)
	}
	c.closeNotify()
	if c.reset {
		l.Sys.Reset(c.fd)
	}
	l.Sys.Close(c.fd)
	l.forget(c)
}

// forget takes a connection out of the loop's books.
func (l *lifecycle) forget(c *conn) {
	l.server.gone(c.remote)
	l.part(c)
}

// part does so with a connection that others have now, and count as long as they do.
func (l *lifecycle) part(c *conn) {
	l.wheel.Clear(c.id)
	l.Assigned.Add(-1)
	l.conns.Remove(c.id)
	*c = conn{fd: -1, id: c.id}
}
