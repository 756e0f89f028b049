package engine

import (
	"errors"
	"time"

	"dyno.example/dyno/load/measure"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/clock"
)

// tunnel is a protocol of an event loop that is begun over HTTP/1.1 and then goes on
// in its own way: WebSockets, or server-sent events. Connections are greeting until it
// has begun.
type tunnel interface {
	// greet begins the protocol on a connection that has come up.
	greet(id int32)
	// read takes what came on a connection.
	read(id int32, data []byte)
	// ended is called when the server has closed its side, broke when the connection
	// can't be used any more.
	ended(id int32)
	broke(id int32, why i18n.Message)
	// flush hands over what a connection has to send.
	flush(id int32)
	// turn is called at the beginning of each turn of the loop, worth after it: how many
	// events the work since the last call comes to.
	turn()
	worth() int
}

// talker is a tunnel on which more is sent than its beginning, as over WebSockets.
type talker interface {
	// send sends the message that is due on a connection that is ready.
	send(id int32)
	// timedOut ends what took longer than the time limit, on a connection whose
	// tunnel has begun.
	timedOut(id int32)
	// quiet reports whether what is sent next on a connection can only come after the
	// kernel has taken what was sent before, so that it needs no event of its own.
	quiet(id int32) bool
	// leave says goodbye on a connection that is about to be closed.
	leave(id int32)
}

// beginTunnel makes the tunnel of the load's protocol; none with plain HTTP.
func (l *eventLoop) beginTunnel() (err error) {
	switch {
	case l.Link.WebSocket != nil:
		var w *webSockets
		if w, err = newWebSockets(l); err == nil {
			l.tunnel, l.talker = w, w
		}
	case l.Link.Events != nil:
		l.tunnel, err = newListeners(l)
	}
	return err
}

// messagesPerEvent is how many messages that came together are worth one event of the
// backend, which may take up to perEvent.
const messagesPerEvent = 64

// outbox gathers what a connection has to send. What was handed over stays as it is
// until the kernel has it.
type outbox struct {
	out     []byte
	sending []byte // with the kernel, without TLS
}

// handOver hands over what a connection has to send, unless the kernel has yet to take
// what it was given before: what is sent must not overtake it.
func (l *eventLoop) handOver(id int32, o *outbox) {
	c := &l.conns[id]
	if c.state < greeting || len(c.unsent) > 0 || len(o.out) == 0 {
		return
	}
	if s := c.secured; s != nil {
		if _, err := s.tls.Write(o.out); err != nil {
			panic("load: writing to memory failed: " + err.Error())
		}
		o.out = o.out[:0]
		l.encryption.flush(id)
		if l.talker != nil && !l.talker.quiet(id) {
			s.turn = noTurn
		}
		return
	}
	o.sending, o.out = o.out, o.sending[:0]
	c.unsent = o.sending
	if l.rec != nil {
		l.rec.BytesOut += uint64(len(c.unsent))
	}
	l.backend.send(id)
}

// sends notes that the message of a place is sent now.
func (l *eventLoop) sends(id int32) {
	c := &l.conns[id]
	c.state, c.sent, c.first, c.queued = busy, l.now, 0, true
	c.served++
	l.due.Start(id, l.now)
	l.rec.SentAt(l.now)
}

// refused ends a connection whose tunnel the server did not begin. A request that
// waited for it has failed with it.
func (l *eventLoop) refused(id int32, kind measure.ErrorKind, why i18n.Message) {
	c := &l.conns[id]
	l.Errors.failed(&c.exchange, kind, why, l.now)
	l.connector.drop(id)
	switch {
	case c.pending:
		c.pending = false
		l.rec.erred(l.mix.unsent(), kind, c.intended)
		l.rec.failed(c.intended, l.now)
	case l.rec != nil:
		l.rec.erredApart(kind)
	}
	l.connector.retries.Start(id, max(l.now, 1))
}

var errNoHandshake = errors.New("the server closed the connection without a response to the handshake")

// lose ends a connection by a fault of the server, with the message under way on it if
// there is one. One without is tried again after a pause.
func (l *eventLoop) lose(id int32, kind measure.ErrorKind, why i18n.Message) {
	if l.conns[id].state == busy {
		l.failRequest(id, kind, why)
		return
	}
	l.fault(kind, why)
	l.connector.drop(id)
	l.connector.retries.Start(id, max(l.now, 1))
}

// fault counts an error that belongs to no request.
func (l *eventLoop) fault(kind measure.ErrorKind, why i18n.Message) {
	l.Errors.note(kind, why)
	if l.rec != nil && !l.rec.draining {
		l.rec.erredApart(kind)
	}
}

// listening reports whether what comes on its own is counted at the moment.
func (l *eventLoop) listening() bool { return l.rec != nil && !l.rec.draining }

// came counts an unsolicited message or event. stamped is when the server sent it, by
// CLOCK_MONOTONIC; asked is whether it should have a stamp, ok whether it has one.
func (l *eventLoop) came(stamped int64, asked, ok bool) {
	const slack = 1e6 // ns that clocks may be apart: wall clocks are slewed
	r := l.rec
	l.begun++
	r.Messages.In++
	r.Offered++
	r.Sent++
	r.Completed++
	switch delay := l.now - stamped; {
	case !asked:
		r.Messages.Untimed++
	case !ok:
		r.Messages.Untimed++
		r.Messages.Unstamped++
	case delay < -slack:
		r.Messages.Untimed++
		r.Messages.Ahead++
	default:
		r.delayed(min(stamped, l.now), l.now)
	}
}

// wallClock converts Unix time to CLOCK_MONOTONIC. It is compared again each second.
type wallClock struct {
	apart int64 // Unix time less CLOCK_MONOTONIC, ns
	until int64
}

// monotonic turns a stamp of the wall clock, in ns, into one of CLOCK_MONOTONIC.
func (w *wallClock) monotonic(stamp, now int64) int64 {
	if now >= w.until {
		w.apart, w.until = wallApart(), now+windowLength
	}
	return stamp - w.apart
}

// wallApart is what must be added to CLOCK_MONOTONIC to get Unix time, in ns. Of a few
// looks the one counts that took the shortest time.
func wallApart() (apart int64) {
	best := int64(1<<63 - 1)
	for range 3 {
		before := clock.Now()
		wall := time.Now().UnixNano()
		if took := clock.Now() - before; took < best {
			best, apart = took, wall-before-took/2
		}
	}
	return apart
}
