//go:build linux

package proxy

import (
	eventloop "dyno.example/nano/wire/loop"
	"dyno.example/nanogate/internal/request"
)

// beginDrain accepts the connections in the queue, then closes the listeners.
func (l *downstream) beginDrain() {
	if !l.Drain(l.now) {
		return
	}
	l.listeners.Close()
	l.clients.Each(func(c *client) {
		if c.mux != nil {
			l.streams.drainHTTP2(c)
		}
	})
	l.mirroring.giveUpMirroring()
	l.pools.closePools(false)
	for len(l.pools.warming) > 0 {
		k := l.pools.warming[0]
		l.pools.notWarming(k)
		l.pools.closeConnection(k)
	}
}

// drainStep closes connections that have nothing under way, and ends the loop after
// the last.
func (l *downstream) drainStep() {
	if l.GraceOver(l.now) {
		l.clients.Each(func(c *client) {
			switch {
			case !l.unused(c) || eventloop.Says(l.Sys, c.fd): // the next events tell what it has sent
			case c.mux != nil:
				l.streams.closeIdle(c)
			default:
				l.exchanges.drop(c)
			}
		})
	}
	l.stopped = l.stopped || l.clients.Len() == 0 && !l.Expecting()
}

// unused reports whether a client has nothing under way. One that has just done its handshake
// gets the time to send its request.
func (l *downstream) unused(c *client) bool {
	if c.mux != nil {
		return c.mux.codec.Streams() == 0 && !c.readable
	}
	return c.state == stateIdle && len(c.in) == 0 && !c.readable && l.now >= c.greeted+int64(eventloop.Grace) || c.state == stateHello
}

// cutAll closes what is left.
func (l *downstream) cutAll() {
	l.clients.Each(func(c *client) {
		if c.state.busy() {
			c.x.outcome.Failed = request.TimedOut
			l.exchanges.cut(c)
			if c.state == stateLinger {
				l.exchanges.drop(c)
			}
			return
		}
		if c.mux != nil {
			l.streams.closeIdle(c)
			l.streams.loseStreams(c)
			l.muxes.deliver(c.mux)
		}
		l.exchanges.drop(c)
	})
	l.stopped = true
}
