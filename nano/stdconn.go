package nano

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
	"sync/atomic"
	"time"
)

// stdConn is a connection for net/http, below TLS.
type stdConn struct {
	net.Conn
	early  []byte         // read before and not used
	client netip.AddrPort // what a proxy said of the client
	closed sync.Once
	leave  func() // when it is closed
	stall  stallGuard
}

func (c *stdConn) Read(p []byte) (int, error) {
	if len(c.early) > 0 {
		n := copy(p, c.early)
		c.early = c.early[n:]
		return n, nil
	}
	return c.Conn.Read(p)
}

// Write fails when the client takes nothing for the guard's time.
func (c *stdConn) Write(p []byte) (n int, err error) {
	for {
		if err := c.stall.arm(c.Conn); err != nil {
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
func (c *stdConn) ReadFrom(r io.Reader) (int64, error) {
	if err := c.stall.rest(c.Conn); err != nil {
		return 0, err
	}
	return io.Copy(c.Conn, r)
}

func (c *stdConn) SetDeadline(t time.Time) error {
	c.stall.give(t)
	return c.Conn.SetDeadline(t)
}

func (c *stdConn) SetWriteDeadline(t time.Time) error {
	c.stall.give(t)
	return c.Conn.SetWriteDeadline(t)
}

func (c *stdConn) RemoteAddr() net.Addr {
	if c.client.IsValid() {
		return net.TCPAddrFromAddrPort(c.client)
	}
	return c.Conn.RemoteAddr()
}

func (c *stdConn) Close() error {
	c.closed.Do(c.leave)
	return c.Conn.Close()
}

// prepare does what comes before the first request.
func (c *stdConn) prepare(a *App, config *tls.Config) (net.Conn, error) {
	if a.awaitsProxy(addrOf(c.Conn.RemoteAddr())) {
		if err := c.readProxy(a.config.Limits.ReadHead); err != nil {
			return nil, err
		}
	}
	if config == nil {
		return c, nil
	}
	ctx := context.Background()
	if d := a.config.Limits.Handshake; d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	t := tls.Server(c, config)
	if err := t.HandshakeContext(ctx); err != nil {
		return nil, fmt.Errorf("TLS handshake: %w", err)
	}
	return t, nil
}

// readProxy reads the header of the PROXY protocol.
func (c *stdConn) readProxy(limit time.Duration) error {
	if limit > 0 {
		c.SetReadDeadline(time.Now().Add(limit))
		defer c.SetReadDeadline(time.Time{})
	}
	b := make([]byte, 0, 512)
	for {
		h, n, err := parseProxyHeader(b)
		if err != nil {
			return err
		}
		if n > 0 {
			c.early, c.client = b[n:], h.client
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

// addrOf returns the address of a TCP peer; not valid for others.
func addrOf(a net.Addr) netip.AddrPort {
	if t, ok := a.(*net.TCPAddr); ok {
		p := t.AddrPort()
		return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
	}
	return netip.AddrPort{}
}

// arrivals is a listener that gives out connections that are ready.
type arrivals struct {
	ready  chan net.Conn
	closed chan struct{}
	once   sync.Once
	used   atomic.Bool
}

func newArrivals() *arrivals {
	return &arrivals{ready: make(chan net.Conn), closed: make(chan struct{})}
}

// put waits until the connection is taken, and closes it if nobody will.
func (q *arrivals) put(c net.Conn) {
	q.used.Store(true)
	select {
	case q.ready <- c:
	case <-q.closed:
		c.Close()
	}
}

func (q *arrivals) Accept() (net.Conn, error) {
	select {
	case c := <-q.ready:
		return c, nil
	case <-q.closed:
		return nil, net.ErrClosed
	}
}

func (q *arrivals) Close() error {
	q.once.Do(func() { close(q.closed) })
	return nil
}

func (q *arrivals) Addr() net.Addr {
	return &net.UnixAddr{Net: "unix", Name: "nano" + string(os.PathSeparator) + "arrivals"}
}

// gate counts connections. 0 or less: no limit.
type gate struct {
	most, mostOfOne int
	mu              sync.Mutex
	freed           sync.Cond
	open            int
	peers           map[netip.Addr]int
}

// enter counts a connection. It waits while there are too many in all, and
// reports false if there are too many of the address.
func (g *gate) enter(a netip.Addr) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.freed.L = &g.mu
	for g.most > 0 && g.open >= g.most {
		g.freed.Wait()
	}
	if g.mostOfOne > 0 && a.IsValid() {
		if g.peers[a] >= g.mostOfOne {
			return false
		}
		if g.peers == nil {
			g.peers = make(map[netip.Addr]int)
		}
		g.peers[a]++
	}
	g.open++
	return true
}

// unlimit lets in who waits, and all that come.
func (g *gate) unlimit() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.freed.L = &g.mu
	g.most = 0
	g.freed.Broadcast()
}

func (g *gate) leave(a netip.Addr) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open--
	if g.mostOfOne > 0 && a.IsValid() {
		if g.peers[a]--; g.peers[a] == 0 {
			delete(g.peers, a)
		}
	}
	g.freed.Signal()
}

// stallGrain is the share of the limit by which a write may be cut off too early:
// so seldom is the deadline moved, which takes longer than the look at the clock.
const stallGrain = 8

// stallGuard ends a write that the client takes nothing of for too long. net/http
// has such a limit for HTTP/2 only, and pays for it with two changes of the
// deadline per write.
type stallGuard struct {
	limit time.Duration // 0: none

	mu      sync.Mutex
	moved   time.Time // when the deadline was last set by arm
	foreign bool      // somebody else has set a deadline, which counts
}

// arm sees to it that a write that begins now ends by the limit, and no earlier
// than 7/8 of it.
func (g *stallGuard) arm(c net.Conn) error {
	if g.limit <= 0 {
		return nil
	}
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.foreign || now.Sub(g.moved) < g.limit/stallGrain {
		return nil
	}
	g.moved = now
	return c.SetWriteDeadline(now.Add(g.limit))
}

// give notes that somebody else sets the write deadline. A zero one takes theirs
// back, and the guard goes on with its own.
func (g *stallGuard) give(deadline time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.foreign, g.moved = !deadline.IsZero(), time.Time{}
}

// rest takes the guard's deadline back until the next write.
func (g *stallGuard) rest(c net.Conn) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.foreign || g.moved.IsZero() {
		return nil
	}
	g.moved = time.Time{}
	return c.SetWriteDeadline(time.Time{})
}

// unguard ends the guard of a connection that net/http has given away.
func unguard(nc net.Conn) {
	if t, ok := nc.(*tls.Conn); ok {
		nc = t.NetConn()
	}
	if c, ok := nc.(*stdConn); ok {
		_ = c.stall.rest(c.Conn) // fails if it is closed
		c.stall.give(time.Unix(1, 0))
	}
}
