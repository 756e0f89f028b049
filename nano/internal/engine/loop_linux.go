package engine

import (
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/wire/http1"
	"dyno.example/nano/wire/http2"
	eventloop "dyno.example/nano/wire/loop"
	"dyno.example/nano/wire/reactor"
)

// loop is one event loop: a poller, the connections that belong to it and their
// deadlines. See nano/docs/loop.md.
type loop struct {
	eventloop.Core[*loop]
	config *Config
	server *Server
	head   http1.Limits

	baton atomic.Uint64 // who runs the loop; see handover_linux.go

	// All below belongs to the goroutine that runs the loop.
	tickets    uint64
	turn       *turn
	runner     *runner
	lending    *h2stream         // whose handler runs; nil for HTTP/1.1
	serving    *exchange.History // whose handler runs
	events     []reactor.Event
	next       int // of events
	more       []int32
	now        int64
	dated      int64 // when the date has to be written anew
	conns      eventloop.Table[conn]
	wheel      *reactor.Wheel
	listeners  *eventloop.Listeners[*loop, struct{}]
	knocks     []int             // listeners that goroutines accept from
	buffers    eventloop.Buffers // for incomplete requests
	pool       http2.Pool
	streams    *h2stream    // that are not in use
	coroutines []*coroutine // the same

	spareStreams int // of streams
	stopped      bool
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
		config: s.config, server: s, tickets: 1, now: now, wheel: reactor.NewWheel(now),
		head:    http1.Limits{Head: limits.Head, URI: limits.URI, Fields: limits.Fields},
		buffers: eventloop.Buffers{Fresh: 1 << 10, Largest: 16 << 10, Most: 64},
	}
	l.Elsewhere = &s.elsewhere
	l.listeners = s.acceptor.Join(&l.Core)
	return l, l.Begin(l, s.sys, eventBatch)
}

// run is the loop, from wherever it stands. It returns when the loop has ended
// or a handler keeps the goroutine.
func (l *loop) run(t *turn) {
	if t.scratch == nil {
		t.scratch = make([]byte, readBuffer)
	}
	who := &runner{}
	l.turn, l.runner = t, who
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
	events, err := l.Poll(len(l.more) > 0, l.wheel.Next)
	if err != nil {
		l.config.Logger.Error("event loop", "error", err)
		time.Sleep(10 * time.Millisecond) // it can't be repaired; it must not spin either
	}
	l.events, l.next = events, 0
	l.now = l.Tick()
	l.wheel.Expire(l.now, l.expired)
	if l.now >= l.dated {
		l.turn.date, l.dated = l.DateLine(l.turn.date[:0])
	}
}

// handle takes one event.
func (l *loop) handle(e *reactor.Event) (mine bool) {
	if e.ID() == knockEvent {
		l.knocked()
		return true
	}
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
	if len(c.out) > 0 && !(e.Writable() && l.writeMore(c)) {
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
		if !l.process(c, l.borrow(c)) {
			return false
		}
		if c.fd < 0 || c.away != nil || len(c.out) > 0 {
			return true
		}
	}
	if c.lingersOn() {
		if c.hungUp { // it has its response, or doesn't want it
			l.drop(c)
		}
		return true
	}
	if !c.readable {
		return true
	}
	return l.read(c)
}

// read reads once and serves what has come.
func (l *loop) read(c *conn) (mine bool) {
	if c.secure != nil && c.phase != phaseLinger { // what lingers isn't looked at
		return l.readSecured(c)
	}
	b := l.turn.scratch
	n, errno := l.Sys.Read(c.fd, b)
	switch {
	case errno == unix.EAGAIN:
		c.readable = false
		return true
	case errno == unix.EINTR:
		l.more = append(l.more, c.id)
		return true
	case errno != 0:
		l.drop(c)
		return true
	}
	c.readable = n == len(b)
	if n == 0 || c.hungUp && !c.readable {
		c.ending = true
	}
	if !l.receive(c, b[:n]) {
		return false
	}
	if c.readable && c.fd >= 0 && c.away == nil {
		l.more = append(l.more, c.id)
	}
	return true
}

// receive takes bytes that were read.
func (l *loop) receive(c *conn, b []byte) (mine bool) {
	switch {
	case c.phase == phaseLinger:
		l.lingered(c, len(b))
		return true
	case c.upload != nil:
		return l.receiveBody(c, b)
	case len(c.in) == 0:
		return l.process(c, b)
	case c.h2 != nil:
		c.in = append(c.in, b...)
		return l.process(c, l.borrow(c))
	}
	line := lineEnds(b)
	c.in = append(c.in, b...)
	if !line && c.opening == 0 && len(c.in) <= min(l.head.URI, l.head.Head) && !c.ending {
		return true // still in the same line: nothing new to judge
	}
	return l.process(c, l.borrow(c))
}

// close ends the loop.
func (l *loop) close() {
	l.End()
	l.stopHearing()
	for _, co := range l.coroutines {
		co.stop()
	}
	l.Poller.Close()
	l.server.running.Done()
}

func (l *loop) log() *slog.Logger { return l.config.Logger }

// message is something for a loop to do, which any goroutine may post.
type message = eventloop.Message[*loop]
