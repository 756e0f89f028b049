package tlsconn

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

	"dyno.example/nano/wire/reactor"
	"dyno.example/nano/wire/sockets"
)

// Conn is the TLS side of a connection that a loop serves: the net.Conn below crypto/tls,
// which never blocks once the handshake is done. A read of a
// socket that has nothing says so by an error that crypto/tls doesn't hold on to:
// the next read goes on where this one was. That is not so in the handshake, which
// is therefore done elsewhere. What crypto/tls
// writes is gathered, so that the records of a message go out at once.
//
// The loop reads and writes, or whoever it has lent the connection to. When it is taken
// back both may write; mu is for that.
type Conn struct {
	TLS    *tls.Conn
	FD     int
	Early  []byte // what was read of the socket before the handshake, which begins with it
	Ending bool   // the peer is known to have closed its side: it is read until that is found
	dry    bool   // the kernel has nothing more to read
	cut    bool   // the peer's end was that of TCP
	in     records
	quota  int // bytes that may still be read of it at once

	writes atomic.Int32 // calls of write under way
	shake  *handshake   // under way; nil: none
	place  place        // among the loop's handshakes

	mu      sync.Mutex
	spare   *sync.Pool // of *[]byte
	out     *[]byte    // encrypted and not sent; nil: nothing
	sent    int        // bytes of out that the kernel has
	unasked int        // bytes of out that TLS itself says
}

// New makes the connection for the socket fd; its TLS is to be made over it and set.
// Buffers are taken from spare, of *[]byte.
func New(fd int, spare *sync.Pool) *Conn { return &Conn{FD: fd, spare: spare} }

// ErrNothingYet tells crypto/tls that reading can be tried again: it is a net.Error
// that is temporary.
var ErrNothingYet = os.ErrDeadlineExceeded

// mostUnasked bounds, in bytes, what a peer can make TLS itself say (replies to
// updates of keys) while it takes nothing: some 600 replies.
const mostUnasked = 16 << 10

var errUnasked = errors.New("the peer asks much of TLS and takes none of it")

const (
	readAtOnce = 64 << 10 // bytes of the socket
	sendAt     = 64 << 10 // bytes that are encrypted before they are sent
)

// Fill decrypts into b, which has room, what one read without TLS might have given;
// records may be tiny. err is nil if there may be more, ErrNothingYet if there is
// not, io.EOF at the end of what the client says, or fatal; n bytes came before it.
func (c *Conn) Fill(b []byte) (n int, err error) {
	c.dry, c.quota = false, readAtOnce
	for n < len(b) && err == nil {
		var more int
		more, err = c.TLS.Read(b[n:])
		if n += more; more > 0 && n < len(b) {
			c.in.used++
			if c.dry && err == nil && c.in.allUsed() {
				err = ErrNothingYet // which TLS would say, at the price of an allocation
			}
		}
	}
	if err == ErrNothingYet {
		if c.in.restart(); !c.dry {
			err = nil
		}
	}
	return n, err
}

// Deliver encrypts the parts and sends as much as the kernel takes. It returns how
// many bytes are left in out.
func (c *Conn) Deliver(parts ...[]byte) (left int, err error) {
	c.writes.Add(1)
	defer c.writes.Add(-1)
	for _, p := range parts {
		for len(p) > 0 {
			n := min(len(p), sendAt)
			if _, err := c.TLS.Write(p[:n]); err != nil {
				return 0, err
			}
			if p = p[n:]; n == sendAt {
				if _, err := c.Send(); err != nil {
					return 0, err
				}
			}
		}
	}
	return c.Send()
}

// sealAt is how much of a response is encrypted at a time, and so about how much of
// it is held for a client that takes nothing.
const sealAt = 16 << 10

// Offer encrypts of p, and sends, as much as the kernel takes and a bit more. It
// returns how much of p is done with.
func (c *Conn) Offer(p []byte) (n int, err error) {
	c.writes.Add(1)
	defer c.writes.Add(-1)
	for {
		if left, err := c.Send(); err != nil || left > 0 {
			c.trim()
			return n, err
		}
		if n == len(p) {
			return n, nil
		}
		m := min(len(p)-n, sealAt)
		if _, err := c.TLS.Write(p[n : n+m]); err != nil {
			return n, err
		}
		n += m
	}
}

