//go:build linux

package proxy

import (
	"context"
	"crypto/tls"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/reactor"
	"dyno.example/nano/wire/tlsconn"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/secure"
)

// The handshakes of clients are done on goroutines of their own (see
// [tlsconn.Conn.Handshake]), each from the first byte on, and not more at once than
// client.handshakes: the others wait for their turn, within the same time limit.

var replyNoTLS = request.Refuse(400, tlsconn.DetailLacksTLS, "").For(request.RefusedClear)

// helloEvent takes an event of a client whose handshake isn't done.
func (l *downstream) helloEvent(c *client, e *reactor.Event) {
	c.hungUp = c.hungUp || e.Ending()
	switch {
	case c.state == stateShake:
		l.goOnShaking(c.secure)
	case e.Failed():
		l.exchanges.drop(c)
	case c.state == stateHello && e.Readable():
		c.secure = tlsconn.New(c.fd, &l.server.sealed)
		if !l.handshakes.Enter(c.secure, func() { l.shake(c) }) {
			enter(l.loop, c, stateTurn)
		}
	}
}

// mostShaking is how many handshakes the loop has under way at most.
func (l *downstream) mostShaking() int { return l.snap.Config.Client.Handshakes / len(l.server.loops) }

// shake begins a client's handshake. Its time limit goes on.
func (l *downstream) shake(c *client) {
	enter(l.loop, c, stateShake)
	s, config := c.secure, c.greeting.Config()
	s.TLS, c.vouching = tls.Server(s, config), config.ClientCAs
	s.Handshake(context.Background(), &l.server.turns, func(err error) { l.call(func(l *loop) { l.downstream.shaken(c, s, err) }) })
	l.Yield()
}

// goOnShaking passes a handshake its socket's events. It has its turn before the loop
// waits: a wait may keep the processor.
func (l *downstream) goOnShaking(s *tlsconn.Conn) {
	s.Ready()
	l.Yield()
}

// shaken goes on with a client whose handshake is over, unless it was dropped meanwhile.
func (l *downstream) shaken(c *client, s *tlsconn.Conn, err error) {
	defer l.survive(clientEvent(c.id))
	if l.Over() || c.secure != s {
		return
	}
	switch l.handshakes.Over(s, err) {
	case tlsconn.Plain:
		enter(l.loop, c, stateHead)
		c.secure = nil
		l.heads.turnAway(c, replyNoTLS)
		return
	case tlsconn.Failed:
		l.server.refused.Warn(l.log(), l.now, "a TLS handshake failed", "from", c.peer, "error", err)
		c.severed = true
		l.exchanges.drop(c)
		return
	}
	c.secured()
	state := s.TLS.ConnectionState()
	c.protocol, c.greeted = state.NegotiatedProtocol, l.now
	if c.protocol == secure.ProtocolACME { // the handshake was all
		l.exchanges.drop(c)
		return
	}
	if len(state.VerifiedChains) > 0 {
		c.certificate, c.shown = request.NewCertificate(state.PeerCertificates[0]), state.PeerCertificates
	}
	c.readable = true // TLS may have read a request already
	l.deadlines.await(c, stateIdle)
	l.later(c)
}

// endHello ends the waiting of a client that is dropped before its handshake is done. Who
// has said nothing hasn't failed.
func (l *downstream) endHello(c *client) {
	enter(l.loop, c, stateGone)
	if c.secure != nil {
		l.handshakes.GiveUp(c.secure)
	}
}

// hasMoreSecured reads what a client has sent before it closed its side: only that says
// whether there was anything but the end. It is one more request, which waits for its
// turn.
func (l *downstream) hasMoreSecured(c *client) bool {
	n, more, errno := c.receive(l.Sys, l.scratch, true)
	if errno == unix.EAGAIN || errno == unix.EINTR {
		return true
	}
	c.readable = more
	c.in = append(c.in, l.scratch[:n]...)
	return n > 0
}

// shakeBackend begins the handshake with an endpoint. It counts as a part of connecting.
func (l *downstream) shakeBackend(k *connection, config *tls.Config) {
	s := tlsconn.New(k.fd, &l.server.sealed)
	if k.single {
		config = config.Clone()
		config.NextProtos = []string{"http/1.1"}
	}
	s.TLS = tls.Client(s, config)
	k.secure = s
	s.Handshake(context.Background(), &l.server.turns, func(err error) { l.call(func(l *loop) { l.downstream.shakenBackend(k, s, err) }) })
	l.Yield()
}

// shakenBackend goes on when the handshake is over, unless the connection was given up
// meanwhile.
func (l *downstream) shakenBackend(k *connection, s *tlsconn.Conn, err error) {
	defer l.survive(connectionEvent(k.id))
	if l.Over() || k.secure != s {
		return
	}
	s.Shaken()
	if err == nil {
		k.secured()
		l.multiplexed.agreed(k, s.TLS.ConnectionState().NegotiatedProtocol)
		return
	}
	l.server.untrusted.Warn(l.log(), l.now, "TLS with an endpoint failed", "upstream", k.upstream.Name, "endpoint", k.endpoint.Name, "error", err)
	k.severed = true
	switch c := k.client; {
	case k.warming:
		l.pools.notWarming(k)
		l.pools.closeConnection(k)
	case k.mux != nil:
		k.mux.broken, k.mux.why = true, request.Untrusted
		l.muxes.touch(k.mux)
	case c == nil:
		l.pools.closeConnection(k)
	default:
		l.attempts.ends(c, &k.backend, loss{why: request.Untrusted})
	}
}

// quiet reports whether an idle connection is still good: over TLS an endpoint may send
// tickets and keys at any time, but nothing else unasked.
func (l *downstream) quiet(k *connection) bool {
	for range 4 {
		switch n, _, errno := k.receive(l.Sys, l.said[:], k.hungUp); {
		case errno == unix.EAGAIN:
			return !k.hungUp
		case errno != unix.EINTR || n > 0:
			return false
		}
	}
	return false
}
