//go:build linux

package storm

import (
	"crypto/tls"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// group is an upstream of the gateway's configuration.
type group struct {
	name      string
	kind      string // h1, h1s, h2c, h2s
	endpoints []*endpoint
	spare     *endpoint // which a change of the configuration adds
	disturbed atomic.Int64

	mu   sync.Mutex
	went []time.Time // when its connections said GOAWAY
}

// disturb notes that something happens to its endpoints, or their connections, that requests
// may fail of.
func (g *group) disturb() { g.disturbed.Store(time.Now().UnixNano()) }

func (g *group) disturbedSince(t time.Time) bool { return g.disturbed.Load() > t.UnixNano() }

// goes notes that one of its connections says GOAWAY.
func (g *group) goes() {
	g.mu.Lock()
	g.went = append(g.went, time.Now())
	g.mu.Unlock()
}

// wentSince is how often its connections have said GOAWAY since then.
func (g *group) wentSince(t time.Time) (n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := len(g.went); i > 0 && g.went[i-1].After(t); i-- {
		n++
	}
	return n
}

// endpoint is a server of it.
type endpoint struct {
	s     *Storm
	name  string // group/number
	group string
	of    *group
	at    string // host:port
	tls   *tls.Config

	greet   time.Duration // before it says its settings
	streams int           // that it takes at once; 0: any
	window  int
	piece   int

	mu    sync.Mutex
	ln    net.Listener
	conns map[net.Conn]bool
	ended bool

	stopped atomic.Int64 // when its connections were closed last
}

func (e *endpoint) http2() bool { return e.of.kind == "h2c" || e.of.kind == "h2s" }

// can is whether a fault is one that it could do.
func (e *endpoint) can(fault string) bool {
	return e.http2() || !slices.Contains([]string{"refused", "goaway0", "rst-head", "rst-body", "goaway", "graceful", "rst-response", "goaway-after"}, fault)
}

// listen begins to accept, at the same address each time.
func (e *endpoint) listen() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended || e.ln != nil {
		return nil
	}
	ln, err := net.Listen("tcp", e.at)
	if err != nil {
		return err
	}
	e.ln, e.at = ln, ln.Addr().String()
	go e.accept(ln)
	return nil
}

func (e *endpoint) accept(ln net.Listener) {
	for {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		e.mu.Lock()
		if e.ended {
			e.mu.Unlock()
			c.Close()
			return
		}
		e.conns[c] = true
		e.mu.Unlock()
		go func() {
			defer func() {
				c.Close()
				e.mu.Lock()
				delete(e.conns, c)
				e.mu.Unlock()
			}()
			e.connection(c)
		}()
	}
}

// connection serves one.
func (e *endpoint) connection(c net.Conn) {
	c.SetReadDeadline(time.Now().Add(connTime))
	if e.tls != nil {
		secured := tls.Server(c, e.tls)
		if secured.Handshake() != nil {
			return
		}
		c = secured
	}
	if e.http2() {
		e.serve2(c)
	} else {
		e.serve1(c)
	}
}

// stop refuses connections; with them it ends those that there are.
func (e *endpoint) stop(connections, hard bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ln != nil {
		e.ln.Close()
		e.ln = nil
	}
	if connections {
		e.stopped.Store(time.Now().UnixNano())
		for c := range e.conns {
			if hard {
				c.(*net.TCPConn).SetLinger(0)
			}
			c.Close()
		}
	}
}

// end stops it for good.
func (e *endpoint) end() {
	e.mu.Lock()
	e.ended = true
	e.mu.Unlock()
	e.stop(true, false)
}

// closeConn ends a connection from below TLS, by a reset or not.
func closeConn(c net.Conn, hard bool) {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	if hard {
		c.(*net.TCPConn).SetLinger(0)
	}
	c.Close()
}

// shut closes this side's direction after its last byte, and reads on until the other side
// has closed too, so that nothing is reset.
func shut(c net.Conn) {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	c.(*net.TCPConn).CloseWrite()
	c.SetReadDeadline(time.Now().Add(2 * time.Second))
	io.Copy(io.Discard, c)
}

// pause is a short one, now and then.
func pause(slow bool) {
	if slow {
		time.Sleep(time.Duration(rand.IntN(4000)) * time.Microsecond)
	}
}
