package netconn

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"dyno/nano/wire/reactor"
)

// Secured is the TLS side of a connection that a loop serves. The protocol is
// crypto/tls; this is the net.Conn below it, which never blocks. A read of a
// socket that has nothing says so by an error that crypto/tls doesn't hold on to:
// the next read goes on where this one was. That is not so in the handshake, which
// has therefore been done before, elsewhere. What crypto/tls
// writes is gathered, so that the records of a response go out at once.
//
// The loop reads and writes, or the handler that has the connection. When the loop
// is taken from a handler both may write; mu is for that.
type Secured struct {
	TLS   *tls.Conn
	state *tls.ConnectionState // after the handshake
	below *Conn                // what tls reads and writes: this
	FD    int
	dry   bool // the kernel has nothing more to read
	quota int  // bytes that may still be read of it at once

	writes atomic.Int32 // calls of write under way

	mu      sync.Mutex
	spare   *sync.Pool // of *[]byte
	out     *[]byte    // encrypted and not sent; nil: nothing
	sent    int        // bytes of out that the kernel has
	unasked int        // bytes of out that TLS itself says
	given   bool       // to a handler, by Hijack
}

// ErrNothingYet tells crypto/tls that reading can be tried again: it is a net.Error
// that is temporary.
var ErrNothingYet = os.ErrDeadlineExceeded

// mostUnasked bounds, in bytes, what a client can make TLS itself say (replies to
// updates of keys) while it takes nothing: some 600 replies.
const mostUnasked = 16 << 10

var errUnasked = errors.New("nano: the client asks much of TLS and takes none of it")

// NewSecured makes a connection of t, whose handshake is done over below, for the
// socket fd. The loop has limits of its own: below's guard ends. Buffers are taken from
// spare, of *[]byte.
func NewSecured(t *tls.Conn, state *tls.ConnectionState, below *Conn, fd int, spare *sync.Pool) *Secured {
	s := &Secured{TLS: t, state: state, below: below, FD: fd, spare: spare}
	below.Conn, below.Guard.Limit = s, 0
	return s
}

const (
	readAtOnce = 64 << 10 // bytes of the socket
	sendAt     = 64 << 10 // bytes that are encrypted before they are sent
)

// Fill decrypts into b, which has room, what one read without TLS might have given;
// records may be tiny. err is nil if there may be more, ErrNothingYet if there is
// not, io.EOF at the end of what the client says, or fatal; n bytes came before it.
func (s *Secured) Fill(b []byte) (n int, err error) {
	s.dry, s.quota = false, readAtOnce
	for n < len(b) && err == nil {
		var more int
		more, err = s.TLS.Read(b[n:])
		n += more
	}
	if err == ErrNothingYet && !s.dry {
		err = nil
	}
	return n, err
}

// Deliver encrypts the parts and sends as much as the kernel takes. It returns how
// many bytes are left in out.
func (s *Secured) Deliver(parts ...[]byte) (left int, err error) {
	s.writes.Add(1)
	defer s.writes.Add(-1)
	for _, p := range parts {
		for len(p) > 0 {
			n := min(len(p), sendAt)
			if _, err := s.TLS.Write(p[:n]); err != nil {
				return 0, err
			}
			if p = p[n:]; n == sendAt {
				if _, err := s.Send(); err != nil {
					return 0, err
				}
			}
		}
	}
	return s.Send()
}

// sealAt is how much of a response is encrypted at a time, and so about how much of
// it is held for a client that takes nothing.
const sealAt = 16 << 10

// Offer encrypts of p, and sends, as much as the kernel takes and a bit more. It
// returns how much of p is done with.
func (s *Secured) Offer(p []byte) (n int, err error) {
	s.writes.Add(1)
	defer s.writes.Add(-1)
	for {
		if left, err := s.Send(); err != nil || left > 0 {
			s.trim()
			return n, err
		}
		if n == len(p) {
			return n, nil
		}
		m := min(len(p)-n, sealAt)
		if _, err := s.TLS.Write(p[n : n+m]); err != nil {
			return n, err
		}
		n += m
	}
}

// trim keeps what is left to send in no larger a buffer than it needs.
func (s *Secured) trim() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out == nil || 2*(len(*s.out)-s.sent) > cap(*s.out) {
		return
	}
	left, unasked := append([]byte(nil), (*s.out)[s.sent:]...), s.unasked
	s.release()
	s.out, s.unasked = &left, unasked
}

// Send gives the kernel what is encrypted, and returns how much it didn't take.
func (s *Secured) Send() (left int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out == nil {
		return 0, nil
	}
	for s.sent < len(*s.out) {
		n, errno := reactor.Write(s.FD, (*s.out)[s.sent:])
		switch errno {
		case 0:
			s.sent += n
		case unix.EAGAIN:
			return len(*s.out) - s.sent, nil
		case unix.EINTR:
		default:
			return len(*s.out) - s.sent, errno
		}
	}
	s.release()
	return 0, nil
}

// Take returns what send has left, which is the caller's to send now.
func (s *Secured) Take() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := append([]byte(nil), (*s.out)[s.sent:]...)
	s.release()
	return left
}

// release gives the buffer back, unless it has grown large.
func (s *Secured) release() {
	if cap(*s.out) <= 4*sendAt {
		*s.out = (*s.out)[:0]
		s.spare.Put(s.out)
	}
	s.out, s.sent, s.unasked = nil, 0, 0
}

// Holds reports whether something is encrypted and not sent.
func (s *Secured) Holds() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out != nil
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

// Read implements net.Conn for crypto/tls.
func (s *Secured) Read(p []byte) (int, error) {
	for !s.dry && s.quota > 0 {
		n, errno := reactor.Read(s.FD, p)
		switch {
		case errno == unix.EINTR:
		case errno == unix.EAGAIN:
			s.dry = true
		case errno != 0:
			return 0, errno
		case n == 0:
			return 0, io.EOF
		default:
			s.dry = n < len(p)
			s.quota -= n
			return n, nil
		}
	}
	return 0, ErrNothingYet
}

// Write implements net.Conn for crypto/tls.
func (s *Secured) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out == nil {
		s.out, _ = s.spare.Get().(*[]byte)
		if s.out == nil {
			s.out = new([]byte)
		}
	}
	if s.writes.Load() == 0 {
		if s.unasked += len(p); s.unasked > mostUnasked {
			return 0, errUnasked // the next response fails with it
		}
	}
	*s.out = append(*s.out, p...)
	return len(p), nil
}

func (s *Secured) Close() error                     { return errors.ErrUnsupported } // the loop does it
func (s *Secured) LocalAddr() net.Addr              { return nil }
func (s *Secured) RemoteAddr() net.Addr             { return nil }
func (s *Secured) SetDeadline(time.Time) error      { return nil }
func (s *Secured) SetReadDeadline(time.Time) error  { return nil }
func (s *Secured) SetWriteDeadline(time.Time) error { return nil }
