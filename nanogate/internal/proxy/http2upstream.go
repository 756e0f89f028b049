//go:build linux

package proxy

import (
	"errors"

	"dyno.example/nano/wire/http2"
	"dyno.example/nano/wire/reactor"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/upstream"
)

// multiplexed is a loop's connections to endpoints over HTTP/2, and the calls on them.
type multiplexed struct {
	*loop

	upstreamMuxes int    // how many there are
	text          []byte // a response's head as text
}

// An upstream mux is a connection to an endpoint over HTTP/2, by prior knowledge (RFC 9113
// 3.3) or as agreed on in the TLS handshake. The requests of many clients are on it, each as
// a call, see call.go. A loop has few of them: another is opened when all it has are full.

const (
	windowStreams     = 100 // streams whose windows the connection's has room for
	requestTable      = 4 << 10
	mostUpstreamMuxes = 64 // to one endpoint, of one loop, and as many that only go on to their end
	mostLast          = 64 // reads of a connection that is broken

	// shutFor is how long the connection's window may be shut before requests go elsewhere.
	shutFor = int64(10e6) // ns
)

// errFull is why no connection to an endpoint is made.
var errFull = errors.New("all connections to the endpoint are full, and there are as many as may be")

// upstreamMuxConfig holds endpoints to the limits that responses have over HTTP/1.1, and to
// the codec's own.
var upstreamMuxConfig = func() *http2.Config {
	settings := http2.DefaultSettings
	settings.InitialWindow, settings.MaxHeaderList = streamWindow, uint32(responseLimits.Head)
	return http2.NewConfig(http2.Config{
		Settings: settings, Window: windowStreams * streamWindow, Table: requestTable,
		Limits: http2.Limits{HeaderFields: responseLimits.Fields + 1},
	})
}()

// upstreamMuxTo returns a connection with room for one more request.
func (l *multiplexed) upstreamMuxTo(e *upstream.Endpoint, u *upstream.Upstream) (*mux, error) {
	p := l.pools.pool(e)
	for _, m := range p.muxes {
		if l.hasRoom(m) {
			return m, nil
		}
	}
	if p.full() {
		if m := p.leastFull(); m != nil {
			return m, nil
		}
		return nil, errFull
	}
	k, err := l.pools.connect(e, u, false)
	if err != nil {
		return nil, err
	}
	return l.newUpstreamMux(k), nil
}

// newUpstreamMux makes a connection to an endpoint one over HTTP/2.
func (l *multiplexed) newUpstreamMux(k *connection) *mux {
	m := &mux{conn: k, sock: &k.socket, idleFrom: l.now, why: request.ConnectFailed}
	k.mux = m
	p := l.pools.pool(k.endpoint)
	p.muxes = append(p.muxes, m)
	if l.upstreamMuxes++; l.upstreamMuxes == 1 {
		l.muxes.muxTick = l.now + muxEvery
	}
	l.muxes.touch(m)
	m.codec.Start(upstreamMuxConfig, &l.muxes.h2pool, l.now)
	return m
}

// agreed goes on with a connection to an endpoint when TLS is up, by what was agreed on
// (RFC 7301): the first requests to an endpoint don't know what that will be.
func (l *multiplexed) agreed(k *connection, protocol string) {
	multiplexed := protocol == "h2"
	if k.endpoint.Multiplexed.Load() != multiplexed {
		k.endpoint.Multiplexed.Store(multiplexed)
	}
	switch {
	case k.mux != nil && multiplexed:
		l.upstreamMuxUp(k.mux)
	case k.mux != nil: // each of the requests that wait for it gets a connection of its own
		k.mux.broken, k.mux.why = true, request.OK
		l.muxes.touch(k.mux)
	case k.warming && multiplexed:
		l.pools.notWarming(k)
		l.upstreamMuxUp(l.newUpstreamMux(k))
	case k.warming:
		k.up = true
		l.pools.warmed(k)
	case multiplexed:
		c, m := k.client, l.newUpstreamMux(k)
		c.x.replace(&k.backend, &l.callOn(m).backend)
		l.upstreamMuxUp(m)
	default:
		l.pools.usable(k)
	}
}

// hasRoom reports whether a connection takes one more request. Before the endpoint has
// said how many it takes it is supposed to take as many as it did on others.
func (l *multiplexed) hasRoom(m *mux) bool {
	limits := &m.conn.upstream.Config.Pool
	if m.going || m.dead || m.broken || m.streams >= limits.Streams || limits.Age > 0 && l.now-m.conn.born > int64(limits.Age) {
		return false
	}
	if m.codec.Room() <= m.streams-m.codec.Streams() {
		return false
	}
	if most := l.pools.pool(m.conn.endpoint).streams; !m.greeted && most > 0 && m.streams >= most {
		return false
	}
	// Streams that the endpoint doesn't read may hold all of the window that streams share.
	switch {
	case m.codec.Window() >= http2.MinMaxFrame:
		m.shut = 0
	case m.shut == 0:
		m.shut = l.now
	}
	return m.shut == 0 || l.now-m.shut < shutFor
}

// upstreamMuxReady takes an event of an upstream mux's socket.
func (l *multiplexed) upstreamMuxReady(k *connection, e *reactor.Event) {
	m := k.mux
	k.readable = k.readable || e.Readable()
	k.hungUp = k.hungUp || e.Ending()
	if !k.up {
		switch {
		case k.secure != nil:
			k.secure.Ready()
		case !e.Writable():
		case l.Sys.ConnectError(k.fd) != nil || e.Failed():
			m.broken = true
			l.muxes.touch(m)
		default:
			if config := k.upstream.TLS(k.endpoint); config != nil {
				l.downstream.shakeBackend(k, config)
				return
			}
			l.upstreamMuxUp(m)
		}
		return
	}
	if !k.out.empty() && e.Writable() {
		l.muxes.flushMux(m)
	}
	l.readUpstreamMux(k)
}

