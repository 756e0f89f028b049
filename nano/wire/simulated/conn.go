//go:build linux

package simulated

import (
	"io"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// conn is a connection that a goroutine of the system has taken from a loop, with a descriptor of
// its own. One goroutine may read while another one writes.
type conn struct {
	sys           *System
	k             *Socket
	fd            int // -1: closed
	reads, writes direction
}

// direction is what a goroutine waits for.
type direction struct {
	stirred chan struct{}
	until   int64 // of the system's time; 0: no deadline
}

// Conn implements [loop.System].
func (s *System) Conn(fd int) (net.Conn, error) {
	k := s.socket(fd)
	own, err := s.describe(k)
	if err != nil {
		return nil, err
	}
	k.also++
	c := &conn{sys: s, k: k, fd: own, reads: direction{stirred: make(chan struct{}, 1)}, writes: direction{stirred: make(chan struct{}, 1)}}
	k.Stirred = c.stir
	return c, nil
}

func (c *conn) stir() {
	for _, d := range [...]*direction{&c.reads, &c.writes} {
		select {
		case d.stirred <- struct{}{}:
		default:
		}
	}
}

// try does something until it doesn't have to wait any more.
func (c *conn) try(d *direction, do func() (int, unix.Errno)) (int, error) {
	for {
		if c.fd < 0 {
			return 0, net.ErrClosed
		}
		n, errno := do()
		if errno == 0 {
			return n, nil
		}
		if errno != unix.EAGAIN {
			return 0, errno
		}
		left := time.Duration(0)
		if d.until != 0 {
			if left = time.Duration(d.until - c.sys.now); left <= 0 {
				return 0, os.ErrDeadlineExceeded
			}
		}
		c.sys.Await(d.stirred, left)
	}
}

// Read implements net.Conn.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.try(&c.reads, func() (int, unix.Errno) { return c.k.Read(b) })
	if err == nil && n == 0 && len(b) > 0 {
		err = io.EOF
	}
	return n, err
}

// Write implements net.Conn.
func (c *conn) Write(b []byte) (done int, err error) {
	for done < len(b) {
		n, err := c.try(&c.writes, func() (int, unix.Errno) { return c.k.Write(b[done:]) })
		if done += n; err != nil {
			return done, err
		}
	}
	return done, nil
}

// Close implements net.Conn.
func (c *conn) Close() error {
	if c.fd < 0 {
		return net.ErrClosed
	}
	fd := c.fd
	c.fd = -1
	c.stir()
	c.k.Stirred = nil
	c.sys.Close(fd)
	return nil
}

// SetDeadline implements net.Conn.
func (c *conn) SetDeadline(at time.Time) error {
	return c.bound(at, &c.reads, &c.writes)
}

// SetReadDeadline implements net.Conn.
func (c *conn) SetReadDeadline(at time.Time) error { return c.bound(at, &c.reads) }

// SetWriteDeadline implements net.Conn.
func (c *conn) SetWriteDeadline(at time.Time) error { return c.bound(at, &c.writes) }

// bound sets deadlines. They are of the real time of day, as whoever sets them knows no other: that
// they are some seconds ahead is what counts, and is the same each time.
func (c *conn) bound(at time.Time, of ...*direction) error {
	if c.fd < 0 {
		return net.ErrClosed
	}
	for _, d := range of {
		if d.until = 0; !at.IsZero() {
			d.until = c.sys.now + max(int64(time.Until(at).Round(time.Second)), 1)
		}
	}
	c.stir()
	return nil
}

// LocalAddr implements net.Conn.
func (c *conn) LocalAddr() net.Addr { return net.TCPAddrFromAddrPort(c.k.Local()) }

// RemoteAddr implements net.Conn.
func (c *conn) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(c.k.Remote()) }
