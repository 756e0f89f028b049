package engine

import (
	"dyno.example/dyno/load/measure"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/http2"
)

// send sends the request of a place on a stream of its connection, which has room.
func (m *multiplexer) send(id int32) {
	l, s, conn := m.loop, &m.slots[id], m.conn(id)
	k := &m.h2conns[conn]
	stream, err := k.wire.Open()
	if err != nil { // it has used up its streams
		k.going = true
		m.await(id)
		m.touch(conn)
		return
	}
	l.work++
	now := m.sendTime()
	s.waits = false
	if s.sent == 0 {
		l.mix.next(&s.exchange, now)
		s.sent = now
		m.due.Start(id, now)
		l.rec.SentAt(now)
	}
	s.stream, s.first, s.status, s.body = stream, 0, 0, 0
	stream.User = s
	msg := m.message(s)
	msg.writeFields(&k.wire, stream, l.TLS != nil)
	if s.request.Call != nil {
		m.openCall(s, msg)
	} else {
		s.call.final = true
		k.wire.EndHeaders(len(msg.body) == 0)
		if s.rest = msg.body; len(s.rest) > 0 {
			m.upload(s)
		}
	}
	k.fresh = append(k.fresh, id)
	if k.opened++; k.opened == k.most {
		k.going = true
	}
	l.conns[conn].served++
	m.touch(conn)
}

// message is a place's request as HTTP/2 needs it; it is good until the next one.
func (m *multiplexer) message(s *slot) *message {
	if s.request.Constant != nil {
		return &m.constant[s.request.Place]
	}
	m.rendered.parse(s.buf)
	return &m.rendered
}

// upload writes the next part of a request's body, or of the messages of a call.
func (m *multiplexer) upload(s *slot) {
	conn := m.conn(s.id)
	k := &m.h2conns[conn]
	m.touch(conn)
	for turn := uploadTurn; turn > 0; {
		part := s.rest[:min(len(s.rest), turn)]
		n := k.wire.SendData(s.stream, part, s.call.final && len(part) == len(s.rest))
		s.rest = s.rest[n:]
		if n < len(part) || len(s.rest) == 0 && !m.sayMore(s) {
			return
		}
		turn -= n
	}
	k.more.push(s.id)
}

// goOn writes the next parts of bodies, after what came before was sent.
func (m *multiplexer) goOn(k *h2conn) {
	for n := k.more.len(); n > 0; n-- {
		if s := &m.slots[k.more.pop()]; s.stream != nil && len(s.rest) > 0 {
			m.upload(s)
		}
	}
}

// streamEvent deals with what came on a stream.
func (m *multiplexer) streamEvent(s *slot, ev *http2.Event) {
	k := &m.h2conns[m.conn(s.id)]
	switch ev.Kind {
	case http2.EventHead, http2.EventData, http2.EventTrailers:
		if s.request.Call != nil {
			m.callEvent(s, ev)
			return
		}
	}
	switch ev.Kind {
	case http2.EventInterim:
		m.begins(s)
	case http2.EventHead:
		m.begins(s)
		s.status = ev.Header.Status
		m.loop.drawer.begunFields(&s.place, ev.Header)
		if s.keeps(s.status) {
			s.keepHead(ev.Header)
		}
	case http2.EventData:
		s.body += int64(len(ev.Data))
		s.keep(s.status, ev.Data)
		k.wire.Consume(ev.Stream, len(ev.Data))
	case http2.EventWritable:
		m.upload(s)
	case http2.EventReset:
		m.reset(s, ev)
		return
	}
	if ev.End {
		m.done(s)
	}
}

// begins notes the first byte of a response.
func (m *multiplexer) begins(s *slot) {
	if s.first == 0 {
		s.first = m.loop.now
	}
}

// done records a complete response and puts its place to its next use.
func (m *multiplexer) done(s *slot) {
	l := m.loop
	l.rec.left(s.intended, l.now)
	l.Errors.judged(&s.exchange, s.status, l.rec, Times{s.intended, s.sent, s.first, l.now})
	m.drawn(s, false)
	m.letGo(s)
	m.h2conns[m.conn(s.id)].held = false
	l.release(s.id)
}

// letGo ends what a place has of a request that is over.
func (m *multiplexer) letGo(s *slot) {
	m.handled++
	m.due.Stop(s.id)
	s.waits, s.rest, s.call.between = false, nil, false
	m.drop(s)
}

