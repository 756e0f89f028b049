package engine

import (
	"errors"
	"net/netip"

	"dyno.example/nano/internal/netconn"
	"dyno.example/nano/wire/http2"
	"dyno.example/nano/wire/tlsconn"
)

// opening says what may come on a connection before its first request.
type opening uint8

const (
	opensProxy   opening = 1 << iota // a header of the PROXY protocol must
	opensPreface                     // the preface of HTTP/2 may (RFC 9113 3.4)
)

// openings is how connections begin.
type openings struct {
	*loop

	handshakes tlsconn.Handshakes
}

// openingOf returns what may come first from a peer.
func (l *openings) openingOf(from netip.AddrPort) (o opening) {
	if l.config.App.AwaitsProxy(from) {
		o |= opensProxy
	}
	if l.config.H2C {
		o |= opensPreface
	}
	return o
}

// opened reads what comes before the first request and returns what follows. It
// reports false if the connection has to wait, or is no longer the loop's.
func (l *openings) opened(c *conn, b []byte) (rest []byte, ok bool) {
	if c.opening&opensProxy != 0 {
		n, ok := l.proxied(c, b)
		switch {
		case !ok:
			return nil, false
		case n == 0:
			return nil, l.waitMore(c, b)
		}
		b = b[n:]
	}
	if c.opening&opensPreface != 0 && len(b) > 0 {
		switch {
		case !netconn.Begins(b, http2.Preface):
		case len(b) < len(http2.Preface):
			return nil, l.waitMore(c, b)
		default:
			l.h2conns.begin(c)
		}
		c.opening = 0
	}
	return b, true
}

// proxied takes the header of the PROXY protocol that b begins with, n bytes; 0: the rest
// is still to come. It reports false if the connection was closed for it.
func (l *openings) proxied(c *conn, b []byte) (n int, ok bool) {
	h, n, err := netconn.ParseProxyHeader(b)
	if err == nil && n == 0 {
		return 0, true
	}
	if err == nil && h.Client.IsValid() {
		err = l.server.rename(c, h.Client)
	}
	if err != nil {
		l.transport.keep(c, nil)
		l.refuse(c, err)
		return 0, false
	}
	c.unnamed = !h.Client.IsValid()
	c.opening &^= opensProxy
	return n, true
}

// waitMore keeps the start of what opens a connection.
func (l *openings) waitMore(c *conn, b []byte) bool {
	l.transport.keep(c, b)
	l.lifecycle.settle(c)
	return false
}

// rename counts a connection as the client's, not the proxy's.
func (s *Server) rename(c *conn, client netip.AddrPort) error {
	if !s.enter(client.Addr()) {
		return errors.New("too many connections of one address")
	}
	s.forgetPeer(c.remote)
	c.remote = client
	return nil
}
