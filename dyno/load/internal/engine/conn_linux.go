package engine

import (
	"bytes"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/http1"
	"dyno.example/nano/wire/reactor"
)

// connState is what a connection is waiting for.
type connState uint8

const (
	down       connState = iota // not open; perhaps waiting to be tried again
	connecting                  // for the connection to be established
	securing                    // for the TLS handshake
	greeting                    // for the server's SETTINGS, with HTTP/2 before the load; for a tunnel to begin
	ready                       // for a request to send; with HTTP/2 also while responses are awaited
	busy                        // for a response
)

// place is that of a worker, where a request is from when it is due to its end: it
// may be pending while a connection is being opened for it. With HTTP/1.1 each
// connection is one, with HTTP/2 each stream that a connection may have.
type place struct {
	pending  bool   // a request is due and waits for the connection
	parked   bool   // among the idle ones
	thinking bool   // the worker's next request is due later
	waited   bool   // for a connection to be free
	before   int64  // when the request before it was sent
	told     []byte // Server-Timing of the response, if requests are drawn
	exchange
	intended int64 // ns, like all below
	sent     int64
	first    int64 // first byte of the response; 0: none yet
}

// place returns the place of an id.
func (l *eventLoop) place(id int32) *place {
	if l.mux != nil {
		return &l.mux.slots[id].place
	}
	return &l.conns[id].place
}

// conn is one connection of the event loop.
type conn struct {
	fd     int32
	gen    uint32 // counts the connections that had this place
	served uint32 // requests on this connection
	resent uint32 // segments that it is known to have sent again
	state  connState
	ended  bool // the server has closed its side
	queued bool // sent is when the request was given to the backend, which may hand it over later
	place
	secured  *secured // nil without TLS
	unsent   []byte   // rest of the request, when the kernel took only a part
	partial  []byte   // start of a head that came in pieces; reused
	response http1.Response
	opened   int64  // connect was called; ns
	name     uint64 // evidence.ConnectionID; 0 if nobody samples
}

// send starts the pending request of a ready connection.
func (l *eventLoop) send(id int32) {
	if l.talker != nil {
		l.talker.send(id)
		return
	}
	c := &l.conns[id]
	if l.Profile.Mode == profile.Open || c.served == 0 || l.thinkers.think.Mean > 0 {
		l.now = clock.Now() // several may be sent in a row, and connected before that
	}
	l.work++
	c.pending = false
	c.unsent = l.mix.next(&c.exchange, l.now)
	if c.secured != nil {
		l.encryption.encrypt(c)
	}
	c.state, c.sent, c.first, c.queued = busy, l.now, 0, true
	c.response.Reset(c.request.IsHead)
	c.partial = c.partial[:0]
	c.served++
	l.due.Start(id, l.now)
	l.rec.SentAt(l.now)
	l.rec.BytesOut += uint64(len(c.unsent))
	l.backend.send(id)
}

// received takes bytes that came on a connection.
func (l *eventLoop) received(id int32, data []byte) {
	if l.rec != nil {
		l.rec.BytesIn += uint64(len(data))
	}
	if l.TLS != nil {
		l.encryption.decrypt(id, data)
	} else {
		l.takeResponses(id, data)
	}
	if l.mux != nil {
		l.mux.flush(id)
	}
}

// takeResponses takes bytes of responses.
func (l *eventLoop) takeResponses(id int32, data []byte) {
	if l.mux != nil {
		l.mux.read(id, data)
		return
	}
	if l.tunnel != nil {
		l.tunnel.read(id, data)
		return
	}
	c := &l.conns[id]
	if c.state != busy {
		if !isTimeoutOfIdle(data) {
			l.unsolicited(data)
		}
		l.lostIdle(id)
		return
	}
	if c.first == 0 {
		c.first = l.now
	}
	l.parse(id, data)
}

// parse feeds what was read to the response's parser.
func (l *eventLoop) parse(id int32, data []byte) {
	c := &l.conns[id]
	if len(c.partial) > 0 {
		c.partial = append(c.partial, data...)
		data = c.partial
	}
	begun := c.response.Started()
	n, err := c.response.Feed(data)
	c.keep(c.response.Status, data[:n])
	switch {
	case err != nil:
		c.keepRest(&c.response, data[n:])
		l.failRequest(id, measure.BodyError, i18n.Join(err, whereBroken(c.response.Started(), c.kept, data[n:])))
	case !c.response.Done():
		// What is left is a head in pieces; it may overlap with partial.
		if !begun && c.response.Started() {
			l.drawer.begun(&c.place, data[:n])
		}
		c.partial = append(c.partial[:0], data[n:]...)
	case n < len(data):
		l.failRequest(id, measure.BodyError, i18n.New("engine.bytes-beyond-response", "the server sent %d bytes beyond its response, starting %q", len(data)-n, bytes.TrimSpace(data[n:min(n+20, len(data))])))
	case begun:
		l.done(id, nil)
	default:
		l.done(id, data)
	}
}

// ended is called when the server has closed its side of the connection.
func (l *eventLoop) ended(id int32) {
	c := &l.conns[id]
	c.ended = true
	switch {
	case c.state == connecting || c.state == securing:
		l.connector.connectFailed(id, errClosedEarly)
	case l.mux != nil:
		l.mux.ended(id)
	case l.tunnel != nil:
		l.tunnel.ended(id)
	case c.state == ready:
		l.lostIdle(id)
	case c.response.EOF():
		l.done(id, nil)
	case c.response.Started() || len(c.partial) > 0:
		l.failRequest(id, measure.ResetError, i18n.New("engine.closed-in-response", "the server closed the connection in the middle of a response"))
	default:
		l.failRequest(id, measure.ResetError, i18n.New("engine.closed-without-response", "the server closed the connection without a response"))
	}
}