// drop gives the stream of a place back; one that is not at its end is reset.
func (m *multiplexer) drop(s *slot) {
	if s.stream == nil {
		return
	}
	conn := m.conn(s.id)
	k := &m.h2conns[conn]
	k.wire.Release(s.stream)
	s.stream = nil
	if max := m.loop.Link.MaxAge; max > 0 && m.loop.now-m.loop.conns[conn].opened >= int64(max) {
		k.going = true
	}
	m.touch(conn)
}

// fail ends a request that was sent without a usable response. Its place is the
// caller's to use.
func (m *multiplexer) fail(s *slot, kind measure.ErrorKind, why i18n.Message) {
	l := m.loop
	l.Errors.failed(&s.exchange, kind, why, l.now)
	l.rec.erred(s.request, kind, s.intended)
	l.rec.failed(s.intended, l.now)
	m.drawn(s, true)
	m.letGo(s)
}

// drawn has a request that is over drawn. Others share its connection: what the kernel saw of
// that may have been for any of them.
func (m *multiplexer) drawn(s *slot, failed bool) {
	l := m.loop
	c := &l.conns[m.conn(s.id)]
	l.drawer.over(c, &s.place, ending{now: l.now, size: s.body, status: s.status, failed: failed, shared: l.Link.Streams > 1})
}

// reset deals with a stream that has ended early: by the server or, where it broke
// the rules, from this side.
func (m *multiplexer) reset(s *slot, ev *http2.Event) {
	if s.idle() {
		if m.giveUpIdle(s, i18n.New("engine.idle-stream-reset", "the server reset a stream with nothing asked: %s", ev.Code.String())) {
			m.loop.release(s.id)
		}
		return
	}
	kind, why := resetText(ev, s.tries)
	if kind == measure.StreamError {
		m.loop.Errors.cause(kind, ev.Code.String())
	}
	if kind == measure.RefusedError && m.refused(s) {
		return
	}
	if late := s.pastDeadline(s.sent, m.loop.now, ev.Code); !late.IsZero() && kind == measure.StreamError {
		m.loop.rec.waitedFor(s.request, s.intended, s.sent, m.loop.now)
		kind, why = measure.TimeoutError, late
	}
	m.fail(s, kind, why)
	m.loop.release(s.id)
}

// refused lets a request be sent again that the server said it has not looked at (RFC
// 9113 8.7): on this connection after a moment, or on the next one if this takes no
// more. Its times go on. It is not if it was tried too often already: a connection that
// goes away is no such try, as there are only so many within the time limit.
func (m *multiplexer) refused(s *slot) (again bool) {
	l, conn := m.loop, m.conn(s.id)
	k := &m.h2conns[conn]
	if s.tries >= mostTries && !k.going || s.call.sent > 1 && s.request.Call != nil {
		return false
	}
	s.tries++
	s.kept = s.kept[:0]
	l.rec.Resubmitted++
	m.drop(s)
	m.await(s.id)
	if !k.going {
		k.held = true
		l.connector.retries.Start(conn, max(l.now, 1))
	}
	return true
}

// timedOut ends a request that took longer than the time limit. A connection on which
// nothing comes any more, not even the acknowledgement of a PING, is given up.
func (m *multiplexer) timedOut(id int32) {
	l, s, conn := m.loop, &m.slots[id], m.conn(id)
	k := &m.h2conns[conn]
	l.work++
	if s.idle() {
		m.giveUpIdle(s, i18n.New("engine.stream-not-ended", "the server did not end a stream within %v after all was asked", l.Timeout))
		l.release(id)
		return
	}
	sent := s.sent
	l.rec.waitedFor(s.request, s.intended, sent, l.now)
	m.fail(s, measure.TimeoutError, tookTooLong(l.Timeout, s.status != 0, s.body))
	if l.conns[conn].state == ready && k.heard < sent {
		switch {
		case k.pinged == 0:
			k.pinged = l.now
			k.wire.Ping(alivePing)
		case l.now-k.pinged >= int64(pingPatience):
			k.aside.push(id)
			m.lost(conn, measure.ResetError, whySilent)
			return
		}
	}
	l.release(id)
	m.proceed(conn)
}