// trimFrom is how many bytes of a buffer must be unused for what is left to be moved to
// another one: a client that takes nothing may do so for long.
const trimFrom = 1 << 10

// trim keeps what is left to send in no larger a buffer than it needs.
func (c *Conn) trim() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.out == nil || cap(*c.out)-(len(*c.out)-c.sent) < trimFrom {
		return
	}
	left, unasked := append([]byte(nil), (*c.out)[c.sent:]...), c.unasked
	c.release()
	c.out, c.unasked = &left, unasked
}

// Send gives the kernel what is encrypted, and returns how much it didn't take.
func (c *Conn) Send() (left int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.out == nil {
		return 0, nil
	}
	for c.sent < len(*c.out) {
		n, errno := reactor.Write(c.FD, (*c.out)[c.sent:])
		switch errno {
		case 0:
			c.sent += n
		case unix.EAGAIN:
			return len(*c.out) - c.sent, nil
		case unix.EINTR:
		default:
			return len(*c.out) - c.sent, errno
		}
	}
	c.release()
	return 0, nil
}

// Take returns what send has left, which is the caller's to send now.
func (c *Conn) Take() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := append([]byte(nil), (*c.out)[c.sent:]...)
	c.release()
	return left
}

// release gives the buffer back, unless it has grown large.
func (c *Conn) release() {
	if cap(*c.out) <= 4*sendAt {
		*c.out = (*c.out)[:0]
		c.spare.Put(c.out)
	}
	c.out, c.sent, c.unasked = nil, 0, 0
}

// Holds reports whether something is encrypted and not sent.
func (c *Conn) Holds() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out != nil
}

// Cut reports whether the connection ended without a close_notify: it may have been
// truncated on the way (RFC 8446 6.1).
func (c *Conn) Cut() bool { return c.cut }

// CloseNotify tells the peer that this is the end of what it is sent, as far as the
// kernel takes that at once. Before the handshake is done there is nothing to say.
func (c *Conn) CloseNotify() {
	if c.TLS == nil {
		return
	}
	_ = c.TLS.CloseWrite() // what it writes is gathered, which doesn't fail
	_, _ = c.Send()
}

// Read implements net.Conn for crypto/tls.
func (c *Conn) Read(p []byte) (int, error) {
	if c.shake != nil {
		return c.readShaking(p)
	}
	for !c.dry && c.quota > 0 {
		n, errno := reactor.Read(c.FD, p)
		switch {
		case errno == unix.EINTR:
		case errno == unix.EAGAIN:
			c.dry = true
		case errno != 0:
			return 0, errno
		case n == 0:
			c.cut = true
			return 0, io.EOF
		default:
			c.dry = n < len(p) && !c.Ending
			c.in.pass(p[:n])
			c.quota -= n
			return n, nil
		}
	}
	return 0, ErrNothingYet
}

// Write implements net.Conn for crypto/tls.
func (c *Conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.out == nil {
		c.out, _ = c.spare.Get().(*[]byte)
		if c.out == nil {
			c.out = new([]byte)
		}
	}
	if c.writes.Load() == 0 {
		if c.unasked += len(p); c.unasked > mostUnasked {
			return 0, errUnasked // the next response fails with it
		}
	}
	*c.out = append(*c.out, p...)
	return len(p), nil
}

// LocalAddr is for callbacks in the handshake, as is RemoteAddr. They return nil for a
// socket that has no address.
func (c *Conn) LocalAddr() net.Addr              { return sockets.Local(c.FD) }
func (c *Conn) RemoteAddr() net.Addr             { return sockets.Remote(c.FD) }
func (c *Conn) Close() error                     { return errors.ErrUnsupported } // the loop does it
func (c *Conn) SetDeadline(time.Time) error      { return nil }
func (c *Conn) SetReadDeadline(time.Time) error  { return nil }
func (c *Conn) SetWriteDeadline(time.Time) error { return nil }
