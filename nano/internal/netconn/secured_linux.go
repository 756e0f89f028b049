package netconn

import (
	"crypto/tls"
	"net"
	"sync"

	"dyno.example/nano/wire/tlsconn"
)

// Secured is the TLS side of a connection that a loop serves, with what it has of the
// time before: the connection that the handshake was done over, which is counted, and
// may be given to a handler.
type Secured struct {
	*tlsconn.Conn
	state *tls.ConnectionState // after the handshake
	below *Conn                // what tls reads and writes: Conn

	mu    sync.Mutex
	given bool // to a handler, by Hijack
}

// NewSecured makes a connection of t, whose handshake is done over below, for the
// socket fd. The loop has limits of its own: below's guard ends. Buffers are taken from
// spare, of *[]byte.
func NewSecured(t *tls.Conn, state *tls.ConnectionState, below *Conn, fd int, spare *sync.Pool) *Secured {
	s := &Secured{Conn: tlsconn.New(fd, spare), state: state, below: below}
	s.TLS = t
	below.Conn, below.Guard.Limit = s.Conn, 0
	return s
}

// Connection says what the handshake has agreed on. s may be nil.
func (s *Secured) Connection() *tls.ConnectionState {
	if s == nil {
		return nil
	}
	return s.state
}

// Give makes a connection of crypto/tls out of nc, a descriptor of the same
// socket, which blocks as any other does. s may be nil: then it is nc.
func (s *Secured) Give(nc net.Conn) net.Conn {
	if s == nil {
		return nc
	}
	s.mu.Lock()
	s.given = true
	s.mu.Unlock()
	s.below.Conn = nc
	return s.TLS
}

// Leave uncounts the connection, unless it was given away: then its end does that.
func (s *Secured) Leave() {
	s.mu.Lock()
	given := s.given
	s.mu.Unlock()
	if !given {
		s.below.closed.Do(s.below.Leave)
	}
}
