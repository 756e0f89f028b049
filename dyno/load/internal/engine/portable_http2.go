package engine

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"

	"dyno.example/dyno/load/measure"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/http2"
)

// traffic counts bytes over a line since the counts were last taken.
type traffic struct{ in, out atomic.Uint64 }

// goodbyePatience is for a server that doesn't read, when its connection is closed.
const goodbyePatience = 100 * time.Millisecond

// errHungUp is why a connection is of no use that was closed from this side.
var errHungUp = errors.New("the connection was closed")

// http2Line is a connection over HTTP/2. A goroutine of its own reads. Output is
// written by the first goroutine that finds no other doing so, without the line's mu,
// so that a server that doesn't read holds up no reading. The line's mu guards all
// else.
//
// It is not golang.org/x/net's transport: that one chooses the connection of a request,
// and sends again by itself what a server refused. The engines must agree on which
// connection a request was due, and tell a refused or reset stream, a GOAWAY and a
// violation apart. So all three speak by the codec of nano/wire.
type http2Line struct {
	line    *line
	conn    net.Conn
	wire    http2.Conn
	pool    http2.Pool
	sending []byte // with the kernel; the writer's
	writing bool
	more    []*trip // bodies that go on when what is under way is sent
	ticker  *time.Timer
	heard   int64 // when something came last
	pinged  int64 // when the PING was sent that is unacknowledged; 0: there is none
	settled chan struct{}
	said    bool   // the server's SETTINGS are in, and settled is closed
	goaway  string // what the server's GOAWAY said; "" if none came
	leaving bool   // this side is closing it: what is still read means nothing
	dead    error  // it is of no use any more
}

// trip is a worker's request on a stream.
type trip struct {
	worker *worker
	stream *http2.Stream // nil: it is over
	rest   []byte        // of its body, what is not sent yet
	body   int64         // bytes of the response's that have come
	call   call          // over gRPC
	over   chan struct{} // has room for one; result is set
	result outcome
}

func newHTTP2Line(l *line, conn net.Conn) *http2Line {
	c := &http2Line{line: l, conn: conn, settled: make(chan struct{}), heard: clock.Now()}
	l.mu.Lock()
	defer l.mu.Unlock()
	c.wire.Start(clientConfig(), &c.pool, c.heard)
	c.ticker = time.AfterFunc(muxTick, c.tick)
	c.flush()
	go c.receive()
	return c
}

func (c *http2Line) room() bool { return c.dead == nil && c.wire.Room() > 0 }

func (c *http2Line) err() error { return c.dead }

func (c *http2Line) greeted(ctx context.Context) error {
	select {
	case <-c.settled:
	case <-ctx.Done():
		return ctx.Err()
	}
	c.line.mu.Lock()
	defer c.line.mu.Unlock()
	return c.dead
}

func (c *http2Line) close() {
	if c.dead == nil {
		c.leaving = true
		c.wire.Close(http2.NoError)
		c.conn.SetWriteDeadline(time.Now().Add(goodbyePatience))
		c.flush()
		c.give(errHungUp)
	}
}

// give closes the connection for a reason.
func (c *http2Line) give(why error) {
	if c.dead != nil {
		return
	}
	c.dead = why
	c.ticker.Stop()
	c.conn.Close()
	if !c.said {
		c.said = true
		close(c.settled)
	}
}

// do implements carrying.
func (c *http2Line) do(ctx context.Context, w *worker) outcome {
	l := c.line
	stream, err := c.wire.Open()
	if err != nil { // it has used up its streams, or goes away
		l.going = true
		l.mu.Unlock()
		return outcome{again: true}
	}
	w.chooses()
	now := w.sends()
	t := &w.trip
	t.worker, t.stream, t.body, t.result = w, stream, 0, outcome{}
	stream.User = t
	l.begins()
	msg := &w.msg
	msg.parse(w.exchange.sent())
	msg.writeFields(&c.wire, stream, l.engine.TLS != nil)
	t.rest = msg.body
	if r := w.request.Call; r != nil {
		t.call = newCall(r)
		c.says(t)
	} else {
		t.call = call{final: true}
	}
	c.wire.EndHeaders(len(t.rest) == 0)
	if len(t.rest) > 0 {
		c.upload(t)
	}
	c.flush()
	l.mu.Unlock()
	limit := time.NewTimer(time.Duration(w.sentAt-now) + l.engine.Timeout)
	defer limit.Stop()
	select {
	case <-t.over:
		return t.result
	case <-limit.C:
		return c.stop(t, true)
	case <-ctx.Done():
		return c.stop(t, false)
	}
}

