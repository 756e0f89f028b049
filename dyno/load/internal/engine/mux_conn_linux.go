package engine

import (
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/http2"
)

// h2conn is what a connection of the loop has for HTTP/2.
type h2conn struct {
	wire    http2.Conn
	sending []byte      // with the kernel, or to be taken by it next; without TLS
	partial []byte      // start of a frame whose end is to come
	fresh   []int32     // places whose requests are in wire.Out
	handed  []int32     // those whose requests were passed to the kernel last
	waiting ring[int32] // places whose requests wait for the connection; those that don't any more are passed over
	aside   ring[int32] // free places that nothing can be sent on for now
	more    ring[int32] // places whose bodies go on when what is under way is sent

	opened  int    // streams, on this connection
	most    int    // streams that it may have in all; 0: no limit
	greeted bool   // the server's SETTINGS are in
	going   bool   // no more streams: the server said so, or it has had all it may have
	goaway  string // what the server's GOAWAY said; "" if none came
	held    bool   // the server refuses streams: none is tried for a moment
	resting bool   // it failed, and is tried again after a pause
	asked   bool   // it is to be opened
	dirty   bool   // in the multiplexer's dirty
	heard   int64  // when something came last
	pinged  int64  // when the PING was sent that is unacknowledged; 0: there is none
}

// room reports whether a stream can be opened.
func (k *h2conn) room() bool { return !k.going && !k.held && k.wire.Room() > 0 }

// greet begins HTTP/2 on a connection that has come up. Before the load the server's
// SETTINGS are waited for: a server that doesn't speak HTTP/2 is reported then. Later
// requests go out at once (RFC 9113 3.4), as real clients do it.
func (m *multiplexer) greet(conn int32) {
	l, k := m.loop, &m.h2conns[conn]
	*k = h2conn{
		wire: http2.Conn{Output: http2.Output{Out: k.wire.Out[:0]}}, sending: k.sending[:0], partial: k.partial[:0], fresh: k.fresh[:0], handed: k.handed[:0],
		waiting: k.waiting, aside: k.aside, more: k.more, dirty: k.dirty, heard: l.now, most: l.Link.PerConnection,
	}
	k.more.clear()
	if l.Link.Reuse == request.NoReuse {
		k.most = 1
	}
	k.wire.Start(m.config, &m.pool, l.now)
	m.touch(conn)
	if l.rec == nil {
		l.conns[conn].state = greeting
		return
	}
	l.connector.isUp(conn)
	m.proceed(conn)
}

// unconnected fails the requests that wait for a connection that did not come up.
// Their places wait until it is tried again.
func (m *multiplexer) unconnected(conn int32, err error) {
	l, k := m.loop, &m.h2conns[conn]
	k.asked, k.resting = false, true
	failed := 0
	for n := k.waiting.len(); n > 0; n-- {
		id := k.waiting.pop()
		s := &m.slots[id]
		if !s.waits {
			continue
		}
		failed++
		l.connector.unconnected(s.intended, err)
		m.letGo(s)
		k.aside.push(id)
	}
	if failed == 0 && l.rec != nil {
		l.rec.erredApart(measure.ConnectError)
	}
}

// read takes bytes that came on a connection.
func (m *multiplexer) read(conn int32, data []byte) {
	l, k := m.loop, &m.h2conns[conn]
	c := &l.conns[conn]
	if c.state != ready && c.state != greeting {
		return
	}
	k.heard, k.pinged = l.now, 0
	if len(k.partial) > 0 {
		k.partial = append(k.partial, data...)
		data = k.partial
	}
	for {
		n, ev, err := k.wire.Next(data, l.now)
		if err != nil {
			m.violated(conn, data, err)
			return
		}
		data = data[n:]
		if ev.Kind == http2.More {
			break
		}
		m.event(conn, ev)
	}
	k.partial = append(k.partial[:0], data...) // it may overlap
	m.proceed(conn)
}

// event deals with one thing that the server has said.
func (m *multiplexer) event(conn int32, ev *http2.Event) {
	l, k := m.loop, &m.h2conns[conn]
	switch ev.Kind {
	case http2.EventSettings:
		k.greeted = true
		if n := int(k.wire.Peer().MaxConcurrent); n < l.Link.Streams {
			l.Errors.allows(n)
		}
		if l.conns[conn].state == greeting {
			l.connector.isUp(conn)
		}
	case http2.EventGoAway:
		k.going = true
		k.goaway = goAwayText(ev)
		m.endCalls(conn)
	case http2.EventPong:
	default:
		m.streamEvent(ev.Stream.User.(*slot), ev)
	}
}

