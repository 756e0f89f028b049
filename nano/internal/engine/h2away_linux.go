package engine

import (
	"errors"

	"dyno.example/nano/internal/exchange"
)

// Handlers of HTTP/2 and the loop. As in HTTP/1.1 a handler starts on the loop's
// goroutine, holds the baton, and loses the loop when it blocks; but its connection,
// and the loop's turn, go on without it.

// serveStreamInline runs the handler on the loop's goroutine. It reports whether the
// goroutine still is the loop's.
func (l *handlers) serveStreamInline(c *conn, t *h2stream) (mine bool) {
	who := l.runner
	l.lending = t
	t.ticket = l.give(t.x.History)
	returned := false
	defer func() {
		if !returned { // runtime.Goexit
			who.done = true
			t.leave()
			t.reply.Cut = true
			t.finishAway()
		}
	}()
	t.x.Owner.Serve()
	returned = true
	if t.away || !l.takenBack(t.ticket) {
		t.away = true
		t.finishAway()
		return false
	}
	l.lending = nil
	t.finish()
	t.running = false
	if l.h2streams.send(c, t) {
		c.h2.ready.Push(t, &t.queued)
	}
	return true
}

// leave gives the loop up before the handler blocks.
func (t *h2stream) leave() {
	if t.away {
		return
	}
	t.away = true
	if t.loop.handlers.takenAway(t.ticket) {
		t.loop.Sys.Go(t.loop.handlers.takeOver)
	}
}

// lendStream goes on where a handler keeps the goroutine that ran the loop.
func (l *handlers) lendStream(t *h2stream) {
	l.lending = nil
	l.h2conns.pool.Leave() // the request's head
	l.server.elsewhere.Add(1)
	t.mu.Lock()
	t.lent = true
	t.mu.Unlock()
	t.taken.Add(1)
	c := t.conn
	c.h2.ready.Push(t, &t.queued)
	c.unseen = true
	l.more = append(l.more, c.id)
	l.h2conns.pause(c, c.h2.rest)
}

// spawnStream starts the handler on a goroutine of its own.
func (l *handlers) spawnStream(t *h2stream) {
	t.away, t.lent = true, true
	l.server.elsewhere.Add(1)
	l.Sys.Go(func() { serveAway(l.Sys, t.x, &t.reply, t) })
}

// finish completes the response when the handler has returned.
func (t *h2stream) finish() {
	if t.tunnel != nil {
		t.tunnel.leave()
		t.tunnel = nil
	}
	r := &t.reply
	if r.Streamed && !r.Ended && !r.Cut {
		if err := t.End(t.x, nil); err != nil {
			t.x.Owner.Unfinished(err)
		}
	}
	if r.Cut {
		t.mu.Lock()
		t.out.cut = true
		t.mu.Unlock()
	}
	t.apart.over()
	t.x.Owner.Recycle()
}

// finishAway does so without the loop.
func (t *h2stream) finishAway() {
	t.finish()
	t.mu.Lock()
	t.returned = true
	first := !t.posted
	t.posted = true
	t.mu.Unlock()
	if first {
		t.loop.Hand(&t.message)
	}
}

// tell has the loop look at the stream, unless the loop waits for the handler that tells.
func (t *h2stream) tell() {
	other := t.isOther()
	t.mu.Lock()
	first := t.telling(other)
	t.mu.Unlock()
	if first {
		t.loop.Hand(&t.message)
	}
}

// telling reports whether the stream's message has to be handed to the loop; other says
// that it is another goroutine than the handler's that tells. The caller has t.mu.
func (t *h2stream) telling(other bool) (first bool) {
	first = (t.lent || other) && !t.posted
	t.posted = t.posted || first
	return first
}

// isOther reports whether a goroutine that the handler has started is calling, while the
// handler itself may be suspended.
func (t *h2stream) isOther() bool { return t.co != nil && goroutine() != t.co.self }

// heard looks at a stream that a handler has told of.
func (l *h2streams) heard(t *h2stream) {
	c := t.conn
	t.mu.Lock()
	t.posted = false
	returned, parked, done := t.returned, t.parked, max(t.in.done, 0)
	t.in.done -= done
	t.parked = false
	if parked && c != nil {
		t.lent = false
	}
	t.mu.Unlock()
	if t.dropped {
		return
	}
	if returned || parked && c != nil {
		l.server.elsewhere.Add(-1)
	}
	switch {
	case parked && c == nil:
		l.Sys.Go(t.drive)
	case l.Over():
	case c == nil: // the handler has outlived its connection
		if returned {
			l.Assigned.Add(-1)
			l.spare(t)
		}
	default:
		if returned {
			t.running = false
		}
		l.h2conns.beginOut(c)
		if done > 0 {
			c.h2.codec.Consume(t.s, done)
		}
		if parked {
			t.away, t.idle = false, true
		}
		if t.idle && t.stirs() {
			l.coroutines.resumeLater(c, t)
		}
		c.h2.ready.Push(t, &t.queued)
		l.h2conns.sendReady(c)
		l.lifecycle.settle(c)
	}
}

// broke notes that the client doesn't take the response any more.
func (t *h2stream) broke(why error) error {
	t.reply.Cut = true
	return why
}

// Gone implements exchange.NetWire.
func (t *h2stream) Gone() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lostBy != nil && !errors.Is(t.lostBy, exchange.ErrDrainTimeout)
}
