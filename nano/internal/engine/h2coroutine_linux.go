package engine

import (
	"iter"

	"dyno.example/nano/internal/exchange"
)

// A handler that is a conversation with its client would block again and again, for
// every message. On a route that says so (nano.Suspended) it runs on a stack of its own:
// where it waits for its client it is suspended, and the loop goes on; when the client
// has moved, the loop resumes it, as it calls any handler. That is a switch between two
// goroutines that the scheduler doesn't see (iter.Pull).
//
// While it runs it holds the baton. If it blocks elsewhere, or takes long, it loses the
// loop as others do; the goroutine that has resumed it waits until it suspends itself
// again, and then gives it back to the loop by a message. One that loses the loop twice
// in a short time stays away from it and waits as a goroutine.

// coroutines is how handlers are suspended and resumed.
type coroutines struct {
	*loop

	spare []*coroutine // that are not in use
}

// coroutine is the stack that handlers run on, one after the other.
type coroutine struct {
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	self  uintptr   // its goroutine
	t     *h2stream // whose handler it runs
	over  bool      // the handler has returned
}

const (
	spareCoroutines = 64   // of a loop
	takenToStay     = 2    // losses of the loop after which a handler stays away from it
	calmAfter       = 1024 // resumptions after which earlier losses are forgotten
)

func newCoroutine() *coroutine {
	co := &coroutine{}
	co.next, co.stop = iter.Pull(co.run)
	return co
}

// run serves streams until the coroutine is stopped.
func (co *coroutine) run(yield func(struct{}) bool) {
	co.yield, co.self = yield, goroutine()
	for {
		co.t.x.Owner.Serve()
		co.over = true
		if !yield(struct{}{}) {
			return
		}
	}
}

// beginCoroutine starts the handler of a route whose handlers are suspended.
func (l *coroutines) begin(c *conn, t *h2stream) (mine bool) {
	if n := len(l.spare); n > 0 {
		t.co = l.spare[n-1]
		l.spare = l.spare[:n-1]
	} else {
		t.co = newCoroutine()
	}
	t.co.t, t.co.over = t, false
	return l.resume(c, t)
}

// resume runs a handler until it waits for its client or returns. It reports whether
// the goroutine still is the loop's.
func (l *coroutines) resume(c *conn, t *h2stream) (mine bool) {
	t.idle = false
	who := l.handlers.runner
	l.handlers.lending = t
	t.ticket = l.handlers.give(t.x.History)
	returned := false
	defer func() {
		if !returned { // runtime.Goexit
			who.done = true
			t.leave()
			t.reply.Cut = true
			t.finishAway()
		}
	}()
	t.co.next()
	returned = true
	if t.away || !l.handlers.takenBack(t.ticket) {
		t.away = true
		t.cameBack()
		return false
	}
	l.handlers.lending = nil
	if t.co.over {
		l.end(t)
		t.finish()
		t.running = false
	} else {
		l.suspended(c, t)
	}
	c.h2.ready.Push(t, &t.queued)
	return true
}

// suspended notes that a handler waits for its client, and lets the client send what
// the handler has read.
func (l *coroutines) suspended(c *conn, t *h2stream) {
	t.idle = true
	if t.calm++; t.calm%calmAfter == 0 {
		t.taken.Store(0)
	}
	if t.ate < toldAt {
		return
	}
	t.ate = 0
	t.mu.Lock()
	done := max(t.in.done, 0)
	t.in.done -= done
	t.mu.Unlock()
	if done > 0 {
		c.h2.codec.Consume(t.s, done)
	}
}

// endCoroutine keeps the stack of a handler that has returned to the loop.
func (l *coroutines) end(t *h2stream) {
	co := t.co
	t.co, co.t = nil, nil
	if h := t.x.History; h != nil && t.taken.Load() == 0 {
		h.Stayed()
	}
	if len(l.spare) < spareCoroutines {
		l.spare = append(l.spare, co)
	} else {
		co.stop()
	}
}

// suspends reports whether the handler may wait for its client by suspending itself:
// it has to be its own goroutine that asks, and not one that it has started.
func (t *h2stream) suspends() bool {
	return t.co != nil && goroutine() == t.co.self && t.taken.Load() < takenToStay
}

// cameBack takes a handler that was resumed and has lost the loop since: it has
// returned, or waits for its client.
func (t *h2stream) cameBack() {
	if t.co.over {
		t.co.stop()
		t.finishAway()
		return
	}
	t.mu.Lock()
	t.parked = true
	t.mu.Unlock()
	t.knock()
}

// drive resumes, without the loop, a handler whose client has gone.
func (t *h2stream) drive() {
	returned := false
	defer func() {
		if !returned { // runtime.Goexit
			t.reply.Cut = true
			t.finishAway()
		}
	}()
	t.co.next()
	returned = true
	t.cameBack()
}

// knock has the loop look at the stream, whoever has it.
func (t *h2stream) knock() {
	t.mu.Lock()
	first := !t.posted
	t.posted = true
	t.mu.Unlock()
	if first {
		t.loop.Hand(&t.message)
	}
}

// stirs reports whether a suspended handler has something to go on with.
func (t *h2stream) stirs() bool {
	if t.by[exchange.Reading].Load()|t.by[exchange.Writing].Load() != 0 {
		return true // it looks itself whether that has passed
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.full {
		return t.lostBy != nil || len(t.out.data)-t.out.sent <= keptOfStream/2
	}
	return t.lostBy != nil || t.in.ended || t.in.at < len(t.in.data)
}

// resumeLater resumes a handler when the loop comes to its connection.
func (l *coroutines) resumeLater(c *conn, t *h2stream) {
	if !t.resuming {
		t.resuming = true
		c.h2.resumes = append(c.h2.resumes, t)
		c.unseen = true
		l.more = append(l.more, c.id)
	}
}

// resumeWaiting resumes those handlers.
func (l *coroutines) resumeWaiting(c *conn) (mine bool) {
	h := c.h2
	for len(h.resumes) > 0 {
		last := len(h.resumes) - 1
		t := h.resumes[last]
		h.resumes[last] = nil
		h.resumes = h.resumes[:last]
		t.resuming = false
		if t.idle && !l.resume(c, t) {
			return false
		}
	}
	return true
}