// flush hands over what a connection has to send, unless the kernel has yet to take
// what it was given before.
func (m *multiplexer) flush(conn int32) {
	l, k := m.loop, &m.h2conns[conn]
	c := &l.conns[conn]
	for gen := c.gen; c.gen == gen && (c.state == ready || c.state == greeting) && len(c.unsent) == 0; {
		if len(k.wire.Out) == 0 {
			if k.wire.Flushed(); k.more.len() == 0 {
				return
			}
			m.goOn(k)
			continue
		}
		k.handed, k.fresh = k.fresh, k.handed[:0]
		m.handing(conn, clock.Now())
		if s := c.secured; s != nil {
			m.seal(c, k)
			l.encryption.flush(conn)
			s.turn = noTurn
		} else {
			k.sending, k.wire.Out = k.wire.Out, k.sending[:0]
			c.unsent = k.sending
			if l.rec != nil {
				l.rec.BytesOut += uint64(len(c.unsent))
			}
			l.backend.send(conn)
		}
	}
}

// noTurn is no turn of the loop: once the kernel has taken what was sent over HTTP/2
// its memory is free.
const noTurn = ^uint64(0)

// seal turns what is to be sent into TLS records.
func (m *multiplexer) seal(c *conn, k *h2conn) {
	if _, err := c.secured.tls.Write(k.wire.Out); err != nil {
		panic("load: writing to memory failed: " + err.Error())
	}
	k.wire.Out = k.wire.Out[:0]
}

// handing notes that the requests of a connection that were written last are handed
// to the kernel at an instant.
func (m *multiplexer) handing(conn int32, now int64) {
	for _, id := range m.h2conns[conn].handed {
		if s := &m.slots[id]; s.stream != nil && s.tries == 0 {
			s.sent = now
		}
	}
}

// violated ends a connection on which the server broke HTTP/2; first is what came, from
// the violation on or before it.
func (m *multiplexer) violated(conn int32, first []byte, err error) {
	k := &m.h2conns[conn]
	if !k.greeted && len(first) > 0 {
		err = notHTTP2(first, err)
	}
	if m.loop.conns[conn].state == greeting {
		m.loop.connector.connectFailed(conn, err)
		return
	}
	m.flush(conn) // the GOAWAY
	m.lost(conn, measure.ProtocolError, i18n.From(err))
}

// ended is called when the server has closed its side of an established connection.
func (m *multiplexer) ended(conn int32) {
	if m.loop.conns[conn].state == greeting {
		m.loop.connector.connectFailed(conn, errNotGreeted)
		return
	}
	m.broke(conn, serverClosed)
}

// broke is called when an established connection can't be used any more.
func (m *multiplexer) broke(conn int32, why i18n.Message) {
	if m.left || m.loop.conns[conn].state == down {
		return
	}
	if m.loop.conns[conn].state == greeting {
		m.loop.connector.connectFailed(conn, i18n.Errorf("engine.closed-before-settings-tls", "%s before its SETTINGS: does it speak HTTP/2, and to this client?", why))
		return
	}
	k := &m.h2conns[conn]
	kind, text := brokeText(why, k.goaway, k.greeted)
	m.lost(conn, kind, text)
}

// lost fails the requests that are under way on a connection, and gives it up. One
// that has carried none is opened again only after a pause: see lostIdle.
func (m *multiplexer) lost(conn int32, kind measure.ErrorKind, why i18n.Message) {
	l, k := m.loop, &m.h2conns[conn]
	if l.conns[conn].state == down { // sending the last of it has failed
		return
	}
	if k.opened == 0 && kind == measure.ProtocolError {
		l.Errors.note(kind, why) // it belongs to no request
		if l.rec != nil {
			l.rec.erredApart(kind)
		}
	}
	places := m.places(conn)
	for i := range places {
		switch s := &places[i]; {
		case s.stream == nil:
		case !s.idle():
			m.fail(s, kind, why)
			k.aside.push(s.id)
		case m.giveUpIdle(s, i18n.Message{}):
			k.aside.push(s.id)
		}
	}
	l.connector.drop(conn)
	if k.opened == 0 {
		l.connector.cameUp = true
		k.resting = true
		l.connector.retries.Start(conn, max(l.now, 1))
		return
	}
	m.again(conn)
}

// tick ends what takes too long on connections.
func (m *multiplexer) tick() {
	for i := range m.loop.conns {
		conn := int32(i)
		k := &m.h2conns[conn]
		for m.loop.conns[conn].state == ready {
			ev, err := k.wire.Tick(m.loop.now)
			if err != nil {
				m.violated(conn, nil, err)
				break
			}
			if ev.Kind == http2.More {
				break
			}
			m.event(conn, ev)
		}
		if len(k.wire.Out) > 0 {
			m.touch(conn)
		}
	}
}

// leave says goodbye on a connection that is about to be closed (RFC 9113 5.4.1).
func (m *multiplexer) leave(conn int32) {
	m.left = true
	if m.loop.conns[conn].state == ready {
		m.h2conns[conn].wire.Close(http2.NoError)
		m.flush(conn)
	}
}
