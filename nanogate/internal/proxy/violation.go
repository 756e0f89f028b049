//go:build linux

package proxy

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// What must hold is kept by types and tests. Where it doesn't hold all the same, that costs
// the connection on which it was found, with a line in the log and a count, and no other
// client notices: a loop has the requests of others, which a panic would end with the process.

// violated reports what must not be: a mistake of the gateway's own.
func (l *loop) violated(what string, args ...any) {
	l.server.Violations.Add(1)
	l.server.violated.Say(l.log(), slog.LevelError, l.now, "a mistake of nanogate's own: "+what, args...)
}

// nobodys is the ID of work that is on no connection.
const nobodys = -1

// survive is deferred by each piece of a loop's work, with the event ID of the connection it
// is on. Of a panic only that connection dies, and the client whose request it was about.
func (l *loop) survive(id int32) {
	if why := recover(); why != nil {
		stack := debug.Stack()
		l.violated("a panic", "panic", fmt.Sprint(why), "stack", string(stack[:min(len(stack), mostStack)]))
		if c := l.current; c != nil && id >= 0 {
			l.severClient(c)
		}
		l.sever(id)
	}
}

// sever ends a connection in whatever state it is.
func (l *loop) sever(id int32) {
	if id < 0 {
		return
	}
	switch id & 3 {
	case ofClients:
		l.severClient(l.clients.At(id >> 2))
	case ofConnections:
		l.severConnection(l.connections.At(id >> 2))
	case ofCalls:
		k := l.calls.At(id >> 2)
		if k.on != nil {
			l.severConnection(k.on.conn)
		} else if k.client != nil { // its connection is lost already
			l.severClient(k.client)
		}
	}
}

// severClient closes a client's connection: as any other, or if that isn't possible any more
// by taking it out of all that leads to it.
func (l *loop) severClient(c *client) {
	if c.fd < 0 {
		return
	}
	c = c.conn()
	c.severed = true
	if l.holds(func() { l.exchanges.drop(c) }) && c.fd < 0 {
		return
	}
	if c.mux != nil {
		for s := c.mux.all; s != nil; s = s.after {
			l.abandon(s.client)
			s.client.fd, s.client.of = -1, nil
			l.wheel.Clear(s.client.id)
			l.clients.Remove(s.client.id)
		}
		c.mux.closed, c.mux = true, nil
	}
	if c.state >= stateHello {
		l.holds(func() { l.downstream.endHello(c) })
	}
	l.abandon(c)
	l.holds(func() { c.to.leave(c) })
	c.fd = -1
	l.wheel.Clear(c.id)
	l.clients.Remove(c.id)
}

// abandon takes a request from all that it is on, and counts its end if that can be done.
func (l *loop) abandon(c *client) {
	x := &c.x
	for _, k := range x.backs() {
		if k != nil && k.client == c {
			k.client = nil
			l.holds(func() { l.exchanges.closeBackend(k) })
		}
	}
	if x.undecided() {
		x.rival.endpoint.End()
	}
	x.attempt, x.rival = attempt{endpoint: x.endpoint}, attempt{}
	if !l.holds(func() { l.exchanges.end(c) }) {
		x.uncount()
		*x = exchange{}
	}
	enter(l, c, stateGone)
}

// severConnection closes a connection to an endpoint, with the requests that are on it.
func (l *loop) severConnection(k *connection) {
	if k.fd < 0 {
		return
	}
	if k.idle {
		l.pools.unpool(k)
	}
	if m := k.mux; m != nil {
		m.broken = true
		if l.holds(func() { l.multiplexed.settleUpstreamMux(m) }) && m.closed {
			return
		}
		for s := m.all; s != nil; s = m.all {
			if c := s.call.client; c != nil {
				l.severClient(c)
			}
			if m.all == s {
				m.part(s)
			}
		}
		l.holds(func() { l.multiplexed.closeUpstreamMux(m) })
	} else if c := k.client; c != nil {
		l.severClient(c)
	}
	if k.fd >= 0 && !l.holds(func() { l.pools.closeConnection(k) }) {
		l.Sys.Close(k.fd)
		k.fd = -1
	}
}

// holds does what may panic, and reports whether it didn't.
func (l *loop) holds(f func()) (held bool) {
	defer func() {
		if why := recover(); why != nil {
			l.violated("a panic while a connection is given up", "panic", fmt.Sprint(why))
		}
	}()
	f()
	return true
}
