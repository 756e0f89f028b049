//go:build linux

package proxy

import (
	"dyno.example/nano/wire/grpc"
	"dyno.example/nano/wire/http2"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/translate"
	"dyno.example/nanogate/internal/upstream"
)

// call is a request on an upstream mux: on a stream, or on the place for one. It ends
// with its request and can then be used again.
type call struct {
	backend
	on      *mux
	sink    sink  // of the request
	refused bool  // there was no place for it after all
	starts  int64 // where it begins in what the connection sends, in bytes; see [mux.written]
	rest    int64 // bytes of content that are to come, as the response's head says; below 0: it doesn't
}

const mostInterims = 32 // interim responses to a request, over HTTP/1.1 too

var schemeHTTP, schemeHTTPS = []byte("http"), []byte("https")

// callTo makes a call to an endpoint. It is up if its mux takes calls.
func (l *multiplexed) callTo(e *upstream.Endpoint, u *upstream.Upstream) (*call, error) {
	m, err := l.upstreamMuxTo(e, u)
	if err != nil {
		return nil, err
	}
	return l.callOn(m), nil
}

// callOn makes a call on an upstream mux. It is up if there is a place for it.
func (l *multiplexed) callOn(m *mux) *call {
	e, u := m.conn.endpoint, m.conn.upstream
	up := m.places() > 0
	k, id := l.calls.Add()
	k.renew()
	*k = call{
		backend: backend{
			socket: socket{fd: noDescriptor, out: outbox{b: k.out.b[:0]}}, id: id, up: up, reused: m.carried, endpoint: e, upstream: u,
			in: k.in[:0], response: k.response,
		},
		on: m, sink: sink{trailers: k.sink.trailers[:0]},
	}
	k.call, k.sink.mux, k.sink.call, k.sink.out = k, m, k, &k.out
	m.join(&k.sink)
	return k
}

// hangUp ends a call. One that isn't at its end is reset.
func (l *multiplexed) hangUp(k *call) {
	if k.fd < 0 {
		return
	}
	l.leaveMux(k)
	k.fd, k.client = -1, nil
	if cap(k.in) > keptOutbox {
		k.in = nil
	}
	k.out.reset()
	k.out.trim()
	l.calls.Remove(k.id)
}

// leaveMux takes a call off its connection. A stream that isn't at its end is reset.
func (l *multiplexed) leaveMux(k *call) {
	m, s := k.on, &k.sink
	if m == nil {
		return
	}
	l.muxes.touch(m)
	if s.stream != nil {
		s.stream.User = nil
		m.codec.Release(s.stream)
	}
	m.part(s)
	m.idleFrom = l.now
	k.on, s.mux, s.stream = nil, nil, nil
}

// resetCall passes on why the client has reset its stream.
func (l *multiplexed) resetCall(k *call, code http2.ErrCode) {
	if s := k.sink.stream; s != nil && code != http2.NoError {
		l.muxes.touch(k.on)
		k.on.codec.Reset(s, code)
	}
}

// openCall sends a request's head. If there is no place for it, as the endpoint has just
// said, the request gets one on another connection, a bit later.
func (l *multiplexed) openCall(k *call, head, private []byte, end bool) bool {
	m := k.on
	l.muxes.touch(m)
	k.starts = m.handed + int64(len(m.codec.Out))
	s, err := m.codec.Open()
	if err != nil {
		k.refused, k.readable = true, true
		l.laterBackend(&k.backend)
		return false
	}
	s.User, k.sink.stream, m.carried = k, s, true
	scheme := schemeHTTP
	if m.sock.secure != nil {
		scheme = schemeHTTPS
	}
	if k.tunnel {
		translate.SendConnect(&m.codec, s, head, scheme, private)
	} else {
		translate.SendRequest(&m.codec, s, head, scheme, private, end)
	}
	return true
}

