package nano

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

// secured is the TLS side of a connection that a loop serves. The protocol is
// crypto/tls; this is the net.Conn below it, which never blocks. A read of a
// socket that has nothing says so by an error that crypto/tls doesn't hold on to:
// the next read goes on where this one was. That is not so in the handshake, which
// has therefore been done before, elsewhere (tls_loop_linux.go). What crypto/tls
// writes is gathered, so that the records of a response go out at once.
//
// The loop reads and writes, or the handler that has the connection. When the loop
// is taken from a handler both may write; mu is for that.
type secured struct {
	tls   *tls.Conn
	state *tls.ConnectionState // after the handshake
	below *stdConn             // what tls reads and writes: this
	fd    int
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

// errNothingYet tells crypto/tls that reading can be tried again: it is a net.Error
// that is temporary.
var errNothingYet = os.ErrDeadlineExceeded

// mostUnasked bounds, in bytes, what a client can make TLS itself say (replies to
// updates of keys) while it takes nothing: some 600 replies.
const mostUnasked = 16 << 10

var errUnasked = errors.New("nano: the client asks much of TLS and takes none of it")

// fill decrypts into b, which has room, what one read without TLS might have given;
// records may be tiny. err is nil if there may be more, errNothingYet if there is
// not, io.EOF at the end of what the client says, or fatal; n bytes came before it.
func (s *secured) fill(b []byte) (n int, err error) {
	s.dry, s.quota = false, readBuffer
	for n < len(b) && err == nil {
		var more int
		more, err = s.tls.Read(b[n:])
		n += more
	}
	if err == errNothingYet && !s.dry {
		err = nil
	}
	return n, err
}

// write encrypts the parts and sends as much as the kernel takes. It returns how
// many bytes are left in out.
func (s *secured) write(parts ...[]byte) (left int, err error) {
	s.writes.Add(1)
	defer s.writes.Add(-1)
	for _, p := range parts {
		for len(p) > 0 {
			n := min(len(p), flushAt)
			if _, err := s.tls.Write(p[:n]); err != nil {
				return 0, err
			}
			if p = p[n:]; n == flushAt {
				if _, err := s.send(); err != nil {
					return 0, err
				}
			}
		}
	}
	return s.send()
}

// sealAt is how much of a response is encrypted at a time, and so about how much of
// it is held for a client that takes nothing.
const sealAt = 16 << 10

// offer encrypts of p, and sends, as much as the kernel takes and a bit more. It
// returns how much of p is done with.
func (s *secured) offer(p []byte) (n int, err error) {
	s.writes.Add(1)
	defer s.writes.Add(-1)
	for {
		if left, err := s.send(); err != nil || left > 0 {
			s.trim()
			return n, err
		}
		if n == len(p) {
			return n, nil
		}
		m := min(len(p)-n, sealAt)
		if _, err := s.tls.Write(p[n : n+m]); err != nil {
			return n, err
		}
		n += m
	}
}

// trim keeps what is left to send in no larger a buffer than it needs.
func (s *secured) trim() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out == nil || 2*(len(*s.out)-s.sent) > cap(*s.out) {
		return
	}
	left, unasked := append([]byte(nil), (*s.out)[s.sent:]...), s.unasked
	s.release()
	s.out, s.unasked = &left, unasked
}

// send gives the kernel what is encrypted, and returns how much it didn't take.
func (s *secured) send() (left int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out == nil {
		return 0, nil
	}
	for s.sent < len(*s.out) {
		n, errno := reactor.Write(s.fd, (*s.out)[s.sent:])
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

// take returns what send has left, which is the caller's to send now.
func (s *secured) take() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := append([]byte(nil), (*s.out)[s.sent:]...)
	s.release()
	return left
}

// release gives the buffer back, unless it has grown large.
func (s *secured) release() {
	if cap(*s.out) <= 4*flushAt {
		*s.out = (*s.out)[:0]
		s.spare.Put(s.out)
	}
	s.out, s.sent, s.unasked = nil, 0, 0
}

// holds reports whether something is encrypted and not sent.
func (s *secured) holds() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out != nil
}

// connection says what the handshake has agreed on. s may be nil.
func (s *secured) connection() *tls.ConnectionState {
	if s == nil {
		return nil
	}
	return s.state
}

// give makes a connection of crypto/tls out of nc, a descriptor of the same
// socket, which blocks as any other does. s may be nil: then it is nc.
func (s *secured) give(nc net.Conn) net.Conn {
	if s == nil {
		return nc
	}
	s.mu.Lock()
	s.given = true
	s.mu.Unlock()
	s.below.Conn = nc
	return s.tls
}

// leave uncounts the connection, unless it was given away: then its end does that.
func (s *secured) leave() {
	s.mu.Lock()
	given := s.given
	s.mu.Unlock()
	if !given {
		s.below.closed.Do(s.below.leave)
	}
}

// Read implements net.Conn for crypto/tls.
func (s *secured) Read(p []byte) (int, error) {
	for !s.dry && s.quota > 0 {
		n, errno := reactor.Read(s.fd, p)
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
	return 0, errNothingYet
}

// Write implements net.Conn for crypto/tls.
func (s *secured) Write(p []byte) (int, error) {
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

func (s *secured) Close() error                     { return errors.ErrUnsupported } // the loop does it
func (s *secured) LocalAddr() net.Addr              { return nil }
func (s *secured) RemoteAddr() net.Addr             { return nil }
func (s *secured) SetDeadline(time.Time) error      { return nil }
func (s *secured) SetReadDeadline(time.Time) error  { return nil }
func (s *secured) SetWriteDeadline(time.Time) error { return nil }
