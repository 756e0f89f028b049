//go:build linux

package proxy

import (
	"dyno.example/nanogate/internal/observe"
	"dyno.example/nanogate/internal/request"
)

// end counts the exchange, notifies its observers, and releases what it had. The
// connection to the upstream has been released or closed.
func (l *exchanges) end(c *client) {
	x := &c.x
	x.uncount()
	l.suspensions.unsuspend(x)
	r := x.route
	if r != nil {
		x.outcome.Ended, x.outcome.Loop, x.outcome.Received = l.now, l.local.Loop, x.sent.taken
	}
	l.slots.end.back(x, x.with, func(f atEnd) bool { f.ending(c); return false })
	x.with = 0
	if x.head != nil {
		l.buffers.Give(x.head)
		x.head = nil
	}
	x.sent.forget(&l.buffers)
	if r == nil {
		l.forget(x)
		return
	}
	x.route = nil
	if !x.background {
		r.Counters.Of(l.local.Loop).Count(&x.outcome)
	}
	if x.endpoint != nil {
		x.endpoint.Counters.Of(l.local.Loop).Count(&x.outcome)
	}
	r.Chain[:x.passed].Done(&x.outcome)
	if x.taken > 0 {
		for _, limit := range x.upstream.Limits[:x.taken] {
			limit.Done(&x.outcome)
		}
	}
	if x.seen {
		if x.endpoint != nil {
			x.outcome.Endpoint = x.endpoint.Name
		}
		x.endTrail(l.now)
		observe.Ended(r.Observers, &x.outcome, x.note)
	}
	x.endpoint, x.upstream = nil, nil
	if x.kept != nil {
		if e := x.kept.ends; e != nil {
			l.tellEnds(e, &x.outcome)
		}
		l.forget(x)
	}
}

// endWith ends an exchange whose response has begun with the last piece of its content.
func (l *exchanges) endWith(c *client, piece []byte) {
	l.out = l.out[:0]
	l.end(c)
	if c.to.send(c, piece, nil, true) {
		l.endOfResponse(c)
	}
}

const mostStack = 4 << 10 // bytes of it that are logged

// endOfResponse goes on after a response, when the client has taken it all.
func (l *exchanges) endOfResponse(c *client) {
	if !c.out.empty() {
		l.deadlines.await(c, stateWrite)
		return
	}
	c.to.after(c)
}

const (
	lingerTime  = int64(2e9) // ns
	lingerBytes = 1 << 20    // that are read and thrown away
	lingerLast  = int64(5e8) // ns, without reading, for a client that sends more than that
)

// retire closes a connection after its last response. If the client has sent what was
// not read, or may have sent the next request before it knew, closing at once would reset
// the connection, and the reset could overtake the response: then its side is closed first,
// and what still comes is read and thrown away for a while (RFC 9112 9.6).
func (l *exchanges) retire(c *client) {
	if c.ending || c.x.final && !c.unread && !c.readable && len(c.in) == 0 && c.x.body.Done() {
		l.drop(c)
		return
	}
	c.closeWrite(l.Sys)
	c.in = c.in[:0]
	l.deadlines.await(c, stateLinger)
	if c.readable {
		l.later(c)
	}
}

// linger throws away what a client sends after its last response.
func (l *exchanges) linger(c *client) {
	if c.drained > lingerBytes {
		if c.hungUp {
			l.drop(c)
		}
		return
	}
	if !c.readable {
		return
	}
	n, ok := l.downstream.readClient(c, l.scratch)
	switch {
	case !ok:
		return
	case n == 0:
		l.drop(c)
		return
	}
	if c.drained += n; c.drained > lingerBytes {
		l.wheel.Set(c.id, l.now+lingerLast)
		return
	}
	if c.readable {
		l.later(c)
	}
}

// cut ends a response that can't be completed.
func (l *exchanges) cut(c *client) {
	if !l.slots.cut.back(&c.x, c.x.with, func(f atCut) bool { return f.cutting(c) }) {
		c.to.cut(c)
	}
}

// drop ends a client's connection, or its request, now.
func (l *exchanges) drop(c *client) {
	if c.fd < 0 {
		return
	}
	if c.x.underWay() || c.x.back != nil {
		c.x.outcome.Failed = request.ClientGone
		c.severed = true
		l.attempts.giveUp(c)
		l.end(c)
	}
	if c.state >= stateHello {
		l.downstream.endHello(c)
	} else {
		enter(l.loop, c, stateGone)
	}
	c.to.leave(c)
	c.fd = -1
	l.wheel.Clear(c.id)
	if cap(c.in) > keptOutbox {
		c.in = nil
	}
	c.out.reset()
	c.out.trim()
	l.clients.Remove(c.id)
}

// cut implements [recipient]. That a response isn't whole its framing says, and TLS by not saying
// that this is the end; what the client hasn't read yet, of a response before it too, it may
// still read (RFC 9112 8, 9.6). A reset takes that away from it: only what ends with its
// connection is broken off so, as nothing else keeps the client from taking a part for the whole.
func (l *downstream) cut(c *client) {
	c.severed = true
	l.attempts.giveUp(c)
	l.exchanges.end(c)
	if c.x.tunnel || c.x.byClose {
		l.Sys.Reset(c.fd)
		l.exchanges.drop(c)
		return
	}
	c.out.reset()
	l.exchanges.retire(c)
}

// after implements [recipient]: the connection is kept, if it may carry another request.
func (l *downstream) after(c *client) {
	if !c.x.keep {
		l.exchanges.retire(c)
		return
	}
	l.deadlines.await(c, stateIdle)
	if len(c.in) > 0 || c.readable {
		l.later(c)
	} else if c.hungUp && c.ending {
		l.exchanges.drop(c)
	}
}

// leave implements [recipient].
func (l *downstream) leave(c *client) {
	if c.mux != nil {
		l.streams.loseStreams(c)
		c.mux.closed, c.mux = true, nil
	}
	if c.x.byClose && c.x.begun && (c.severed || !c.out.empty()) { // its end would be taken for that of the response
		l.Sys.Reset(c.fd)
	}
	c.close(l.Sys, l.Poller)
	l.Assigned.Add(-1)
	l.server.acceptor.Release()
}
