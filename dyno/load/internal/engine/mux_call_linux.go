package engine

import (
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/http2"
)

// openCall begins a call on the stream of a place: msg has its first message.
func (m *multiplexer) openCall(s *slot, msg *message) {
	s.call = newCall(s.request.Call)
	m.h2conns[m.conn(s.id)].wire.EndHeaders(false)
	m.say(s, msg.body)
}

// say begins to send a message.
func (m *multiplexer) say(s *slot, framed []byte) {
	s.call.says(s.request.Call)
	s.rest = framed
	m.loop.rec.Messages.Out++
	m.upload(s)
}

// sayMore readies the next message of a call that is one request, if there is one.
func (m *multiplexer) sayMore(s *slot) bool {
	c := s.request.Call
	if c == nil || s.call.final || c.Unit == request.UnitMessage {
		return false
	}
	s.call.says(c)
	s.rest = m.loop.mix.further(&s.exchange, m.loop.now)
	m.loop.rec.Messages.Out++
	return true
}

// sendMessage sends the next message on the open stream of a place: it is the place's
// request.
func (m *multiplexer) sendMessage(id int32) {
	l, s := m.loop, &m.slots[id]
	l.work++
	now := m.sendTime()
	s.sent, s.first, s.tries = now, 0, 0
	s.call.between, s.call.owed = false, s.request.Call.Responses
	if s.kept = s.kept[:0]; s.keeps(s.status) {
		s.copyText("HTTP/2 200 OK\r\n\r\n") // of the stream's head; what follows is the response's
	}
	m.due.Start(id, now)
	l.rec.SentAt(now)
	k := &m.h2conns[m.conn(id)]
	k.fresh = append(k.fresh, id)
	m.say(s, l.mix.further(&s.exchange, now))
}

// callEvent deals with what came on the stream of a call.
func (m *multiplexer) callEvent(s *slot, ev *http2.Event) {
	switch ev.Kind {
	case http2.EventHead:
		m.begins(s)
		s.status = ev.Header.Status
		s.call.head(&s.exchange, ev.Header, ev.End)
	case http2.EventData:
		m.h2conns[m.conn(s.id)].wire.Consume(ev.Stream, len(ev.Data))
		if m.hears(s, ev.Data); s.call.broken != "" && s.call.isGRPC {
			m.callBroke(s)
			return
		}
	case http2.EventTrailers:
		s.call.status(&s.exchange, ev.Header)
	}
	if ev.End {
		m.callEnds(s)
	}
}

// hears takes bytes of messages.
func (m *multiplexer) hears(s *slot, data []byte) {
	s.body += int64(len(data))
	s.call.keep(&s.exchange, s.status, data)
	for {
		n, part, ok := s.call.next(data)
		data = data[n:]
		if !ok {
			return
		}
		m.begins(s)
		if part.Last {
			m.messageCame(s)
		}
	}
}

// messageCame counts a message; the last that is owed for one completes a request.
func (m *multiplexer) messageCame(s *slot) {
	l, c := m.loop, s.request.Call
	s.call.came++
	l.rec.Messages.In++
	if c.Unit == request.UnitCall {
		if c.ManyResponses {
			l.rec.Durations.Timed[measure.Message].Record(l.now - max(s.call.last, s.sent))
			s.call.last = l.now
		}
		return
	}
	if s.call.between { // unsolicited
		return
	}
	if s.call.owed--; s.call.owed > 0 {
		return
	}
	if len(s.rest) > 0 {
		s.call.broken = "the server responded to a message before it had all of it"
		return
	}
	m.messageDone(s)
}

