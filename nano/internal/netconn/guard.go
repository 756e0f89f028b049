package netconn

import (
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// stallGrain is the fraction of the limit by which a write may be cut off too early:
// moving the deadline costs more than reading the clock, so it is moved only that
// often.
const stallGrain = 8

// Guard ends a write that the client takes nothing of for too long. net/http
// has such a limit for HTTP/2 only, and pays for it with two changes of the
// deadline per write.
type Guard struct {
	Limit time.Duration // 0: none

	mu      sync.Mutex
	moved   time.Time // when the deadline was last set by arm
	foreign bool      // the handler has set a deadline, which counts
}

// arm sees to it that a write that begins now ends by the limit, and no earlier
// than 7/8 of it.
func (g *Guard) arm(c net.Conn) error {
	if g.Limit <= 0 {
		return nil
	}
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.foreign || now.Sub(g.moved) < g.Limit/stallGrain {
		return nil
	}
	g.moved = now
	return c.SetWriteDeadline(now.Add(g.Limit))
}

// give notes that the connection's user sets the write deadline. A zero one removes it,
// and the guard goes on with its own.
func (g *Guard) give(deadline time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.foreign, g.moved = !deadline.IsZero(), time.Time{}
}

// rest takes the guard's deadline back until the next write.
func (g *Guard) rest(c net.Conn) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.foreign || g.moved.IsZero() {
		return nil
	}
	g.moved = time.Time{}
	return c.SetWriteDeadline(time.Time{})
}

// Unguard ends the guard of a connection that net/http has given away.
func Unguard(nc net.Conn) {
	if t, ok := nc.(*tls.Conn); ok {
		nc = t.NetConn()
	}
	if c, ok := nc.(*Conn); ok {
		_ = c.Guard.rest(c.Conn) // fails if it is closed
		c.Guard.give(time.Unix(1, 0))
	}
}