// stop ends a request whose worker waits no longer: its time limit is over, or the load.
func (c *http2Line) stop(t *trip, late bool) outcome {
	l := c.line
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.stream == nil { // it has just ended
		<-t.over
		return t.result
	}
	now := clock.Now()
	c.end(t, outcome{done: now, kind: measure.TimeoutError, why: tookTooLong(l.engine.Timeout, t.result.status != 0, t.body)})
	<-t.over
	if late && c.dead == nil && c.heard < t.worker.sentAt {
		switch {
		case c.pinged == 0:
			c.pinged = now
			c.wire.Ping(alivePing)
		case now-c.pinged >= int64(pingPatience):
			c.lost(measure.ResetError, whySilent)
		}
	}
	c.flush()
	return t.result
}

// upload writes the next part of a request's body.
func (c *http2Line) upload(t *trip) {
	for turn := uploadTurn; turn > 0; {
		part := t.rest[:min(len(t.rest), turn)]
		n := c.wire.SendData(t.stream, part, t.call.final && len(part) == len(t.rest))
		t.rest = t.rest[n:]
		if n < len(part) || len(t.rest) == 0 && !c.sayMore(t) {
			return
		}
		turn -= n
	}
	c.more = append(c.more, t)
}

// flush writes pending output, unless another goroutine does. The line's mu is held,
// and released meanwhile.
func (c *http2Line) flush() {
	l := c.line
	for !c.writing && len(c.wire.Out) > 0 && c.dead == nil {
		c.writing = true
		c.sending, c.wire.Out = c.wire.Out, c.sending[:0]
		l.mu.Unlock()
		_, err := c.conn.Write(c.sending)
		l.traffic.out.Add(uint64(len(c.sending)))
		l.mu.Lock()
		c.writing = false
		if err != nil {
			return // the reader learns of it too, after what the server said before
		}
		if len(c.wire.Out) == 0 {
			c.wire.Flushed()
			c.goOn()
		}
	}
}

// goOn writes the next parts of bodies, after what came before was sent.
func (c *http2Line) goOn() {
	waiting := c.more
	c.more = nil
	for _, t := range waiting {
		if t.stream != nil && len(t.rest) > 0 {
			c.upload(t)
		}
	}
}

// flushSoon makes a goroutine write pending output. The line's mu is held.
func (c *http2Line) flushSoon() {
	if len(c.wire.Out) > 0 && !c.writing && c.dead == nil {
		go func() {
			c.line.mu.Lock()
			defer c.line.mu.Unlock()
			c.flush()
		}()
	}
}

// tick ends what takes too long on the connection, each second.
func (c *http2Line) tick() {
	c.line.mu.Lock()
	defer c.line.mu.Unlock()
	for c.dead == nil {
		ev, err := c.wire.Tick(clock.Now())
		if err != nil {
			c.violated(nil, err)
			return
		}
		if ev.Kind == http2.More {
			break
		}
		c.event(ev, clock.Now())
	}
	if c.dead == nil {
		c.flush()
		c.ticker.Reset(muxTick)
	}
}

// receive reads until the connection is over.
func (c *http2Line) receive() {
	buf := make([]byte, readBuffer)
	pending := 0
	for {
		n, err := c.conn.Read(buf[pending:])
		pending += n
		c.line.traffic.in.Add(uint64(n))
		used, goes := c.take(buf[:pending], n > 0, err)
		if !goes {
			return
		}
		pending = copy(buf, buf[used:pending])
	}
}

// take takes what was read, and the error of reading. It returns false when nothing is
// to be read any more.
func (c *http2Line) take(data []byte, some bool, readErr error) (used int, goes bool) {
	l := c.line
	l.mu.Lock()
	defer l.mu.Unlock()
	now := clock.Now()
	if some {
		c.heard, c.pinged = now, 0
	}
	for c.dead == nil {
		n, ev, err := c.wire.Next(data[used:], now)
		if err != nil {
			c.violated(data[used:], err)
			return used, false
		}
		used += n
		if ev.Kind == http2.More {
			break
		}
		c.event(ev, now)
	}
	if readErr != nil {
		c.broke(readErr)
	}
	c.flushSoon()
	return used, c.dead == nil
}

