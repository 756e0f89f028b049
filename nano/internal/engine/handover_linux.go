package engine

import (
	"sync/atomic"

	"dyno.example/nano/internal/exchange"
	eventloop "dyno.example/nano/wire/loop"
)

// A loop is run by one goroutine at a time. The baton says which: it is free
// while the loop does its own work, and holds a ticket while a handler runs. A
// handler that comes back takes its ticket back and goes on as the loop. Whoever
// finds the same ticket for too long (the watchdog), or wants to block (the
// handler), tears it up and starts a new goroutine as the loop; the handler then
// carries on alone.
//
// A ticket is an odd number and used once. Torn up, or taken back, it is even.

// handlers are run by the goroutine of their loop, or leave it.
type handlers struct {
	*loop

	baton   atomic.Uint64 // who runs the loop; any goroutine may look
	tickets uint64        // the last that was given out
	runner  *runner
	lending *h2stream         // whose handler runs; nil for HTTP/1.1
	serving *exchange.History // whose handler runs
}

// give gives the baton to a handler for the ticket that it returns.
func (l *handlers) give(to *exchange.History) (ticket uint64) {
	l.tickets += 2
	ticket, l.serving = l.tickets, to
	l.baton.Store(ticket) // from here on the loop may be another goroutine's
	if l.server.watchdog.asleep.Load() {
		l.server.watchdog.wake()
	}
	return ticket
}

// takenBack reports whether a handler that has come back still had the baton.
func (l *handlers) takenBack(ticket uint64) bool { return l.baton.CompareAndSwap(ticket, ticket-1) }

// takenAway reports whether a handler still had the baton, and loses it now.
func (l *handlers) takenAway(ticket uint64) bool { return l.baton.CompareAndSwap(ticket, ticket+1) }

// serveInline runs the handler on the loop's goroutine. It reports whether the
// goroutine still is the loop's.
func (l *handlers) serveInline(t *turn) (mine bool) {
	t.ticket = l.give(t.x.History)
	t.x.Owner.Serve()
	if !t.away && l.takenBack(t.ticket) {
		t.finish()
		return true
	}
	t.away = true
	t.finishAway()
	return false
}

// leave gives the loop up before the handler blocks.
func (t *turn) leave() {
	if t.away {
		return
	}
	t.away = true
	if t.loop.handlers.takenAway(t.ticket) {
		t.loop.Sys.Go(t.loop.handlers.takeOver)
	}
}

// takeOver goes on with the loop where a handler keeps the goroutine that ran it.
func (l *handlers) takeOver() {
	if t := l.lending; t != nil {
		l.lendStream(t)
		l.run(l.turn)
		return
	}
	l.lend(l.turn)
	l.run(l.server.newTurn(l.loop))
}

// lend leaves the connection to the handler of t.
func (l *handlers) lend(t *turn) {
	c := t.conn
	c.away, c.phase = t, phaseAway
	c.in = nil // the turn has it, if there was anything
	l.lifecycle.wheel.Clear(c.id)
	l.server.elsewhere.Add(1)
	t.sendReady()
}

// sendReady sends what is complete of earlier responses: the client must not wait
// for them as long as for this one. What it doesn't take goes before this one.
func (t *turn) sendReady() {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.ready == nil:
	case t.conn.secure != nil:
		_, _ = t.conn.secure.Deliver(t.ready) // as below
		t.sent, t.ready = len(t.ready), nil
	default:
		n, _ := t.loop.Sys.Write(t.fd, t.ready) // an error shows again when the rest is sent
		t.sent, t.ready = n, nil
	}
}

// spawn starts the handler on a goroutine of its own. The exchange goes with it;
// the bytes of the request and of what follows are copied, for the loop needs its
// buffer. Responses to earlier requests go along, so that none overtakes them.
func (l *handlers) spawn(c *conn, request, rest []byte, in *inflow) {
	t, s := l.turn, l.server.newTurn(l.loop)
	s.x, t.x = t.x, s.x
	s.x.Wire, t.x.Wire = s, t
	s.away, s.conn, s.fd = true, c, c.fd
	s.out, s.sent = append(s.out[:0], t.out...), 0
	t.out = t.out[:0]
	n, whole := len(request), s.x.Body.Whole
	s.copied = append(append(append(s.copied[:0], request...), whole...), rest...)
	if len(whole) > 0 {
		s.x.Body.Whole = s.copied[n:][:len(whole):len(whole)]
	}
	s.start(s.copied[:n:n], s.copied[n+len(whole):])
	if in != nil {
		s.inflow = *in
	}
	c.away, c.phase = s, phaseAway
	l.lifecycle.wheel.Clear(c.id)
	l.server.elsewhere.Add(1)
	s.sendReady()
	l.Sys.Go(func() { serveAway(l.Sys, s.x, &s.reply, s) })
}

// serveAway runs a handler that was spawned for x: that of a turn or of a stream, which
// wire is.
func serveAway(sys eventloop.System, x *exchange.Exchange, reply *exchange.Reply, wire interface{ finishAway() }) {
	began := sys.Now()
	h := x.History
	returned := false
	defer func() {
		if !returned { // runtime.Goexit
			reply.Cut = true
			wire.finishAway()
		}
	}()
	x.Owner.Serve()
	returned = true
	if h != nil {
		h.Spawned(sys.Now() - began)
	}
	wire.finishAway()
}

// takeBack gets the connection back from a handler that was away.
func (l *handlers) takeBack(t *turn) {
	l.server.elsewhere.Add(-1)
	if l.Over() {
		l.Sys.Close(t.fd)
		return
	}
	c := t.conn
	c.away = nil
	if t.hijacked {
		l.Sys.Close(c.fd) // the handler has a descriptor of its own
		if c.secure != nil {
			l.lifecycle.part(c) // what the handler has says when it is closed
		} else {
			l.lifecycle.forget(c)
		}
		l.server.oldTurn(t)
		return
	}
	if len(t.rest) > 0 {
		c.in = append(l.transport.buffers.Take(), t.rest...)
	}
	c.unseen, c.unread = len(c.in) > 0, len(c.in) > 0 || t.inflow.open
	c.closing, c.cut = !t.reply.Keep || t.reply.Cut, t.reply.Cut
	c.reset = t.reply.Cut && t.reply.ByClose
	c.readable = true
	l.lifecycle.settle(c)
	l.more = append(l.more, c.id)
	l.server.oldTurn(t)
}
