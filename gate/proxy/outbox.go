//go:build linux

package proxy

import (
	"golang.org/x/sys/unix"

	"dyno/nano/wire/reactor"
	"dyno/nano/wire/tlsconn"
)

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

// flush sends what there is. It gives 0 when all is sent, EAGAIN when the peer doesn't
// take more now, or the socket's error.
func (o *outbox) flush(fd int) unix.Errno {
	if o.secure != nil {
		return o.noteSealed(o.secure.Send())
	}
	for o.sent < len(o.b) {
		n, errno := reactor.Write(fd, o.b[o.sent:])
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 {
			return errno
		}
		o.sent += n
	}
	o.b, o.sent = o.b[:0], 0
	if cap(o.b) > keptOutbox {
		o.b = nil
	}
	return 0
}

// write sends head and then data, or keeps what the peer doesn't take. It gives the
// socket's error, never EAGAIN.
func (o *outbox) write(fd int, head, data []byte) unix.Errno {
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
			n, errno = reactor.Write(fd, head)
		} else if len(head) == 0 {
			n, errno = reactor.Write(fd, data)
		} else {
			n, errno = reactor.Write2(fd, head, data)
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
