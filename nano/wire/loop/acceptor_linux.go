package loop

import (
	"net/netip"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Acceptor accepts the connections of a server: it counts them, gives each to the loop that
// has the fewest, stops accepting while there are too many, and rejects clients when no
// more files can be opened. K is what a listener knows about its connections.
//
// The loops of a server share one. Its methods may be called from any goroutine.
type Acceptor[L, K any] struct {
	rules    Admission[L, K]
	sys      System
	loops    []*Listeners[L, K]
	draining atomic.Bool
	paused   atomic.Int64 // loops that don't accept because there are too many
	spare    spare
}

// Admission is a server's side of accepting: its limits, and what it does with a
// connection. Functions that are given a loop are called by its goroutine.
type Admission[L, K any] struct {
	// Count adds n to the number of connections, and reports whether the sum is within
	// the limit. Room reports whether one more would be.
	Count func(n int64) (fits bool)
	Room  func() bool

	// AllowPeer counts a connection from an address, unless there are too many of them.
	// Nil: there is no such limit.
	AllowPeer func(from netip.Addr) bool

	// Accepted gives a loop a connection that was assigned to it.
	Accepted func(l L, fd int, from netip.AddrPort, kind K)

	// Silent reports whether connections are rejected without a response, as that would
	// take a handshake. Nil: all get a response of HTTP/1.1.
	Silent func(kind K) bool

	// What the server may log.
	Paused       func(l L)                   // a loop stops accepting; may be nil
	OutOfFiles   func(l L)                   // a client is rejected, since no more files can be opened
	AcceptFailed func(l L, errno unix.Errno) // for any other reason
	ListenFailed func(l L, err error)
}

// Begin readies an acceptor.
func (a *Acceptor[L, K]) Begin(sys System, rules Admission[L, K]) {
	a.sys, a.rules = sys, rules
	a.spare.keep(sys)
}

// Join returns a loop's listeners. All loops have to join before any of them runs.
func (a *Acceptor[L, K]) Join(c *Core[L]) *Listeners[L, K] {
	s := &Listeners[L, K]{acceptor: a, core: c}
	a.loops = append(a.loops, s)
	return s
}

// Drain says that the server is shutting down. Limits don't count any more: the clients in
// the listen queues now are the last.
func (a *Acceptor[L, K]) Drain() { a.draining.Store(true) }

// Draining reports whether Drain was called.
func (a *Acceptor[L, K]) Draining() bool { return a.draining.Load() }

// Close releases what is left after all loops have ended.
func (a *Acceptor[L, K]) Close() { a.spare.drop(a.sys) }

// LeastLoaded returns the loop with the fewest connections, own if it is one of them: the
// kernel deals them out by hash, which is uneven when there are few. A server that drains
// assigns nothing to loops that may have ended.
func (a *Acceptor[L, K]) LeastLoaded(own *Core[L]) *Core[L] {
	best := own
	if a.draining.Load() {
		return own
	}
	for _, s := range a.loops {
		if s.core.Assigned.Load() < best.Assigned.Load() {
			best = s.core
		}
	}
	return best
}

// admit counts a connection before it is accepted. It reports false if there are too many:
// then the loop has to wait until one closes.
func (a *Acceptor[L, K]) admit(c *Core[L]) bool {
	if a.rules.Count(1) || a.draining.Load() {
		return true
	}
	a.paused.Add(1) // before the count goes down: a connection that closes after that sees it
	if a.rules.Paused != nil {
		a.rules.Paused(c.self)
	}
	a.Release()
	return false
}

// Release uncounts a connection that has closed, and resumes accepting.
func (a *Acceptor[L, K]) Release() {
	a.rules.Count(-1)
	a.Resume()
}

// Resume has loops that stopped accepting go on, if there is room again.
func (a *Acceptor[L, K]) Resume() {
	if a.paused.Load() == 0 || !a.rules.Room() {
		return
	}
	a.paused.Store(0)
	for _, s := range a.loops {
		s.core.Call(func(L) { s.resume() })
	}
}

// accept accepts a batch of connections and gives each to the loop that has the fewest. It
// reports whether there may be more in the listener's queue.
func (s *Listeners[L, K]) accept(n *listener[K]) (more bool) {
	a, own := s.acceptor, s.core
	for range acceptBatch {
		if !a.admit(own) {
			s.unwatch(n) // until a connection closes
			return false
		}
		fd, from, errno := a.sys.Accept(n.fd)
		if errno != 0 {
			a.Release()
			s.failed(n, errno)
			return false
		}
		if a.rules.AllowPeer != nil && !a.rules.AllowPeer(from.Addr()) {
			a.sys.Close(fd)
			a.Release()
			continue
		}
		to, kind := a.LeastLoaded(own), n.kind
		if to.Assigned.Add(1); to == own {
			a.rules.Accepted(own.self, fd, from, kind)
			continue
		}
		to.Hand(&Message[L]{Open: func(l L) { a.rules.Accepted(l, fd, from, kind) }})
	}
	return true
}

// failed deals with an error of accepting. When the file table is full, the client at the
// head of the queue is rejected: it learns why, and the listener isn't reported ready again
// at once.
func (s *Listeners[L, K]) failed(n *listener[K], errno unix.Errno) {
	a := s.acceptor
	switch errno {
	case unix.EAGAIN:
	case unix.EMFILE, unix.ENFILE:
		a.rules.OutOfFiles(s.core.self)
		if silent := a.rules.Silent; !a.spare.reject(a.sys, n.fd, silent != nil && silent(n.kind)) {
			a.sys.Sleep(time.Millisecond) // another goroutine took the descriptor: don't spin
		}
	default:
		a.rules.AcceptFailed(s.core.self, errno)
		a.sys.Sleep(time.Millisecond) // the queue stays readable: don't spin
	}
}
