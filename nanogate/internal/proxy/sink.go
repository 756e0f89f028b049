//go:build linux

package proxy

import (
	"dyno.example/nano/wire/http2"
	eventloop "dyno.example/nano/wire/loop"
	"dyno.example/nanogate/internal/translate"
)

// sink is where the content that a stream sends goes. What its window or its connection
// has no room for lies in the outbox of its owner, and while anything lies there the other
// side of the exchange isn't read: a stream that the peer doesn't read holds one read, and its
// source a window at most.
type sink struct {
	mux      *mux
	client   *client       // whose response it takes; nil: it takes a request
	call     *call         // whose request it takes
	stream   *http2.Stream // nil: it isn't open yet
	out      *outbox
	trailers []byte // lines that follow the content
	end      bool   // nothing follows what is in out, except for the trailers

	queued       eventloop.Place[sink] // in mux.ready
	prior, after *sink                 // in mux.all
}

// join makes s the newest one of the connection's.
func (m *mux) join(s *sink) {
	m.streams++
	if s.prior = m.newest; s.prior == nil {
		m.all = s
	} else {
		s.prior.after = s
	}
	m.newest = s
}

// part takes it out.
func (m *mux) part(s *sink) {
	m.streams--
	m.ready.Remove(&s.queued)
	if s.prior == nil {
		m.all = s.after
	} else {
		s.prior.after = s.after
	}
	if s.after == nil {
		m.newest = s.prior
	} else {
		s.after.prior = s.prior
	}
	s.prior, s.after = nil, nil
}

// send sends content on a stream, or keeps what there is no room for. end says that
// nothing follows but the trailers.
func (l *muxes) send(s *sink, data []byte, end bool, trailers []byte) {
	m := s.mux
	l.touch(m)
	s.end, s.trailers = end, append(s.trailers[:0], trailers...)
	if len(data) > 0 && s.out.empty() && l.room(m) {
		n := m.codec.SendData(s.stream, data, end && len(trailers) == 0)
		data = data[n:]
	}
	if s.stream.SendEnded() { // or it was reset, which an event will report
		return
	}
	if len(data) > 0 {
		s.out.b = append(s.out.b, data...)
		l.queue(s)
	}
	l.finishSink(s)
}

// room reports whether a connection can be given more; what gathered is sent for that if
// it is much.
func (l *muxes) room(m *mux) bool {
	if len(m.codec.Out) >= flushAt {
		l.deliver(m)
	}
	return m.sock.out.empty() && len(m.codec.Out) < flushAt
}

// queue lets a stream have its turn, unless it waits for a window.
func (l *muxes) queue(s *sink) {
	if _, waits := s.stream.Waiting(); !waits {
		s.mux.ready.Push(s, &s.queued)
	}
}

// finishSink ends this side of a stream when everything was sent.
func (l *muxes) finishSink(s *sink) {
	switch {
	case !s.end || !s.out.empty() || s.stream.SendEnded():
	case len(s.trailers) > 0:
		translate.SendTrailers(&s.mux.codec, s.stream, s.trailers)
	default:
		s.mux.codec.SendData(s.stream, nil, true)
	}
}

// serveSink sends a frame of what a stream has kept, and goes on with its exchange when
// that was all.
func (l *muxes) serveSink(s *sink) {
	if s.out.empty() || s.stream == nil {
		return
	}
	rest := s.out.b[s.out.sent:]
	part := rest[:min(len(rest), http2.MinMaxFrame)]
	n := s.mux.codec.SendData(s.stream, part, s.end && len(part) == len(rest) && len(s.trailers) == 0)
	switch s.out.sent += n; {
	case s.stream.SendEnded():
		s.out.reset()
	case s.out.sent < len(s.out.b):
		l.queue(s)
		l.moved(s, false)
		return
	default:
		s.out.reset()
		l.finishSink(s)
	}
	s.out.trim()
	l.moved(s, true)
}

// moved goes on with the exchange of a stream whose peer has taken something; all says
// that it has taken all there was.
func (l *muxes) moved(s *sink, all bool) {
	if c := s.client; c != nil {
		l.deadlines.progress(c)
		if all {
			l.downstream.proceed(c)
		}
		return
	}
	if c := s.call.client; c != nil && c.x.back == &s.call.backend {
		l.deadlines.progress(c)
		if all {
			l.bodies.upload(c)
		}
	}
}
