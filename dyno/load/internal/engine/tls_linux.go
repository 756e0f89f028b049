package engine

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"os"
	"time"

	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/clock"
)

// secured is the TLS side of a connection of the event loop. The protocol is
// crypto/tls; this is the net.Conn below it, which never blocks: what is to be sent is
// gathered in out, and reading from an empty in says that there is nothing yet.
// crypto/tls goes on where it was after such a result, except in the handshake, which
// must run to its end: that is a coroutine on the loop's own thread, resumed whenever
// bytes have come.
type secured struct {
	tls    *tls.Conn
	in     []byte              // came and not read yet; the backend's bytes
	out    []byte              // to be sent; nil after it was queued
	sent   []byte              // queued last
	kept   [][]byte            // queued before that: the kernel may not have read it yet
	turn   uint64              // when sent was queued
	now    *uint64             // the loop's turn
	partly bool                // the kernel has yet to take a part of sent
	wait   func(struct{}) bool // in the handshake: gives the thread back to the loop

	resume func() (struct{}, bool) // runs the handshake on
	stop   func()                  // ends it
	err    error                   // of the handshake
	began  int64
}

// errNothingYet tells crypto/tls that reading can be tried again.
var errNothingYet net.Error = os.ErrDeadlineExceeded.(net.Error)

var errStopped = errors.New("the connection was given up in its TLS handshake")

// Read implements net.Conn for crypto/tls.
func (s *secured) Read(p []byte) (int, error) {
	for len(s.in) == 0 {
		switch {
		case s.wait == nil:
			return 0, errNothingYet
		case !s.wait(struct{}{}):
			return 0, errStopped
		}
	}
	n := copy(p, s.in)
	s.in = s.in[n:]
	return n, nil
}

// Write implements net.Conn for crypto/tls.
func (s *secured) Write(p []byte) (int, error) {
	if s.out == nil {
		if s.partly || s.turn == *s.now {
			s.kept = append(s.kept, s.sent)
		} else {
			s.out, s.kept = s.sent[:0], nil
		}
	}
	s.out = append(s.out, p...)
	return len(p), nil
}

func (s *secured) Close() error                     { return nil }
func (s *secured) LocalAddr() net.Addr              { return nil }
func (s *secured) RemoteAddr() net.Addr             { return nil }
func (s *secured) SetDeadline(time.Time) error      { return nil }
func (s *secured) SetReadDeadline(time.Time) error  { return nil }
func (s *secured) SetWriteDeadline(time.Time) error { return nil }

// encryption is TLS on the loop's connections.
type encryption struct {
	*eventLoop

	plain []byte // what was decrypted; shared by all connections
}

// handshake begins the TLS handshake of a connection that has come up.
func (l *encryption) handshake(id int32) {
	c := &l.conns[id]
	s := &secured{began: clock.Now(), now: &l.turn}
	s.tls = tls.Client(s, l.TLS)
	s.resume, s.stop = iter.Pull(func(yield func(struct{}) bool) {
		s.wait = yield
		s.err = s.tls.Handshake()
		s.wait = nil
	})
	c.secured, c.state = s, securing
	l.shakeHands(id)
}

// shakeHands runs the handshake as far as it gets with what has come.
func (l *encryption) shakeHands(id int32) {
	c := &l.conns[id]
	s := c.secured
	_, more := s.resume()
	if !l.flush(id) || more {
		return
	}
	if s.err != nil {
		l.connector.connectFailed(id, fmt.Errorf("TLS handshake: %w", s.err))
		return
	}
	state := s.tls.ConnectionState()
	if err := spoken(&state, l.Link.Protocol()); err != nil {
		l.connector.connectFailed(id, err)
		return
	}
	if l.rec != nil {
		l.rec.secured(clock.Now()-s.began, state.DidResume)
	}
	l.connector.established(id)
}

// flush sends what crypto/tls has written, once the kernel has all of what was sent
// before. It reports whether the connection is still the same.
func (l *encryption) flush(id int32) bool {
	c := &l.conns[id]
	if len(c.secured.out) == 0 || len(c.unsent) > 0 {
		return true
	}
	gen := c.gen
	if l.rec != nil {
		l.rec.BytesOut += uint64(len(c.secured.out))
	}
	c.unsent = l.queue(c.secured)
	l.backend.send(id)
	return c.gen == gen && c.state != down
}

// encrypt turns the request that is to be sent into its records.
func (l *encryption) encrypt(c *conn) {
	s := c.secured
	if _, err := s.tls.Write(c.unsent); err != nil {
		panic("load: writing to memory failed: " + err.Error())
	}
	c.unsent = l.queue(s)
	l.now = clock.Now()
}

// handedOver is called when the kernel has taken all of what was sent.
func (l *eventLoop) handedOver(id int32) {
	if s := l.conns[id].secured; s != nil {
		s.partly = false
		l.encryption.flush(id)
	}
	if l.mux != nil {
		l.mux.flush(id)
	}
	if l.tunnel != nil {
		l.tunnel.flush(id)
	}
}

// queue returns what is to be sent. It stays as it is until the loop's next turn.
func (l *encryption) queue(s *secured) []byte {
	s.sent, s.out, s.turn = s.out, nil, l.turn
	return s.sent
}

// decrypt takes bytes that came on a TLS connection.
func (l *encryption) decrypt(id int32, data []byte) {
	c := &l.conns[id]
	gen, s := c.gen, c.secured
	s.in, s.partly = data, len(c.unsent) > 0
	if c.state == securing {
		l.shakeHands(id)
	}
	for c.gen == gen && c.state > securing {
		n, err := s.tls.Read(l.plain)
		if n > 0 {
			l.takeResponses(id, l.plain[:n])
			continue
		}
		switch {
		case err == nil:
		case errors.Is(err, os.ErrDeadlineExceeded):
			l.flush(id) // a response of the TLS protocol itself
			return
		case errors.Is(err, io.EOF):
			l.ended(id)
			return
		default:
			l.broke(id, i18n.Join("TLS: ", err.Error()))
			return
		}
	}
}
