package engine

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/internal/netconn"
	eventloop "dyno.example/nano/wire/loop"
	"dyno.example/nano/wire/sockets"
	"dyno.example/nano/wire/tlsconn"
)

// How connections with TLS begin. The loop waits for a client's first bytes. The handshake
// is done beside it, on a goroutine that the loop passes the socket's events to (see
// [tlsconn.Conn.Handshake]): signatures take long, and what the application is asked in it
// (GetCertificate, VerifyConnection) may block. Then the loop reads and writes through
// [netconn.Secured].

const (
	mostHandshakes = 4096             // of a loop, under way at once
	longestTurn    = time.Millisecond // a signature takes less, mostly; callbacks block for longer
	lastGrace      = 5 * time.Second  // for the request of who does its handshake while the app shuts down, as net/http has it
)

// hello goes on with a connection whose handshake isn't done, and which may have more to
// say.
func (l *openings) hello(c *conn) {
	switch s := c.secure; {
	case s.Shaking():
		s.Ready()
		l.Yield() // the handshake has its turn before the loop waits, and keeps its processor
	case s.Queued():
	case c.opening&opensProxy != 0:
		l.helloProxied(c)
	default:
		l.greet(c)
	}
}

// helloProxied reads the header of the PROXY protocol, which TLS comes after.
func (l *openings) helloProxied(c *conn) {
	b := l.turn.scratch
	n, errno := l.Sys.Read(c.fd, b)
	switch {
	case errno == unix.EAGAIN:
		c.readable = false
		return
	case errno == unix.EINTR:
		l.more = append(l.more, c.id)
		return
	case errno != 0:
		l.refuse(c, fmt.Errorf("PROXY protocol header: %w", errno))
		return
	case n == 0:
		l.refuse(c, fmt.Errorf("PROXY protocol header: %w", io.EOF))
		return
	}
	c.readable = n == len(b)
	c.in = append(c.in, b[:n]...)
	n, ok := l.proxied(c, c.in)
	switch {
	case !ok:
	case n > 0:
		c.secure.Early, c.in = c.in[n:], nil
		l.lifecycle.await(c, phaseHello)
		if len(c.secure.Early) > 0 || c.readable || c.hungUp {
			l.greet(c)
		}
	case c.readable:
		l.more = append(l.more, c.id)
	}
}

// greet begins the handshake with a client, or has it wait until there are fewer. The time
// that it may take has begun before.
func (l *openings) greet(c *conn) {
	s := c.secure
	c.readable = true // all events are the handshake's from now on
	l.handshakes.Enter(s.Conn, func() {
		s.Shake(c.remote, l.handshakeEnds(), &l.server.handshakes, func(err error) {
			l.Hand(&message{Open: func(l *loop) { l.openings.shaken(c, s, err) }})
		})
		l.Yield()
	})
}

// handshakeEnds is when a handshake that begins now has to be done; zero: it may take any
// time.
func (l *openings) handshakeEnds() (at time.Time) {
	if d := l.config.Limits.Handshake; d > 0 {
		at = l.Sys.Wall().Add(d)
	}
	return at
}

// shaken goes on with a connection whose handshake is over, unless it was dropped
// meanwhile.
func (l *openings) shaken(c *conn, s *netconn.Secured, err error) {
	if l.Over() || c.secure != s {
		return
	}
	switch l.handshakes.Over(s.Conn, err) {
	case tlsconn.Plain:
		l.refusePlain(c)
		return
	case tlsconn.Failed:
		l.refuse(c, fmt.Errorf("TLS handshake: %w", err))
		return
	}
	state := s.Agreed()
	if s.Until = l.now + int64(eventloop.Grace); l.Draining() {
		s.Until = l.now + int64(lastGrace)
	}
	switch p := state.NegotiatedProtocol; {
	case p == "h2" && state.Version >= tls.VersionTLS12: // RFC 9113 9.2
		l.h2conns.begin(c)
	case p != "" && p != "http/1.1":
		l.giveAway(c)
		return
	}
	l.lifecycle.await(c, phaseIdle)
	l.more = append(l.more, c.id) // crypto/tls may have read a request already
}

// giveAway has net/http serve what has agreed on a protocol that loops don't speak.
func (l *openings) giveAway(c *conn) {
	nc, err := sockets.Conn(c.fd)
	if err != nil {
		l.refuse(c, err)
		return
	}
	s, server, from := c.secure, l.server, c.remote
	var left []byte
	if s.Holds() {
		left = s.Take()
	}
	_ = l.Poller.Remove(c.fd) // nc is the same socket
	given := s.GiveGuarded(nc, c.unnamed, l.config.Limits.WriteStall, func() { server.gone(from) })
	l.Sys.Close(c.fd)
	l.lifecycle.part(c)
	l.Sys.Go(func() {
		if len(left) > 0 {
			_, _ = nc.Write(left) // an error shows again
		}
		server.config.App.TakeOver(given)
	})
}

// refusePlain tells a client that it has to speak TLS.
func (l *openings) refusePlain(c *conn) {
	t := l.turn
	c.secure = nil
	t.conn, t.out = c, t.out[:0]
	l.requests.refuseWith(c, 400, tlsconn.DetailLacksTLS)
	l.transport.deliver(c)
	l.lifecycle.settle(c)
}

// late refuses a client that took too long to begin.
func (l *openings) late(c *conn) {
	if c.opening&opensProxy != 0 {
		l.refuse(c, fmt.Errorf("PROXY protocol header: %w", os.ErrDeadlineExceeded))
		return
	}
	l.refuse(c, fmt.Errorf("TLS handshake: %w", context.DeadlineExceeded))
}

// refuse closes a connection that couldn't begin, and says why in the log.
func (l *openings) refuse(c *conn, why error) {
	l.server.refusals.Log(l.log(), "connection refused", "from", c.remote, "error", why)
	l.lifecycle.drop(c)
}

// dropHello closes a connection whose handshake isn't done. One that is under way lets go
// of the socket first, beside the loop.
func (l *openings) dropHello(c *conn) {
	_ = l.Poller.Remove(c.fd) // its events would be taken for those of who has the ID next
	l.handshakes.GiveUp(c.secure.Conn)
	c.secure.Drop()
}

// fresh reports whether a connection's handshake has just been done: its client gets the
// time to send its request.
func (l *openings) fresh(c *conn) bool {
	return c.secure != nil && c.requests == 0 && l.now < c.secure.Until
}
