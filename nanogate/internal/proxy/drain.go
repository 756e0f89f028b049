//go:build linux

package proxy

import (
	eventloop "dyno.example/nano/wire/loop"
	"dyno.example/nanogate/internal/request"
)

// beginDrain accepts who waits in the queue, then closes the listeners.
func (l *loop) beginDrain() {
	if !l.Drain(l.now) {
		return
	}
	l.listeners.Close()
	l.clients.Each(func(c *client) {
		if c.mux != nil {
			l.drainHTTP2(c)
		}
	})
	l.giveUpMirroring()
	l.closePools(false)
	for len(l.warming) > 0 {
		k := l.warming[0]
		l.notWarming(k)
		l.closeConnection(k)
	}
}

// drainStep closes connections that have nothing under way, and ends the loop after
// the last.
func (l *loop) drainStep() {
	if l.GraceOver(l.now) {
		l.clients.Each(func(c *client) {
			switch {
			case !l.unused(c) || eventloop.Says(l.Sys, c.fd): // the next events tell what it has sent
			case c.mux != nil:
				l.closeIdle(c)
			default:
				l.drop(c)
			}
		})
	}
	l.stopped = l.stopped || l.clients.Len() == 0 && !l.Expecting()
}

// unused reports whether a client has nothing under way. Who has just done its handshake
// gets the time to send its request.
func (l *loop) unused(c *client) bool {
	if c.mux != nil {
		return c.mux.codec.Streams() == 0 && !c.readable
	}
	return c.phase == phaseIdle && len(c.in) == 0 && !c.readable && l.now >= c.greeted+int64(eventloop.Grace) || c.phase == phaseHello
}

// cutAll closes what is left.
func (l *loop) cutAll() {
	l.clients.Each(func(c *client) {
		if c.phase.busy() {
			c.x.outcome.Failed = request.TimedOut
			l.cut(c)
			if c.phase == phaseLinger {
				l.drop(c)
			}
			return
		}
		if c.mux != nil {
			l.closeIdle(c)
			l.loseStreams(c)
			l.deliver(c.mux)
		}
		l.drop(c)
	})
	l.stopped = true
}
