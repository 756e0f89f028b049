package engine

import (
	"dyno.example/nano/internal/exchange"
	eventloop "dyno.example/nano/wire/loop"
)

// Drain begins the end: no more clients are accepted, and idle ones are let go.
func (s *Server) Drain() {
	s.acceptor.Drain()
	for _, l := range s.loops {
		l.Call((*loop).beginDrain)
	}
}

// Cut closes what is left, and ends the contexts of its requests.
func (s *Server) Cut() {
	s.cancel(exchange.ErrDrainTimeout)
	for _, l := range s.loops {
		l.Call((*loop).cutAll)
	}
}

// beginDrain accepts who waits in the queue, then closes the listeners.
func (l *loop) beginDrain() {
	if !l.Drain(l.now) {
		return
	}
	l.listeners.Close()
	l.conns.Each(func(c *conn) {
		if c.h2 != nil && !l.openings.fresh(c) {
			l.h2conns.drain(c)
		}
	})
}

// drainStep closes connections that have nothing under way, and ends the loop
// after the last.
func (l *loop) drainStep() {
	if l.GraceOver(l.now) {
		l.conns.Each(func(c *conn) {
			if l.openings.fresh(c) {
				return
			}
			if c.h2 != nil {
				l.h2conns.drain(c)
				return
			}
			// What it has sent since the loop last asked is told by the next events.
			if c.phase == phaseIdle && !c.unseen && !c.readable && !eventloop.Says(l.Sys, c.fd) {
				l.lifecycle.drop(c)
			}
		})
	}
	l.stopped = l.stopped || l.conns.Len() == 0 && !l.Expecting()
}

// cutAll closes what is left, and leaves the handlers that don't return behind.
func (l *loop) cutAll() {
	l.conns.Each(func(c *conn) {
		away := c.away
		if away != nil {
			away.lost(exchange.ErrDrainTimeout)
		}
		if c.h2 != nil {
			l.h2streams.lose(c, exchange.ErrDrainTimeout)
		}
		c.reset = c.reset || len(c.out) > 0 // or what came of the response could be taken for the whole
		l.lifecycle.drop(c)
		if away != nil { // no loop tells it of its socket any more: it finds it reset
			signal(away.writable)
			signal(away.readable)
		}
	})
	l.stopped = true
}
