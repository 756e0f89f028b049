package engine

import (
	"context"
	"time"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/internal/netconn"
	"dyno.example/nano/wire/http1"
)

// turn is what a handler needs to serve one connection's request: the exchange,
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
	broken   bool // the client resets the connection, or takes nothing

	// Between a handler that is away and the loop.
	apart
	message message
	ready   []byte // of out, the complete responses to earlier requests; guarded once the handler runs
	sent    int    // of those, bytes that were sent by who took the loop
}

func newTurn(l *loop) *turn {
	t := &turn{loop: l, apart: newApart(l.Sys)}
	t.x = l.config.App.NewExchange()
	t.x.Wire = t
	t.message.Open = func(l *loop) { l.handlers.takeBack(t) }
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
	t.apart.renew()
	*t = turn{x: x, message: t.message, apart: t.again(), date: t.date,
		scratch: t.scratch, out: t.out[:0], copied: t.copied[:0]}
	x.Buf = nil
}

// over ends the request: no Ctx of it is valid any more.
func (t *turn) over() {
	t.apart.over()
	t.x.Owner.Recycle()
}

// Context implements exchange.Wire.
func (t *turn) Context(*exchange.Exchange) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := t.x.Owner.Timed(t.loop.server.ctx, time.Duration(t.loop.Sys.Now()-t.began))
	return ctx, t.tells(cancel)
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
