package netconn

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"sync"
	"time"

	"dyno.example/nano/wire/tlsconn"
)

// Secured is the TLS side of a connection that a loop serves. What crypto/tls reads and
// writes is a [Conn], over the loop's socket until the connection is given away.
type Secured struct {
	*tlsconn.Conn
	Until int64 // the first request may come till then, also when the loop drains; on its clock

	config *tls.Config          // of the handshake, until it begins
	state  *tls.ConnectionState // after it
	below  Conn
}

// NewSecured makes a connection of the socket fd, which a handshake by config is to be
// done on. Buffers are taken from spare, of *[]byte.
func NewSecured(fd int, config *tls.Config, spare *sync.Pool) *Secured {
	s := &Secured{Conn: tlsconn.New(fd, spare), config: config}
	s.below.Conn = s.Conn
	return s
}

// Shake begins the handshake with a client, as [tlsconn.Conn.Handshake] does. A time until
// which it may take is what callbacks see as their context's deadline; the loop keeps it.
func (s *Secured) Shake(client netip.AddrPort, until time.Time, turns *tlsconn.Turns, done func(error)) {
	s.below.Client = client
	s.TLS, s.config = tls.Server(&s.below, s.config), nil
	s.Handshake(endsAt{context.Background(), until}, turns, done)
}

// endsAt is a context with a deadline that others keep.
type endsAt struct {
	context.Context
	at time.Time // zero: none
}

func (c endsAt) Deadline() (time.Time, bool) { return c.at, !c.at.IsZero() }

// Agreed takes note of what the handshake has agreed on.
func (s *Secured) Agreed() *tls.ConnectionState {
	state := s.TLS.ConnectionState()
	s.state = &state
	return s.state
}

// Connection says what the handshake has agreed on. s may be nil.
func (s *Secured) Connection() *tls.ConnectionState {
	if s == nil {
		return nil
	}
	return s.state
}

// Give makes a connection of crypto/tls out of nc, a descriptor of the same socket, which
// blocks as any other does. leave is called when it is closed.
func (s *Secured) Give(nc net.Conn, leave func()) net.Conn {
	s.below.Conn, s.below.Leave = nc, leave
	return s.TLS
}

// GiveGuarded does so for net/http, within the limit of [Guard]. unnamed is as in [Conn].
func (s *Secured) GiveGuarded(nc net.Conn, unnamed bool, limit time.Duration, leave func()) net.Conn {
	s.below.Unnamed, s.below.Guard.Limit = unnamed, limit
	return s.Give(nc, leave)
}
