//go:build linux

package proxy

import (
	"crypto/tls"

	"golang.org/x/sys/unix"

	"dyno/gate/request"
	"dyno/nano/wire/tlsconn"
)

// shakeBackend begins the handshake with an endpoint. It counts as a part of connecting.
func (l *loop) shakeBackend(k *backend, config *tls.Config) {
	s := tlsconn.New(k.fd, &l.server.sealed)
	s.TLS = tls.Client(s, config)
	k.secure = s
	s.Handshake(l.server.turns, func(err error) { l.call(func(l *loop) { l.shakenBackend(k, s, err) }) })
	l.yield = true
}

// shakenBackend goes on when the handshake is over, unless the connection was given up
// meanwhile.
func (l *loop) shakenBackend(k *backend, s *tlsconn.Conn, err error) {
	if l.over.Load() || k.secure != s {
		return
	}
	s.Shaken()
	if err == nil {
		k.secured()
		if k.warming {
			k.up = true
			l.warmed(k)
		} else {
			l.usable(k)
		}
		return
	}
	l.server.untrusted.warn(l.log(), l.now, "TLS with an endpoint failed", "upstream", k.upstream.Name, "endpoint", k.endpoint.Name, "error", err)
	k.severed = true
	switch c := k.client; {
	case k.warming:
		l.notWarming(k)
		l.closeBackend(k)
	case c == nil:
		l.closeBackend(k)
	case c.x.hedge != nil:
		l.unhedge(c, k)
	default:
		l.failed(c, request.Untrusted)
	}
}

// quiet reports whether an idle connection is still good: over TLS an endpoint may send
// tickets and keys at any time, but nothing else unasked.
func (l *loop) quiet(k *backend) bool {
	for range 4 {
		switch n, _, errno := k.receive(l.said[:], k.hungUp); {
		case errno == unix.EAGAIN:
			return !k.hungUp
		case errno != unix.EINTR || n > 0:
			return false
		}
	}
	return false
}