// sendCall sends content of a request's body, behind its head if that hasn't been sent,
// and the end of the body if this is it.
func (l *multiplexed) sendCall(c *client, k *call, piece []byte) bool {
	x := &c.x
	if !x.headIn && x.upgrade && !k.tunnel {
		return l.bodies.askTunnel(c, k)
	}
	end := x.body.Done() && (x.tunnel || !k.tunnel)
	var trailers []byte
	if end && !x.remade {
		trailers = l.bodies.requestTrailers(c)
	}
	if !x.headIn {
		if !l.openCall(k, x.head, c.private, end && len(piece)+len(trailers) == 0) {
			l.deadlines.await(c, stateConnect)
			return false
		}
		x.headIn = true
	}
	if len(piece) > 0 || end {
		l.muxes.send(&k.sink, piece, end, trailers)
	}
	return true
}

// callInterim passes on an interim response. There is a bound to them, as no window holds
// them back when the client doesn't read.
func (l *multiplexed) callInterim(k *call, ev *http2.Event) {
	c := k.client
	if k.interims++; k.interims > mostInterims {
		l.attempts.ends(c, &k.backend, loss{why: request.BadResponse})
		return
	}
	l.text = translate.Response(l.text[:0], ev.Header, false, false)
	if n, err := l.resp.Parse(l.text, false, &responseLimits); n == 0 || err != nil || c.x.undecided() || c.x.minor == 0 || c.x.remade {
		return
	}
	l.out = append(l.heads.responseHead(l.out[:0], c, l.text), "\r\n"...)
	l.bodies.sendInterim(c)
}

// callHead takes a response's head, which may be all of it.
func (l *multiplexed) callHead(k *call, ev *http2.Event) {
	c := k.client
	x := &c.x
	k.begun, k.ended = true, ev.End
	l.attempts.responds(c, &k.backend)
	l.text = translate.Response(l.text[:0], ev.Header, ev.End, x.method == head)
	l.bodies.came = l.text
	text := l.text
	l.slots.text.back(x, x.with, func(f atText) bool { text = f.translated(x, text, ev.End); return false })
	if n, err := l.resp.Parse(text, x.method == head, &responseLimits); n == 0 || err != nil {
		l.exchanges.failed(c, request.BadResponse)
		return
	}
	if k.rest = ev.Header.ContentLength; x.method == head || l.resp.Status == 204 || l.resp.Status == 304 {
		k.rest = 0
	}
	if l.attempts.retriesCode(c, ev.Header, ev.End) || l.attempts.retriesStatus(c, l.resp.Status) {
		return
	}
	k.private = translate.Private(k.private[:0], ev.Header)
	l.out = l.out[:0]
	if k.tunnel {
		if k.tunnel = false; l.resp.Status/100 == 2 && !ev.End {
			l.bodies.crossed(c, &k.backend, text, nil)
			return
		}
	}
	l.bodies.passHead(c, &k.backend, text, nil, tailOf(ev), x.with)
}

// tail is what the head of a call's response says about its end.
type tail struct {
	here   bool      // nothing follows the head
	graded bool      // and it has the call's status
	code   grpc.Code // which is this
}

func tailOf(ev *http2.Event) (t tail) {
	if t.here = ev.End; t.here {
		var value []byte
		if value, t.graded = ev.Header.FindKnown(http2.NameGRPCStatus); t.graded {
			t.code, _ = grpc.ParseCode(value)
		}
	}
	return t
}

// callBody takes a part of a response's body, or what follows it. It is passed on at once
// if the client takes it; else it waits, and the stream's window isn't opened again.
func (l *multiplexed) callBody(k *call, ev *http2.Event) {
	c := k.client
	if ev.Kind == http2.EventTrailers {
		k.trailers = translate.Trailers(k.trailers[:0], ev.Header)
		l.slots.trailers.back(&c.x, c.x.with, func(f atTrailers) bool { f.trailed(&c.x, k.trailers); return false })
		c.x.grade(c, ev.Header)
	}
	k.ended = ev.End
	if k.rest > 0 {
		k.rest -= int64(len(ev.Data))
	}
	if len(k.in) == 0 && c.out.empty() && !k.held {
		l.giveOn(k, ev.Data, ev.End)
		return
	}
	k.in = append(k.in, ev.Data...)
	k.readable = true
}

