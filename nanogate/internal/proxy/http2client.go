//go:build linux

package proxy

import (
	"dyno.example/nano/wire/http1"
	"dyno.example/nano/wire/http2"
	"dyno.example/nano/wire/reactor"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/translate"
)

// streams is a loop's clients over HTTP/2 and the requests on their connections.
type streams struct {
	*loop

	text []byte // a request's head as text
}

// How clients are served over HTTP/2 (RFC 9113). The requests on such a connection are
// clients of their own, see stream.go.

const (
	streamsOfClient = 100      // requests under way on one connection
	streamWindow    = 64 << 10 // bytes that a peer may send on a stream before they are passed on
)

// http2Config holds clients to the limits of the configuration. The connection's window
// is as large as those of all streams together: one that isn't read doesn't stop others.
func http2Config(c *config.Client) *http2.Config {
	h := http2.ServerConfig(c.Head, c.Fields, c.Write)
	h.Settings.MaxConcurrent, h.Settings.InitialWindow = streamsOfClient, streamWindow
	h.Window = streamsOfClient * streamWindow
	return http2.NewConfig(h)
}

// beginHTTP2 goes on with a client that begins as HTTP/2 does; b is what it has sent.
func (l *streams) beginHTTP2(c *client, b []byte) {
	m := &mux{client: c, sock: &c.socket}
	c.mux = m
	l.muxes.touch(m)
	m.codec.Start(l.h2config, &l.muxes.h2pool, l.now)
	if l.Draining() {
		m.codec.Drain(l.now)
	}
	rest := l.muxes.framesCame(m, b)
	c.in = append(c.in[:0], rest...) // it may overlap
	if c.readable {
		l.later(c)
	}
	l.deadlines.await(c, stateStreams)
}

// speaksHTTP2 reports whether a connection is one over HTTP/2: the handshake agreed on it,
// or it begins so without one (RFC 9113 3.3). b is what came first.
func (c *client) speaksHTTP2(b []byte) bool {
	return c.protocol == "h2" || c.protocol == "" && isPreface(b)
}

// isPreface reports whether b begins as only HTTP/2 does.
func isPreface(b []byte) bool {
	const sure = len("PRI * HTTP/2.0\r\n")
	return len(b) >= sure && string(b[:sure]) == http2.Preface[:sure]
}

// http2Ready takes an event of a connection's socket.
func (l *streams) http2Ready(c *client, e *reactor.Event) {
	c.readable = c.readable || e.Readable()
	c.hungUp = c.hungUp || e.Ending()
	if !c.out.empty() && !(e.Writable() && l.muxes.flushMux(c.mux)) {
		if e.Failed() {
			c.mux.broken = true
			l.muxes.touch(c.mux)
		}
		return
	}
	l.readHTTP2(c)
}

// readHTTP2 reads what the client has sent, unless it is to take something first.
func (l *streams) readHTTP2(c *client) {
	m := c.mux
	if !c.readable || m.dead || m.broken || !l.muxes.room(m) {
		return
	}
	if c.readable = l.muxes.readMux(m, &c.in, c.hungUp); c.readable && !m.broken {
		l.later(c)
	}
}

// http2Event acts upon what a client has said.
func (l *streams) http2Event(m *mux, ev *http2.Event) {
	switch ev.Kind {
	case http2.EventHead, http2.EventTooLarge:
		l.take() // see serve
		l.streamCame(m, ev)
		return
	}
	if ev.Stream == nil {
		return
	}
	c, ok := ev.Stream.User.(*client)
	if !ok {
		return
	}
	switch ev.Kind {
	case http2.EventData, http2.EventTrailers:
		l.bodyCame(c, ev)
	case http2.EventReset:
		if k := c.x.back; k != nil && k.call != nil {
			l.multiplexed.resetCall(k.call, ev.Code)
		}
		l.exchanges.clientGone(c)
	case http2.EventWritable:
		l.muxes.serveSink(&c.sink)
	}
}

// settleHTTP2 decides what a connection waits for next.
func (l *streams) settleHTTP2(m *mux) {
	c := m.client
	switch {
	case m.broken:
		l.exchanges.drop(c)
	case !m.sock.out.empty() || len(m.codec.Out) > 0:
		l.watchHTTP2(c)
	case m.dead:
		l.leaveHTTP2(c)
	case m.codec.Drained():
		m.dead = true
		l.leaveHTTP2(c)
	case m.codec.Streams() > 0 || m.partial != 0 || l.Draining():
		l.watchHTTP2(c)
	default:
		l.deadlines.await(c, stateIdle)
	}
	if c.fd >= 0 && c.readable && c.out.empty() {
		l.later(c)
	}
}

// watchHTTP2 lets a connection be looked at now and then.
func (l *streams) watchHTTP2(c *client) {
	if c.state != stateStreams {
		l.deadlines.await(c, stateStreams)
	}
}

// leaveHTTP2 closes a connection that has come to its end: what its client still sends is
// read and thrown away, so that it gets what was said last.
func (l *streams) leaveHTTP2(c *client) {
	l.loseStreams(c)
	c.mux.closed, c.mux = true, nil
	c.unread = true
	l.exchanges.retire(c)
}

