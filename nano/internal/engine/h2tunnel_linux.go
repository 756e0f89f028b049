package engine

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"dyno.example/nano/internal/exchange"
)

// h2tunnel is a stream of HTTP/2 as a connection of another protocol, by extended
// CONNECT (RFC 8441). It lasts as long as the handler; what is left of it then, on
// other goroutines, fails.
type h2tunnel struct {
	t *h2stream

	over  atomic.Bool
	using sync.RWMutex // read: somebody uses the stream
}

var _ exchange.Tunnel = (*h2tunnel)(nil)

// Hijack implements exchange.Wire. Other protocols would take the whole connection, but
// one that the client wants to speak on the stream.
func (t *h2stream) Hijack(x *exchange.Exchange) (net.Conn, []byte, error) {
	if x.Tunnel != exchange.TunnelAsked {
		return nil, nil, fmt.Errorf("nano: a request over HTTP/2 has no connection of its own: %w", errors.ErrUnsupported)
	}
	t.tunnel = &h2tunnel{t: t}
	return t.tunnel, nil, nil
}

// Open implements exchange.Tunnel.
func (n *h2tunnel) Open(x *exchange.Exchange) error {
	x.Tunnel, x.Status = exchange.TunnelOpen, 200
	if err := n.t.Begin(x, -1); err != nil {
		return err
	}
	return n.t.Flush(x)
}

// leave ends the tunnel as its handler has returned.
func (n *h2tunnel) leave() {
	_ = n.Close()  // never fails
	n.using.Lock() // nobody uses the stream any more
	defer n.using.Unlock()
}

// use runs f with the stream, if it is still there.
func (n *h2tunnel) use(f func(*h2stream) (int, error)) (int, error) {
	n.using.RLock()
	defer n.using.RUnlock()
	if n.over.Load() {
		return 0, net.ErrClosed
	}
	done, err := f(n.t)
	if err != nil && n.over.Load() {
		err = net.ErrClosed
	}
	return done, err
}

// Read implements net.Conn.
func (n *h2tunnel) Read(p []byte) (int, error) {
	return n.use(func(t *h2stream) (int, error) { return t.Read(t.x, p) })
}

// Write implements net.Conn.
func (n *h2tunnel) Write(p []byte) (int, error) {
	return n.use(func(t *h2stream) (int, error) {
		done, err := t.Write(t.x, p)
		if err == nil {
			err = t.Flush(t.x)
		}
		return done, err
	})
}

// Close implements net.Conn. The stream ends when its handler returns.
func (n *h2tunnel) Close() error {
	n.over.Store(true)
	past := time.Unix(1, 0) // who waits is to see that
	return errors.Join(n.t.apart.Deadline(exchange.Reading, past), n.t.apart.Deadline(exchange.Writing, past))
}

// SetDeadline implements net.Conn.
func (n *h2tunnel) SetDeadline(at time.Time) error {
	return errors.Join(n.SetReadDeadline(at), n.SetWriteDeadline(at))
}

// SetReadDeadline implements net.Conn.
func (n *h2tunnel) SetReadDeadline(at time.Time) error { return n.bound(exchange.Reading, at) }

// SetWriteDeadline implements net.Conn.
func (n *h2tunnel) SetWriteDeadline(at time.Time) error { return n.bound(exchange.Writing, at) }

func (n *h2tunnel) bound(d exchange.Direction, at time.Time) error {
	_, err := n.use(func(t *h2stream) (int, error) { return 0, t.apart.Deadline(d, at) })
	return err
}

// LocalAddr implements net.Conn.
func (n *h2tunnel) LocalAddr() net.Addr {
	var a net.Addr
	_, _ = n.use(func(t *h2stream) (int, error) { a = t.Local(); return 0, nil })
	if a == nil {
		return &net.TCPAddr{}
	}
	return a
}

// RemoteAddr implements net.Conn.
func (n *h2tunnel) RemoteAddr() net.Addr {
	var a net.Addr = &net.TCPAddr{}
	_, _ = n.use(func(t *h2stream) (int, error) { a = net.TCPAddrFromAddrPort(t.x.Remote); return 0, nil })
	return a
}
