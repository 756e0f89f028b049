//go:build linux

package proxy

import (
	"errors"
	"io"

	"golang.org/x/sys/unix"

	eventloop "dyno.example/nano/wire/loop"
	"dyno.example/nano/wire/tlsconn"
)

// socket is a connection to a client or an endpoint: its descriptor, TLS over it if
// there is, and what the peer hasn't taken yet.
type socket struct {
	fd      int           // -1: closed
	secure  *tlsconn.Conn // nil: without TLS
	severed bool          // what it was sent isn't whole: TLS must not say that this is the end
	out     outbox
}

// secured makes TLS, whose handshake is done, what the socket is read and written
// through.
func (s *socket) secured() {
	s.out.secure = s.secure
	s.out.noteSealed(s.secure.Send())
}

// receive reads once. more says that there may be more to read; 0 bytes without an
// error are the end of what the peer sends. ending says that it is known to have closed
// its side. The error is EAGAIN when there is nothing, EINTR to try again.
func (s *socket) receive(sys eventloop.System, b []byte, ending bool) (n int, more bool, errno unix.Errno) {
	if s.secure == nil {
		n, errno = sys.Read(s.fd, b)
		return n, n == len(b) || n > 0 && ending, errno
	}
	s.secure.Ending = ending
	n, err := s.secure.Fill(b)
	s.out.noteSealed(s.secure.Send()) // what TLS itself has to say; an error shows again
	switch {
	case err == nil && n == 0:
		return 0, true, unix.EINTR
	case n > 0: // what is wrong shows with the next read
		return n, err != tlsconn.ErrNothingYet, 0
	case err == tlsconn.ErrNothingYet:
		return 0, false, unix.EAGAIN
	case err == io.EOF:
		return 0, false, 0
	}
	return 0, false, errnoOf(err)
}

// cutOff reports whether the end of what the peer sends may be another's doing: over TLS
// the peer must announce it (RFC 9112 9.8).
func (s *socket) cutOff() bool { return s.secure != nil && s.secure.Cut() }

// errnoOf is the socket's error, or EPROTO for one of TLS.
func errnoOf(err error) unix.Errno {
	errno := unix.EPROTO
	errors.As(err, &errno)
	return errno
}

// closeWrite signals the peer that nothing more will be sent.
func (s *socket) closeWrite(sys eventloop.System) {
	s.sayEnd()
	sys.CloseWrite(s.fd)
}

func (s *socket) sayEnd() {
	if s.secure != nil && !s.secure.Shaking() && !s.severed && s.out.empty() {
		s.secure.CloseNotify()
	}
}

// close closes it. A handshake that is under way lets go of it first, on its own goroutine.
func (s *socket) close(sys eventloop.System, from eventloop.Poller) {
	s.sayEnd()
	switch {
	case s.secure == nil:
		sys.Close(s.fd)
	case s.secure.Shaking():
		_ = from.Remove(s.fd) // its events would be taken for those of the next owner of the ID
		s.secure.Drop()
	default:
		s.secure.Drop()
	}
	s.fd, s.secure, s.out.secure, s.out.held = -1, nil, nil, false
}

// outbox is what a peer hasn't taken yet. It is filled only from one read at a time,
// which waits until it is empty again: it holds no more than a read buffer and a head.
// With TLS it is kept there, encrypted.
type outbox struct {
	b      []byte
	sent   int
	secure *tlsconn.Conn // nil: without TLS
	held   bool          // secure keeps something
}

func (o *outbox) empty() bool { return o.sent == len(o.b) && !o.held }

// noteSealed notes how much secure keeps. It gives EAGAIN if that is something, 0 or the
// error.
func (o *outbox) noteSealed(left int, err error) unix.Errno {
	o.held = left > 0
	switch {
	case err != nil:
		return errnoOf(err)
	case o.held:
		return unix.EAGAIN
	}
	return 0
}

// keptOutbox is how large a buffer is kept for the next time.
const keptOutbox = 4 << 10

// trim gives a buffer back that is larger than is kept. It must be empty.
func (o *outbox) trim() {
	if cap(o.b) > keptOutbox {
		o.b = nil
	}
}

// flush sends what there is. It gives 0 when all is sent, EAGAIN when the peer doesn't
// take more now, or the socket's error.
func (o *outbox) flush(sys eventloop.System, fd int) unix.Errno {
	if o.secure != nil {
		return o.noteSealed(o.secure.Send())
	}
	for o.sent < len(o.b) {
		n, errno := sys.Write(fd, o.b[o.sent:])
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 {
			return errno
		}
		o.sent += n
	}
	o.b, o.sent = o.b[:0], 0
	o.trim()
	return 0
}

// write sends head and then data, or keeps what the peer doesn't take. It gives the
// socket's error, never EAGAIN.
func (o *outbox) write(sys eventloop.System, fd int, head, data []byte) unix.Errno {
	if o.secure != nil {
		if errno := o.noteSealed(o.secure.Deliver(head, data)); errno != unix.EAGAIN {
			return errno
		}
		return 0
	}
	if !o.empty() {
		o.b = append(append(o.b, head...), data...)
		return 0
	}
	n, errno := 0, unix.Errno(0)
	for {
		if len(data) == 0 {
			n, errno = sys.Write(fd, head)
		} else if len(head) == 0 {
			n, errno = sys.Write(fd, data)
		} else {
			n, errno = sys.Write2(fd, head, data)
		}
		if errno != unix.EINTR {
			break
		}
	}
	switch {
	case errno == unix.EAGAIN:
		n = 0
	case errno != 0:
		return errno
	}
	if n == len(head)+len(data) {
		return 0
	}
	if n < len(head) {
		o.b = append(o.b, head[n:]...)
		n = 0
	} else {
		n -= len(head)
	}
	o.b = append(o.b, data[n:]...)
	return 0
}

func (o *outbox) reset() { o.b, o.sent, o.held = o.b[:0], 0, false }