// event deals with one thing that the server has said.
func (c *http2Line) event(ev *http2.Event, now int64) {
	l := c.line
	switch ev.Kind {
	case http2.EventSettings:
		if n := int(c.wire.Peer().MaxConcurrent); n < l.engine.Link.Streams {
			l.engine.Errors.allows(n)
		}
		if !c.said {
			c.said = true
			close(c.settled)
		}
		l.changed.Broadcast() // more may be allowed
	case http2.EventGoAway:
		l.going = true
		c.goaway = goAwayText(ev)
		l.changed.Broadcast()
	case http2.EventPong:
	default:
		c.streamEvent(ev.Stream.User.(*trip), ev, now)
	}
}

// streamEvent deals with what came on a stream.
func (c *http2Line) streamEvent(t *trip, ev *http2.Event, now int64) {
	w, o := t.worker, &t.result
	switch ev.Kind {
	case http2.EventHead, http2.EventData, http2.EventTrailers:
		if w.request.Call != nil {
			c.callEvent(t, ev, now)
			return
		}
	}
	switch ev.Kind {
	case http2.EventInterim, http2.EventHead:
		if o.first == 0 {
			o.first = now
		}
		if ev.Kind == http2.EventInterim {
			break
		}
		o.status = ev.Header.Status
		if w.keeps(o.status) {
			w.keepHead(ev.Header)
		}
	case http2.EventData:
		t.body += int64(len(ev.Data))
		w.keep(o.status, ev.Data)
		c.wire.Consume(ev.Stream, len(ev.Data))
	case http2.EventWritable:
		c.upload(t)
	case http2.EventReset:
		kind, why := resetText(ev, 0)
		if kind == measure.StreamError {
			c.line.engine.Errors.cause(kind, ev.Code.String())
		}
		if late := w.pastDeadline(w.sentAt, now, ev.Code); !late.IsZero() && kind == measure.StreamError {
			kind, why = measure.TimeoutError, late
		}
		refused := kind == measure.RefusedError
		c.end(t, outcome{done: now, kind: kind, why: why, again: refused, held: refused && !c.line.going})
		return
	}
	if ev.End {
		c.end(t, outcome{status: o.status, first: o.first, done: now})
	}
}

// end gives a worker the outcome of its request, and releases the stream. One that is
// not at its end is reset.
func (c *http2Line) end(t *trip, o outcome) {
	c.wire.Release(t.stream)
	t.stream, t.rest, t.result = nil, nil, o
	t.over <- struct{}{}
	c.line.ends(o.done)
}

// violated ends a connection on which the server broke HTTP/2; first is what came, from
// the violation on.
func (c *http2Line) violated(first []byte, err error) {
	if c.leaving {
		return
	}
	if !c.said && len(first) > 0 {
		err = notHTTP2(first, err)
	}
	c.flush() // the GOAWAY
	if c.line.begun == 0 {
		c.line.engine.Errors.note(measure.ProtocolError, i18n.From(err)) // it belongs to no request
	}
	c.giveUpFor(err, measure.ProtocolError, i18n.From(err))
}

// broke is called when nothing can be read any more.
func (c *http2Line) broke(err error) {
	what := i18n.From(err)
	if ended(err) {
		what = serverClosed
	}
	kind, why := brokeText(what, c.goaway, c.said)
	if !c.said {
		c.giveUpFor(errNotGreeted, kind, why)
		return
	}
	c.giveUpFor(err, kind, why)
}

// lost fails the requests on a connection that is of no use any more.
func (c *http2Line) lost(kind measure.ErrorKind, why i18n.Message) {
	c.giveUpFor(i18n.Fail(why), kind, why)
}

func (c *http2Line) giveUpFor(err error, kind measure.ErrorKind, why i18n.Message) {
	if c.dead != nil {
		return
	}
	c.give(err)
	now := clock.Now()
	for _, w := range c.line.workers {
		if t := &w.trip; t.stream != nil {
			c.end(t, outcome{done: now, kind: kind, why: why})
		}
	}
	if l := c.line; l.conn == carrying(c) {
		l.hangUp()
	}
}