// done records a complete response, which may have come at once, with its head, and puts the
// connection to its next use.
func (l *eventLoop) done(id int32, head []byte) {
	c := &l.conns[id]
	l.rec.left(c.intended, l.now)
	l.due.Stop(id)
	l.Errors.judged(&c.exchange, c.response.Status, l.rec, Times{c.intended, c.sent, c.first, l.now})
	l.drawer.over(c, &c.place, ending{now: l.now, size: c.response.BodyBytes, status: c.response.Status, head: head})
	c.state = ready
	if l.wornOut(c) {
		l.connector.drop(id)
		l.connector.again(id)
		return
	}
	l.release(id)
}

// wornOut reports whether a connection that has just delivered a response must
// not carry another request.
func (l *eventLoop) wornOut(c *conn) bool {
	if !lasts(&c.response) || len(c.unsent) > 0 {
		return true // the server wants that; or it responded before it had the whole request
	}
	return l.usedUp(c)
}

// usedUp reports whether a connection has carried all that it may.
func (l *eventLoop) usedUp(c *conn) bool {
	k := l.Link
	return k.Reuse == request.NoReuse || k.PerConnection > 0 && int(c.served) >= k.PerConnection ||
		k.MaxAge > 0 && l.now-c.opened >= int64(k.MaxAge)
}

// timedOut ends what took longer than the time limit.
func (l *eventLoop) timedOut(id int32) {
	l.work++
	switch c := &l.conns[id]; c.state {
	case connecting, securing, greeting:
		l.connector.connectFailed(id, unix.ETIMEDOUT)
	default:
		if l.talker != nil {
			l.talker.timedOut(id)
			return
		}
		l.rec.waitedFor(c.request, c.intended, c.sent, l.now)
		l.failRequest(id, measure.TimeoutError, tookTooLong(l.Timeout, c.response.Started(), c.response.BodyBytes))
	}
}

// lost is called when the connection has failed.
func (l *eventLoop) lost(id int32, errno unix.Errno) {
	if s := l.conns[id].state; s == connecting || s == securing || s == greeting {
		l.connector.connectFailed(id, errno)
		return
	}
	l.broke(id, i18n.From(errno))
}

// broke is called when an established connection can't be used any more.
func (l *eventLoop) broke(id int32, why i18n.Message) {
	if l.mux != nil {
		l.mux.broke(id, why)
		return
	}
	if l.tunnel != nil {
		l.tunnel.broke(id, why)
		return
	}
	switch l.conns[id].state {
	case busy:
		l.failRequest(id, measure.ResetError, why)
	case ready:
		if l.TLS != nil { // such as a client's certificate that was not accepted
			l.connector.connectFailed(id, i18n.Fail(why))
			return
		}
		l.lostIdle(id)
	}
}

// lostIdle is called when a connection that was waiting for a request can't be
// used any more. One that has carried none is opened again only after a pause:
// with a server that closes or speaks first the loop would do nothing else.
func (l *eventLoop) lostIdle(id int32) {
	unused := l.conns[id].served == 0
	l.connector.drop(id)
	if unused {
		l.connector.cameUp = true
		l.connector.retries.Start(id, max(l.now, 1))
		return
	}
	l.connector.again(id)
}

// failRequest ends the request under way on id without a usable response.
func (l *eventLoop) failRequest(id int32, kind measure.ErrorKind, why i18n.Message) {
	c := &l.conns[id]
	l.Errors.failed(&c.exchange, kind, why, l.now)
	l.rec.erred(c.request, kind, c.intended)
	l.rec.failed(c.intended, l.now)
	l.drawer.over(c, &c.place, ending{now: l.now, size: c.response.BodyBytes, status: c.response.Status, failed: true})
	l.connector.drop(id)
	l.connector.again(id)
}

// unsolicited counts bytes that belong to no request. Some servers send them before the
// load begins, when nothing is recorded yet.
func (l *eventLoop) unsolicited(data []byte) {
	if l.rec != nil {
		l.rec.erredApart(measure.BodyError)
	}
	l.Errors.note(measure.BodyError, i18n.Join(i18n.New("engine.unsolicited-bytes", "the server sent bytes that no request asked for"), beginning(data)))
}

// lossesAWindow is on how many connections TCP's retransmissions are read at a window's
// end, in turn: that takes a microsecond each. They are read on all when they are
// closed, and at the end of the load.
const lossesAWindow = 256

// countResent reads the retransmissions of some connections.
func (l *eventLoop) countResent(connections int) {
	if l.rec == nil || l.Link.Unix != "" {
		return
	}
	for range min(connections, len(l.conns)) {
		l.asked = (l.asked + 1) % len(l.conns)
		l.askResent(&l.conns[l.asked])
	}
}

func (l *eventLoop) askResent(c *conn) {
	if c.state < ready || c.fd < 0 {
		return
	}
	if n, ok := reactor.Resent(int(c.fd)); ok && n > c.resent {
		l.rec.Resent += uint64(n - c.resent)
		c.resent = n
	}
}