// loseStreams ends what is under way on a connection.
func (l *streams) loseStreams(c *client) {
	for s := c.mux.all; s != nil; s = c.mux.all {
		l.exchanges.clientGone(s.client)
	}
}

// tickHTTP2 looks at what has taken too long.
func (l *streams) tickHTTP2(c *client) {
	l.muxes.tickMux(c.mux)
	l.deadlines.await(c, stateStreams)
}

// closeIdle ends a connection that has had no request for long.
func (l *streams) closeIdle(c *client) {
	l.muxes.touch(c.mux)
	c.mux.codec.Close(http2.NoError)
	c.mux.dead = true
}

// drainHTTP2 lets a connection go on to the end of its requests.
func (l *streams) drainHTTP2(c *client) {
	l.muxes.touch(c.mux)
	c.mux.codec.Drain(l.now)
}

// streamCame takes a request.
func (l *streams) streamCame(m *mux, ev *http2.Event) {
	conn := m.client
	conn.requests++
	c, id := l.clients.Add()
	l.beginStream(c, conn, id, ev.Stream)
	c.ended = ev.End
	if ev.Kind == http2.EventTooLarge {
		l.heads.turnAway(c, replyHeadTooLarge)
		return
	}
	if conn.state != stateStreams {
		l.deadlines.await(conn, stateStreams)
	}
	h := ev.Header
	c.grpc = translate.IsCall(h)
	c.private = translate.Private(c.private, h)
	text, err := translate.Request(&l.head, l.text, h, ev.End, l.limits.URI)
	if l.text = text; err != nil {
		l.heads.refuseHead(c, err)
		return
	}
	l.exchanges.request(c, text)
	if c.fd < 0 || c.state != stateRequest {
		return
	}
	if k := c.x.back; k != nil && k.call != nil {
		l.bodies.upload(c)
		return
	}
	l.later(c) // the body may come with the head
}

// beginStream makes c a request on a connection.
func (l *streams) beginStream(c, conn *client, id int32, s *http2.Stream) {
	private, trailers := c.private[:0], c.sink.trailers[:0]
	uploads := c.trailers[:0]
	c.begin(l, noDescriptor, id, conn.peer)
	c.readable, c.of = false, conn
	c.private, c.trailers = private, uploads
	c.sink = sink{mux: conn.mux, client: c, stream: s, out: &c.out, trailers: trailers}
	s.User = c
	conn.mux.join(&c.sink)
}

// bodyCame takes a part of a request's body, or what follows it. It is passed on at once
// if the upstream takes it; else it waits, and the stream's window isn't opened again.
func (l *streams) bodyCame(c *client, ev *http2.Event) {
	x := &c.x
	waits := x.upgrade && !x.tunnel                 // until the upstream has agreed
	if !c.state.busy() || x.body.Done() && !waits { // it is no longer wanted
		c.sink.mux.codec.Consume(ev.Stream, len(ev.Data))
		return
	}
	if ev.Kind == http2.EventTrailers {
		c.trailers = translate.Trailers(c.trailers[:0], ev.Header)
	}
	c.ended = c.ended || ev.End
	if len(c.in) == 0 && !waits && !(x.tunnel && c.ended) {
		if l.bodies.caughtUp(c) {
			l.passPart(c, ev.Data, c.ended)
			return
		}
		if c.of == nil || !c.state.busy() { // that was the end of the exchange
			return
		}
	}
	c.in = append(c.in, ev.Data...)
	if !waits {
		l.uploadStream(c)
	}
}

// uploadStream passes on what has come of a request's body and had to wait.
func (l *streams) uploadStream(c *client) {
	x := &c.x
	if !l.bodies.caughtUp(c) {
		return
	}
	if len(c.in) == 0 && !c.ended {
		if !x.headIn && !x.bodyFirst && !x.gathers() {
			l.bodies.sendPart(c, nil)
		}
		return
	}
	for c.fd >= 0 && c.state.busy() && !x.body.Done() && x.takes() && (len(c.in) > 0 || c.ended) {
		n := min(len(c.in), http2.MinMaxFrame)
		last := c.ended && n == len(c.in) && (n == 0 || !x.tunnel) // a tunnel's side is closed when all is sent
		ok := l.passPart(c, c.in[:n:n], last)
		if c.in = c.in[:copy(c.in, c.in[min(n, len(c.in)):])]; !ok {
			return
		}
	}
}

// passPart passes a part on, which opens the window for as much; last says that nothing
// follows.
func (l *streams) passPart(c *client, part []byte, last bool) bool {
	if len(part) > 0 {
		m := c.sink.mux
		l.muxes.touch(m)
		m.codec.Consume(c.sink.stream, len(part))
	}
	if last {
		c.x.body = http1.Body{} // it is done
	}
	return l.bodies.passContent(c, part)
}

// leave implements [recipient]. A stream that isn't at its end is reset.
func (l *streams) leave(c *client) {
	s := &c.sink
	m := s.mux
	l.muxes.touch(m)
	s.stream.User = nil
	m.codec.Release(s.stream)
	m.part(s)
	c.of, s.mux, s.stream = nil, nil, nil
}