// messageDone records a message that has its response. Its stream stays open for the
// next one.
func (m *multiplexer) messageDone(s *slot) {
	l, conn := m.loop, m.conn(s.id)
	k := &m.h2conns[conn]
	l.rec.left(s.intended, l.now)
	kind, why := s.judgeMessages()
	l.Errors.settle(&s.exchange, kind, why, l.rec, Times{s.intended, s.sent, s.first, l.now})
	m.handled++
	s.call.between = true
	if age := l.Link.MaxAge; age > 0 && l.now-l.conns[conn].opened >= int64(age) {
		k.going = true
	}
	if s.call.final || k.leaves(l) {
		m.endCall(s)
		return
	}
	m.due.Stop(s.id)
	l.release(s.id)
}

// leaves reports whether the streams of a connection are to come to their end: the
// server goes away, or the connection is too old.
func (k *h2conn) leaves(l *eventLoop) bool {
	return k.goaway != "" || k.going && l.Link.MaxAge > 0
}

// endCall ends our side of a stream. Its place is free when the server has ended it.
func (m *multiplexer) endCall(s *slot) {
	s.call.ending = true
	if !s.stream.SendEnded() {
		m.h2conns[m.conn(s.id)].wire.SendData(s.stream, nil, true)
		m.touch(m.conn(s.id))
	}
	m.due.Start(s.id, m.loop.now)
}

// endCalls ends the streams of a connection that have no message under way.
func (m *multiplexer) endCalls(conn int32) {
	places := m.places(conn)
	for i := range places {
		if s := &places[i]; s.stream != nil && s.call.between && !s.call.ending {
			m.endCall(s)
		}
	}
}

// callBroke gives up a call whose response can't be read on.
func (m *multiplexer) callBroke(s *slot) {
	switch {
	case !s.idle():
		m.fail(s, measure.BodyError, i18n.Verbatim(s.call.broken))
		m.loop.release(s.id)
	case m.giveUpIdle(s, i18n.Verbatim(s.call.broken)):
		m.loop.release(s.id)
	}
}

// callEnds is called at the end of a call's response.
func (m *multiplexer) callEnds(s *slot) {
	l := m.loop
	if s.call.between {
		m.idleEnds(s)
		return
	}
	kind, why := s.call.judge(&s.exchange, s.status)
	if kind == measure.BodyError && !why.IsZero() {
		m.fail(s, kind, why)
		l.release(s.id)
		return
	}
	l.rec.left(s.intended, l.now)
	l.rec.countStatus(s.status, s.intended)
	if s.call.ended {
		l.rec.countCode(s.call.code, s.intended)
	}
	l.Errors.settle(&s.exchange, kind, why, l.rec, Times{s.intended, s.sent, s.first, l.now})
	m.letGo(s)
	m.h2conns[m.conn(s.id)].held = false
	l.release(s.id)
}

// idleEnds is called when the server has ended a stream without a message under way.
func (m *multiplexer) idleEnds(s *slot) {
	l, c := m.loop, &s.call
	waits := c.ending
	if c.ended {
		l.rec.Breakdown.CountCode(c.code)
	}
	if !c.ended || !s.request.Call.Codes.Has(c.code) {
		why := "the server ended a stream without a status of gRPC, with nothing asked"
		if c.ended {
			why = "the server ended a stream with nothing asked: " + s.call.statusText(&s.exchange)
		}
		m.streamBroke(i18n.Verbatim(why))
	}
	m.letGo(s)
	if waits {
		l.release(s.id)
	}
}

// streamBroke counts a stream that failed with no request on it.
func (m *multiplexer) streamBroke(why i18n.Message) {
	m.loop.Errors.note(measure.StreamError, why)
	m.loop.rec.erredApart(measure.StreamError)
}

// idle reports whether a place has a stream without a message under way.
func (s *slot) idle() bool { return s.stream != nil && s.call.between }

// giveUpIdle gives up such a stream, which was reset, lost or takes too long to end. It
// reports whether its place waited for that and is free now.
func (m *multiplexer) giveUpIdle(s *slot, why i18n.Message) (free bool) {
	free = s.call.ending
	if !why.IsZero() {
		m.streamBroke(why)
	}
	m.letGo(s)
	return free
}
