package loop

import (
	"net/netip"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Acceptor lets a server's connections in: it counts them, gives each to the loop that
// has the fewest, stops accepting while there are too many, and turns clients away when
// no file can be opened any more. K is what a listener knows of its connections.
//
// The loops of a server share one. Its methods may be called by any goroutine.
type Acceptor[L, K any] struct {
	rules    Admission[L, K]
	sys      System
	loops    []*Listeners[L, K]
	draining atomic.Bool
	paused   atomic.Int64 // loops that don't accept because there are too many
	spare    spare
}

// Admission is what a server has to say about those who come. The functions that are
// given a loop are called by its goroutine.
type Admission[L, K any] struct {
	// Count counts n connections more, and reports whether there may be as many as there
	// are then. Room reports whether there may be one more.
	Count func(n int64) (fits bool)
	Room  func() bool

	// Enter counts a connection of an address, if there may be one more of it. Nil: there
	// always may.
	Enter func(from netip.Addr) bool

	// Welcome makes a loop, to which it was assigned, the owner of a connection.
	Welcome func(l L, fd int, from netip.AddrPort, kind K)

	// Silent reports whether connections can't be told that they are turned away. Nil: all
	// can, by a response of HTTP/1.1.
	Silent func(kind K) bool

	Full    func(l L)                   // hears that a loop stops accepting; may be nil
	NoFiles func(l L)                   // hears that no file can be opened
	Failed  func(l L, errno unix.Errno) // hears why else nobody was accepted
	Deaf    func(l L, err error)        // hears why a socket isn't listened on
}

// Begin readies an acceptor for loops that join it.
func (a *Acceptor[L, K]) Begin(sys System, rules Admission[L, K]) {
	a.sys, a.rules = sys, rules
	a.spare.keep(sys)
}

// Join gives a loop its part of the acceptor, before any of them runs.
func (a *Acceptor[L, K]) Join(c *Core[L]) *Listeners[L, K] {
	s := &Listeners[L, K]{acceptor: a, core: c}
	a.loops = append(a.loops, s)
	return s
}

// Drain says that the server ends: nobody is refused any more, since who waits in the
// queues now is the last.
func (a *Acceptor[L, K]) Drain() { a.draining.Store(true) }

// Draining reports whether Drain was called.
func (a *Acceptor[L, K]) Draining() bool { return a.draining.Load() }

// Close releases what is left when all loops have ended.
func (a *Acceptor[L, K]) Close() { a.spare.drop(a.sys) }

// Emptiest returns the loop with the fewest connections, own if it is one of them: the
// kernel deals them out by hash, which is uneven when there are few. A server that drains
// gives nothing to loops that may have ended.
func (a *Acceptor[L, K]) Emptiest(own *Core[L]) *Core[L] {
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

// admit counts a connection to be accepted. If there are too many, the loop has to wait
// until one closes.
func (a *Acceptor[L, K]) admit(c *Core[L]) bool {
	if a.rules.Count(1) || a.draining.Load() {
		return true
	}
	a.paused.Add(1) // before the count goes down: who leaves after that sees it
	if a.rules.Full != nil {
		a.rules.Full(c.self)
	}
	a.Leave()
	return false
}

// Leave uncounts a connection, and lets loops that wait accept again.
func (a *Acceptor[L, K]) Leave() {
	a.rules.Count(-1)
	a.Readmit()
}

// Readmit lets loops that wait accept again if there is room.
func (a *Acceptor[L, K]) Readmit() {
	if a.paused.Load() == 0 || !a.rules.Room() {
		return
	}
	a.paused.Store(0)
	for _, s := range a.loops {
		s.core.Call(func(L) { s.resume() })
	}
}

// accept takes clients from a listener's queue and gives each to the loop that has
// fewest. It reports whether there may be more.
func (s *Listeners[L, K]) accept(n *listener[K]) (more bool) {
	a, own := s.acceptor, s.core
	for range acceptBatch {
		if !a.admit(own) {
			s.unwatch(n) // until a connection closes
			return false
		}
		fd, from, errno := a.sys.Accept(n.fd)
		if errno != 0 {
			a.Leave()
			s.failed(n, errno)
			return false
		}
		if a.rules.Enter != nil && !a.rules.Enter(from.Addr()) {
			a.sys.Close(fd)
			a.Leave()
			continue
		}
		to, kind := a.Emptiest(own), n.kind
		if to.Assigned.Add(1); to == own {
			a.rules.Welcome(own.self, fd, from, kind)
			continue
		}
		to.Hand(&Message[L]{Open: func(l L) { a.rules.Welcome(l, fd, from, kind) }})
	}
	return true
}

// failed deals with a listener that gives nobody. When the file table is full, the client
// at the head of the queue is turned away, so that it knows, and the listener is not found
// ready again at once.
func (s *Listeners[L, K]) failed(n *listener[K], errno unix.Errno) {
	a := s.acceptor
	switch errno {
	case unix.EAGAIN:
	case unix.EMFILE, unix.ENFILE:
		a.rules.NoFiles(s.core.self)
		if silent := a.rules.Silent; !a.spare.turnAway(a.sys, n.fd, silent != nil && silent(n.kind)) {
			a.sys.Sleep(time.Millisecond) // somebody else took the spare: don't spin
		}
	default:
		a.rules.Failed(s.core.self, errno)
		a.sys.Sleep(time.Millisecond) // the queue stays readable: don't spin
	}
}
