// Package netconn has what connections have that nano serves: a guard against clients
// that take nothing, the header of the PROXY protocol, TLS over sockets that don't
// block, and counts.
package netconn

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"
)

// Conn is a connection for net/http, below TLS.
type Conn struct {
	net.Conn
	Early  []byte         // read before and not used
	Client netip.AddrPort // what a proxy said of the client
	// Unnamed says that a proxy has sent a header that named no client.
	Unnamed bool
	closed  sync.Once
	Leave   func() // when it is closed; may be nil
	Guard   Guard
}

func (c *Conn) Read(p []byte) (int, error) {
	if len(c.Early) > 0 {
		n := copy(p, c.Early)
		c.Early = c.Early[n:]
		return n, nil
	}
	return c.Conn.Read(p)
}

// Write fails when the client takes nothing for the guard's time.
func (c *Conn) Write(p []byte) (n int, err error) {
	for {
		if err := c.Guard.arm(c.Conn); err != nil {
			return n, err
		}
		m, err := c.Conn.Write(p[n:])
		n += m
		if m == 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
	}
}

// ReadFrom lets files go out by sendfile. How long that takes says nothing about
// the client, so it is not guarded.
func (c *Conn) ReadFrom(r io.Reader) (int64, error) {
	if err := c.Guard.rest(c.Conn); err != nil {
		return 0, err
	}
	return io.Copy(c.Conn, r)
}

func (c *Conn) SetDeadline(t time.Time) error {
	c.Guard.give(t)
	return c.Conn.SetDeadline(t)
}

func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.Guard.give(t)
	return c.Conn.SetWriteDeadline(t)
}

func (c *Conn) RemoteAddr() net.Addr {
	if c.Client.IsValid() {
		return net.TCPAddrFromAddrPort(c.Client)
	}
	if a := c.Conn.RemoteAddr(); a != nil {
		return a
	}
	return &net.UnixAddr{Net: "unix"}
}

func (c *Conn) Close() error {
	c.closed.Do(func() {
		if c.Leave != nil {
			c.Leave()
		}
	})
	return c.Conn.Close()
}

// Handshake does that of TLS, as its server, within the limit; 0 or less: none.
func (c *Conn) Handshake(config *tls.Config, limit time.Duration) (net.Conn, error) {
	ctx := context.Background()
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	t := tls.Server(c, config)
	if err := t.HandshakeContext(ctx); err != nil {
		return nil, fmt.Errorf("TLS handshake: %w", err)
	}
	return t, nil
}

// What a client that is refused may still send, so that it reads why: bytes and time.
const (
	refusedBytes = 256 << 10
	refusedTime  = 500 * time.Millisecond
)

// Refuse sends a last response and closes the connection, its writing side first:
// unread bytes of the client's would make the close a reset, which can overtake the
// response.
func (c *Conn) Refuse(response []byte) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(refusedTime)) // fails if it is closed
	if _, err := c.Write(response); err != nil {
		return
	}
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		_, _ = io.CopyN(io.Discard, c.Conn, refusedBytes)
	}
}

// ReadProxy reads the header of the PROXY protocol, within the limit.
func (c *Conn) ReadProxy(limit time.Duration) error {
	if limit > 0 {
		c.SetReadDeadline(time.Now().Add(limit))
		defer c.SetReadDeadline(time.Time{})
	}
	b := make([]byte, 0, 512)
	for {
		h, n, err := ParseProxyHeader(b)
		if err != nil {
			return err
		}
		if n > 0 {
			c.Early, c.Client, c.Unnamed = b[n:], h.Client, !h.Client.IsValid()
			return nil
		}
		if len(b) == cap(b) {
			b = append(b, make([]byte, len(b))...)[:len(b)]
		}
		n, err = c.Conn.Read(b[len(b):cap(b)])
		if b = b[:len(b)+n]; err != nil && n == 0 {
			return fmt.Errorf("PROXY protocol header: %w", err)
		}
	}
}

// AddrOf returns the address of a TCP peer; not valid for others.
func AddrOf(a net.Addr) netip.AddrPort {
	if t, ok := a.(*net.TCPAddr); ok {
		p := t.AddrPort()
		return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
	}
	return netip.AddrPort{}
}
