package engine

import (
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/tlsconn"
)

// How a loop serves over TLS, after the handshake: through [netconn.Secured].

// readSecured is read for a connection with TLS.
func (l *transport) readSecured(c *conn) (mine bool) {
	if c.phase == phaseHello {
		l.openings.hello(c)
		return true
	}
	b, s := l.turn.scratch, c.secure
	n, err := s.Fill(b)
	_, _ = s.Send() // what TLS itself has to say; an error shows again
	switch c.readable = err == nil; err {
	case nil:
	case tlsconn.ErrNothingYet:
		c.ending = c.ending || c.hungUp
	case io.EOF:
		c.ending = true
	default: // after an alert of ours no response goes out
		c.ending, c.cut = true, true
	}
	if (n > 0 || c.ending) && !l.receive(c, b[:n]) {
		return false
	}
	if c.fd < 0 || c.away != nil {
		return true
	}
	if s.Holds() {
		if l.deliverSecured(c, nil); len(c.out) > 0 || c.cut {
			l.lifecycle.settle(c)
		}
	}
	if c.readable && c.fd >= 0 {
		l.more = append(l.more, c.id)
	}
	return true
}

// deliverSecured encrypts what is for c and gives it to the kernel. What that
// doesn't take is kept with the connection, encrypted. What a handler sends that
// has the connection is its own.
func (l *transport) deliverSecured(c *conn, out []byte) {
	if c.away != nil {
		return
	}
	left, err := c.secure.Deliver(out)
	switch {
	case err != nil:
		c.closing, c.cut = true, true
	case left > 0:
		c.out, c.sent = c.secure.Take(), 0
	}
}

// closeNotify tells a client with TLS that this is the end (RFC 8446 6.1), as far
// as the kernel takes it at once. A response that was cut ends without it.
func (c *conn) closeNotify() {
	if c.secure == nil || c.cut || len(c.out) > 0 {
		return
	}
	c.secure.CloseNotify()
}

// What a handler does over TLS that has its connection to itself: see
// away_linux.go.

// receive reads from the client. errno and n == 0 are as in reactor.Read; EPROTO
// is a violation of TLS.
func (t *turn) receive(p []byte) (n int, errno unix.Errno) {
	s := t.conn.secure
	if s == nil {
		return t.loop.Sys.Read(t.fd, p)
	}
	n, err := s.Fill(p)
	_, _ = s.Send() // what TLS itself has to say; an error shows again
	switch {
	case n > 0 || err == io.EOF:
		return n, 0
	case err == tlsconn.ErrNothingYet:
		return 0, unix.EAGAIN
	case err == nil:
		return 0, unix.EINTR // try again
	}
	return 0, unix.EPROTO
}

// pushSecured encrypts what there is, and body, and sends what the kernel takes.
// It returns how much is left, encrypted.
func (t *turn) pushSecured(body []byte) (left int, err error) {
	t.mu.Lock()
	t.ready = nil // from now on only the handler sends
	t.mu.Unlock()
	left, err = t.conn.secure.Deliver(t.out[t.sent:], body)
	t.out, t.sent = t.out[:0], 0
	if err != nil {
		t.broke()
	}
	return left, err
}

// sendFileSecured sends a part of an open file, which has to be read for that. It
// blocks while the client is slow, without the loop.
func (t *turn) sendFileSecured(f *os.File, offset, length int64) error {
	buf := copyBuffers.Get().(*[]byte)
	defer copyBuffers.Put(buf)
	for length > 0 {
		n, err := f.ReadAt((*buf)[:min(length, int64(len(*buf)))], offset)
		if n == 0 {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF // the file has become shorter
			}
			return err
		}
		left, err := t.pushSecured((*buf)[:n])
		if err == nil && left > 0 {
			err = t.Flush(nil)
		}
		if err != nil {
			return err
		}
		offset, length = offset+int64(n), length-int64(n)
		t.reply.Left -= int64(n)
	}
	return nil
}

// copyBuffers are for files that are read to be encrypted.
var copyBuffers = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}
