package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"dyno/nano/internal/exchange"
	"dyno/nano/internal/netconn"
	"dyno/nano/wire/clock"
	"dyno/nano/wire/http1"
)

// turn is what a handler needs to answer one connection's request: the exchange,
// the bytes it was read into, the responses to send. A loop has one. If the loop is
// taken from a handler, the turn stays with the handler and the loop gets a new
// one, so that they share nothing but the mailbox.
type turn struct {
	loop   *loop
	x      *exchange.Exchange
	conn   *conn // the loop's; a handler that is away may only read fd, remote and secure
	fd     int
	ticket uint64 // of the baton, while the handler runs on the loop
	away   bool   // the handler runs without the loop

	scratch []byte // read buffer; nil in turns of spawned handlers until they read
	rest    []byte // what follows the request, which x has
	held    []byte // the connection's own buffer, if the request lies in it
	copied  []byte // the request, in turns of spawned handlers
	began   int64  // when the handler started, on the clock of the loop
	date    []byte // "Date: …\r\n" of this second

	out      []byte // responses not yet given to the kernel
	reply    exchange.Reply
	inflow   inflow
	taken    netconn.Pace // how the client takes the response
	hijacked bool
	broken   bool            // the client resets the connection, or takes nothing
	by       [2]atomic.Int64 // deadlines that the handler has set, by direction; Unix time in ns, 0: none

	// Between a handler that is away and the loop.
	message  message
	mu       sync.Mutex
	ready    []byte // of out, the complete responses to earlier requests; guarded once the handler runs
	sent     int    // of those, bytes that were sent by who took the loop
	lostBy   error  // why the client, or the app, has no more use for the response
	cancel   context.CancelCauseFunc
	writable chan struct{} // capacity 1
	readable chan struct{} // capacity 1
}

func newTurn(l *loop) *turn {
	t := &turn{loop: l, writable: make(chan struct{}, 1), readable: make(chan struct{}, 1)}
	t.x = l.config.App.NewExchange()
	t.x.Wire = t
	t.message.open = func(l *loop) { l.takeBack(t) }
	return t
}

// start readies t for the request whose head is given.
func (t *turn) start(head, rest []byte) {
	x := t.x
	x.Buf, t.rest = head, rest
	t.began = t.loop.now
	if t.ready = nil; len(t.out) > 0 {
		t.ready = t.out
	}
	t.reply = exchange.Reply{Keep: x.Req.KeepAlive && t.loop.server.keeps(t.conn)}
}

// renew readies a turn for another use. Buffers that have grown large are given up.
func (t *turn) renew() {
	x := t.x
	if cap(t.out) > flushAt {
		t.out = nil
	}
	if cap(t.copied) > flushAt {
		t.copied = nil
	}
	drain(t.writable)
	drain(t.readable)
	*t = turn{x: x, message: t.message, writable: t.writable, readable: t.readable, date: t.date,
		scratch: t.scratch, out: t.out[:0], copied: t.copied[:0]}
	x.Buf = nil
}

func drain(ch chan struct{}) {
	select {
	case <-ch:
	default:
	}
}

// over ends the request: no Ctx of it is valid any more.
func (t *turn) over() {
	if t.cancel != nil {
		t.mu.Lock()
		t.cancel = nil
		t.mu.Unlock()
	}
	if t.by[exchange.Reading].Load()|t.by[exchange.Writing].Load() != 0 {
		t.by[exchange.Reading].Store(0)
		t.by[exchange.Writing].Store(0)
	}
	t.x.Owner.Recycle()
}

// Context implements exchange.Wire.
func (t *turn) Context(*exchange.Exchange) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := t.x.Owner.Timed(t.loop.server.ctx, time.Duration(clock.Now()-t.began))
	return ctx, t.tells(cancel)
}

// tells has cancel called when nobody waits for the response any more.
func (t *turn) tells(cancel context.CancelCauseFunc) context.CancelCauseFunc {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lostBy != nil {
		cancel(t.lostBy)
	}
	t.cancel = cancel
	return cancel
}

// lost tells the handler that nobody waits for its response.
func (t *turn) lost(why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lostBy == nil {
		t.lostBy = why
	}
	if t.cancel != nil {
		t.cancel(why)
	}
}

// signal passes readiness of the socket on to the handler.
func signal(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// inflow is a request's body that the handler reads from the socket.
type inflow struct {
	open   bool // there is one, and it isn't all read
	wait   bool // the client waits for "100 Continue"
	dec    http1.Body
	data   []byte // content that is decoded
	raw    []byte // bytes read and not decoded
	size   int64  // content seen
	paced  int64  // of that, what pace has been told
	pace   netconn.Pace
	waited time.Duration
}