// multiplexes reports whether an endpoint is spoken to over HTTP/2, as far as is known.
func multiplexes(e *upstream.Endpoint) bool { return e.Address.HTTP2 || e.Multiplexed.Load() }

// upstreamMuxUp begins to speak on a connection. Requests wait until the endpoint has, too
// (RFC 9113 3.4): those that wait on a connection which is lost before that, as a server
// that is being shut down no longer takes it out of its queue, weren't sent.
func (l *multiplexed) upstreamMuxUp(m *mux) {
	l.muxes.touch(m)
	m.conn.up, m.conn.readable = true, true
	l.laterBackend(&m.conn.backend)
}

// readUpstreamMux reads what the endpoint has sent, even while the endpoint reads nothing: if
// both sides waited for the other to read, neither would go on. Windows bound what it can
// make us hold.
func (l *multiplexed) readUpstreamMux(k *connection) {
	m := k.mux
	if !k.readable || m.dead || m.broken {
		return
	}
	if k.readable = l.muxes.readMux(m, &k.in, k.hungUp); k.readable && !m.broken {
		l.laterBackend(&k.backend)
	}
}

// upstreamMuxEvent handles a frame from an endpoint.
func (l *multiplexed) upstreamMuxEvent(m *mux, ev *http2.Event) {
	if ev.Kind == http2.EventGoAway {
		m.going = true
	}
	if ev.Kind == http2.EventSettings {
		m.greeted = true // those that wait get their places when all that came has been read
		l.learnStreams(m)
	}
	if ev.Stream == nil {
		return
	}
	k, ok := ev.Stream.User.(*call)
	if !ok || k.client == nil {
		return
	}
	l.current = k.client
	switch ev.Kind {
	case http2.EventInterim:
		l.callInterim(k, ev)
	case http2.EventHead:
		l.callHead(k, ev)
	case http2.EventData, http2.EventTrailers:
		l.callBody(k, ev)
	case http2.EventReset:
		l.callReset(k, ev)
	case http2.EventWritable:
		l.muxes.serveSink(&k.sink)
	}
}

// settleUpstreamMux closes a connection that has come to its end.
func (l *multiplexed) settleUpstreamMux(m *mux) {
	switch {
	case m.broken || m.dead:
		m.going = true
		l.lastWords(m)
		for s := m.all; s != nil; s = m.all {
			l.callLost(s.call, m)
		}
	case !m.going || m.streams > 0:
		return
	}
	if !m.broken && (!m.sock.out.empty() || len(m.codec.Out) > 0) && !m.closed {
		return // it gets the reason first
	}
	l.closeUpstreamMux(m)
}

// lastWords reads what an endpoint said before its connection broke: responses, and which
// requests it hasn't looked at. Writing may fail before that is read.
func (l *multiplexed) lastWords(m *mux) {
	k := m.conn
	for n := 0; n < mostLast && k.up && m.streams > 0 && !m.dead && !m.closed && l.muxes.readMux(m, &k.in, true); n++ {
	}
}

// closeUpstreamMux closes a connection that no request is on any more.
func (l *multiplexed) closeUpstreamMux(m *mux) {
	if m.closed {
		return
	}
	m.closed, m.going = true, true
	k := m.conn
	p := l.pools.pool(k.endpoint)
	for i, other := range p.muxes {
		if other == m {
			p.muxes = append(p.muxes[:i], p.muxes[i+1:]...)
			break
		}
	}
	l.upstreamMuxes--
	k.mux = nil
	l.pools.closeConnection(k)
}

// tickUpstreamMuxes looks at what has taken too long, once a second.
func (l *multiplexed) tickUpstreamMuxes() {
	l.muxes.muxTick = l.now + muxEvery
	l.pools.everyPool(func(p *pool) {
		for _, m := range p.muxes {
			l.tickUpstreamMux(m)
		}
	})
}

func (l *multiplexed) tickUpstreamMux(m *mux) {
	k := m.conn
	limits := &k.upstream.Config.Pool
	if !k.up || !m.greeted {
		if l.now-k.born > int64(k.upstream.Config.Connect) {
			m.broken = true
			l.muxes.touch(m)
		}
		return
	}
	l.muxes.tickMux(m)
	idle := m.streams == 0 && l.now-m.idleFrom > int64(limits.Idle)
	old := limits.Age > 0 && l.now-k.born > int64(limits.Age)
	// What is old or leads to an endpoint that is gone takes no new calls; those that wait for a
	// place on it stay, as everything that is under way does.
	if m.going = m.going || idle || (old || k.endpoint.Gone()) && m.streams == 0; m.going && m.streams == 0 && !m.dead {
		m.codec.Close(http2.NoError)
		m.dead = true
	}
}

// closeUpstreamMuxes closes the connections of a pool that nothing is under way on; all says
// that there will be nothing any more.
func (l *multiplexed) closeUpstreamMuxes(p *pool, all bool) {
	for i := len(p.muxes) - 1; i >= 0; i-- {
		if m := p.muxes[i]; m.streams == 0 || all {
			l.closeUpstreamMux(m)
		}
	}
}
