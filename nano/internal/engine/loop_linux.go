package engine

import (
	"crypto/tls"
	"log/slog"
	"time"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/wire/http1"
	eventloop "dyno.example/nano/wire/loop"
	"dyno.example/nano/wire/reactor"
	"dyno.example/nano/wire/tlsconn"
)

// loop is one event loop: a poller, the connections that belong to it and their
// deadlines. See nano/docs/loop.md.
type loop struct {
	eventloop.Core[*loop]
	config *Config
	server *Server

	// All below belongs to the goroutine that runs the loop, but for the baton.
	turn      *turn
	events    []reactor.Event
	next      int     // of events
	more      []int32 // connections that have more to do
	now       int64   // of this batch of events, in ns
	dated     int64   // when the date has to be written again
	conns     eventloop.Table[conn]
	listeners *eventloop.Listeners[*loop, *tls.Config]
	stopped   bool

	// What is one concern's has a type of its own, in its file.
	openings   openings
	lifecycle  lifecycle
	transport  transport
	requests   requests
	handlers   handlers
	h2conns    h2conns
	h2streams  h2streams
	coroutines coroutines
}

const (
	eventBatch = 256
	readBuffer = 64 << 10
	flushAt    = 64 << 10 // bytes of responses that are sent before more requests are looked at
)

func newLoop(s *Server) (*loop, error) {
	limits := s.config.Limits
	now := s.sys.Now()
	l := &loop{
		config: s.config, server: s, now: now,
		openings:  openings{handshakes: tlsconn.Handshakes{Most: func() int { return mostHandshakes }, Results: &s.shaken}},
		lifecycle: lifecycle{wheel: reactor.NewWheel(now)},
		transport: transport{buffers: eventloop.Buffers{Fresh: 1 << 10, Largest: 16 << 10, Most: 64}},
		requests:  requests{limits: http1.Limits{Head: limits.Head, URI: limits.URI, Fields: limits.Fields}},
		handlers:  handlers{tickets: 1},
	}
	l.assemble()
	l.Elsewhere = &s.elsewhere
	l.listeners = s.acceptor.Join(&l.Core)
	return l, l.Begin(l, s.sys, eventBatch)
}

// assemble makes the parts of a loop its own.
func (l *loop) assemble() {
	l.openings.loop, l.lifecycle.loop, l.transport.loop, l.requests.loop, l.handlers.loop = l, l, l, l, l
	l.h2conns.loop, l.h2streams.loop, l.coroutines.loop = l, l, l
}

// run is the loop, from wherever it stands. It returns when the loop has ended
// or a handler keeps the goroutine.
func (l *loop) run(t *turn) {
	if t.scratch == nil {
		t.scratch = make([]byte, readBuffer)
	}
	who := &runner{}
	l.turn, l.handlers.runner = t, who
	t.date, l.dated = l.DateLine(t.date[:0]) // each turn has its own
	defer func() {
		if !who.done { // a handler called runtime.Goexit
			t.leave()
			t.reply.Cut = true
			t.finishAway()
		}
	}()
	for !l.stopped {
		if !l.work() {
			who.done = true
			return
		}
		l.gather()
	}
	who.done = true
	l.close()
}

// runner is a goroutine that runs the loop.
type runner struct{ done bool }

// work does what there is to do. It reports whether the goroutine still is the
// loop's.
func (l *loop) work() (mine bool) {
	for l.next < len(l.events) {
		e := &l.events[l.next]
		l.next++
		if !l.handle(e) {
			return false
		}
	}
	for range len(l.more) {
		c := l.conns.At(l.more[0])
		l.more = l.more[:copy(l.more, l.more[1:])]
		if c.fd >= 0 && c.away == nil && !l.goOn(c) {
			return false
		}
	}
	return true
}

// gather waits for something to do.
func (l *loop) gather() {
	l.conns.Reuse()
	if l.HasMail() {
		l.OpenMail()
	}
	if l.Draining() {
		if l.drainStep(); l.stopped {
			return
		}
	}
	events, err := l.Poll(len(l.more) > 0, l.lifecycle.wheel.Next)
	if err != nil {
		l.config.Logger.Error("event loop", "error", err)
		l.Sys.Sleep(10 * time.Millisecond) // it can't be repaired; it must not spin either
	}
	l.events, l.next = events, 0
	l.now = l.Tick()
	l.lifecycle.wheel.Expire(l.now, l.lifecycle.expired)
	if l.now >= l.dated {
		l.turn.date, l.dated = l.DateLine(l.turn.date[:0])
	}
}

// handle takes one event.
func (l *loop) handle(e *reactor.Event) (mine bool) {
	if e.ID() < 0 {
		l.listeners.Ready(e.ID())
		return true
	}
	c := l.conns.At(e.ID())
	switch {
	case c.fd < 0: // closed in this batch
		return true
	case c.away != nil:
		l.tell(c, e)
		return true
	}
	c.hungUp = c.hungUp || e.Ending()
	c.readable = c.readable || e.Readable()
	if len(c.out) > 0 && !(e.Writable() && l.transport.writeMore(c)) {
		return true
	}
	return l.goOn(c)
}

// tell passes an event on to the handler that has the connection.
func (l *loop) tell(c *conn, e *reactor.Event) {
	if e.Writable() {
		signal(c.away.writable)
	}
	if e.Readable() {
		signal(c.away.readable)
	}
	if e.Ending() {
		// Epoll repeats with each event that the client had closed its side with
		// the request already: it may still be reading.
		if !c.hungUp || e.Failed() {
			c.away.lost(exchange.ErrClientGone)
		}
		c.hungUp = true
	}
}

// goOn reads and serves what a connection has for us.
func (l *loop) goOn(c *conn) (mine bool) {
	if len(c.out) > 0 {
		return true // not before it has taken its responses
	}
	if c.unseen {
		if !l.requests.process(c, l.transport.borrow(c)) {
			return false
		}
		if c.fd < 0 || c.away != nil || len(c.out) > 0 {
			return true
		}
	}
	if c.lingersOn() {
		if c.hungUp { // it has its response, or doesn't want it
			l.lifecycle.drop(c)
		}
		return true
	}
	if !c.readable {
		return true
	}
	return l.transport.read(c)
}

// close ends the loop.
func (l *loop) close() {
	l.End()
	for _, co := range l.coroutines.spare {
		co.stop()
	}
	l.Poller.Close()
	l.server.loopEnded()
}

func (l *loop) log() *slog.Logger { return l.config.Logger }

// message is something for a loop to do, which any goroutine may post.
type message = eventloop.Message[*loop]