// passHeld gives the client what it had no room for before.
func (l *multiplexed) passHeld(k *call) {
	c := k.client
	if k.refused {
		l.attempts.ends(c, &k.backend, loss{how: tryUnsent})
		return
	}
	for k.client == c && !k.held && c.out.empty() && (len(k.in) > 0 || k.ended) {
		n := min(len(k.in), http2.MinMaxFrame)
		l.giveOn(k, k.in[:n:n], k.ended && n == len(k.in))
		k.in = k.in[:copy(k.in, k.in[min(n, len(k.in)):])]
	}
	k.readable = k.client == c && (len(k.in) > 0 || k.ended)
}

// giveOn gives the client a part, which opens the window for as much.
func (l *multiplexed) giveOn(k *call, part []byte, last bool) {
	if k.on != nil { // else its connection is lost, and this is the rest of what came
		l.muxes.touch(k.on)
		k.on.codec.Consume(k.sink.stream, len(part))
	}
	l.out = l.out[:0]
	l.bodies.give(k.client, &k.backend, part, last, k.client.x.with)
}

// callReset deals with a stream that ended early.
func (l *multiplexed) callReset(k *call, ev *http2.Event) {
	c := k.client
	switch {
	case k.ended: // all of the response is in, and the rest of the request isn't wanted
		k.broken = true
	case l.onlyEndsNot(k):
		l.endAnyway(k)
	case ev.Err != nil:
		l.attempts.ends(c, &k.backend, loss{why: request.BadResponse})
	case ev.Code == http2.RefusedStream && !c.x.begun:
		l.attempts.ends(c, &k.backend, loss{how: tryRefused})
	default:
		l.attempts.ends(c, &k.backend, loss{why: request.UpstreamGone, reset: ev.Code, wasReset: true})
	}
}

// callLost deals with a call whose connection is lost.
func (l *multiplexed) callLost(k *call, m *mux) {
	c := k.client
	switch {
	case c == nil:
		l.hangUp(k)
	case k.ended: // all of the response is in: the client gets what it hasn't taken yet
		l.leaveMux(k)
		k.broken = true
	case l.onlyEndsNot(k):
		l.leaveMux(k)
		l.endAnyway(k)
	default:
		l.attempts.ends(c, &k.backend, m.loss(k))
	}
}

// loss is how the attempt failed on a call whose connection is lost.
func (m *mux) loss(k *call) loss {
	switch {
	case m.conn.secure != nil && !m.conn.up && m.why == request.OK: // it speaks HTTP/1.1 only
		return loss{how: tryUnsent}
	case !m.conn.up:
		return loss{why: m.why}
	case m.dead && m.codec.Err() != nil && !m.broken && m.unsent(k):
		return loss{how: trySpoilt}
	case m.dead && m.codec.Err() != nil && !m.broken:
		return loss{why: request.BadResponse}
	case !m.greeted: // nothing was sent: it is as if there had been no connection
		return loss{why: request.ConnectFailed}
	case k.sink.stream == nil || k.starts >= m.written():
		return loss{how: tryUnsent}
	}
	return loss{how: tryLost}
}

// onlyEndsNot reports whether nothing but its end is missing of a response that its client takes
// for whole: one without content, and over HTTP/1.1 one that is as long as its head says. Its
// client may have sent the next request behind it.
func (l *multiplexed) onlyEndsNot(k *call) bool {
	c := k.client
	x := &c.x
	return x.begun && k.rest == 0 && !x.tunnel && !x.remade && (c.of == nil || x.silent)
}

// endAnyway ends such a response, behind what its client hasn't taken yet.
func (l *multiplexed) endAnyway(k *call) {
	c := k.client
	k.ended, k.broken = true, true
	if k.readable = len(k.in) > 0 || !c.out.empty(); k.readable {
		return
	}
	l.out = l.out[:0]
	l.bodies.give(c, &k.backend, nil, true, c.x.with)
}
