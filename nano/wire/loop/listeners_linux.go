package loop

import "slices"

// Listeners are the listening sockets of one loop. They belong to it.
type Listeners[L, K any] struct {
	acceptor *Acceptor[L, K]
	core     *Core[L]
	all      []*listener[K] // nil: closed
	closed   bool
}

// listener is a listening socket at one loop.
type listener[K any] struct {
	fd   int
	id   int32
	open bool // registered with the poller
	kind K
}

const (
	firstListener = 2  // event ID -2 and below; -1 is the wake-up
	acceptBatch   = 64 // so that a flood of connections leaves time for requests
)

// Len is how many there are.
func (s *Listeners[L, K]) Len() (n int) {
	for _, one := range s.all {
		if one != nil {
			n++
		}
	}
	return n
}

// Listen adds a listening socket. After Close, or when the loop has ended, it closes it.
func (s *Listeners[L, K]) Listen(fd int, kind K) {
	if s.closed || s.core.Over() {
		s.core.Sys.Close(fd)
		return
	}
	place := slices.Index(s.all, nil)
	if place < 0 {
		place = len(s.all)
		s.all = append(s.all, nil)
	}
	n := &listener[K]{fd: fd, id: -int32(place) - firstListener, kind: kind}
	s.all[place] = n
	s.watch(n)
}

// Ready handles an event whose ID is negative: that of a listener, if it has one.
func (s *Listeners[L, K]) Ready(id int32) {
	if place := int(-id - firstListener); place >= 0 && place < len(s.all) && s.all[place] != nil {
		s.accept(s.all[place])
	}
}

// Change changes what is known about the connections of a socket from now on.
func (s *Listeners[L, K]) Change(fd int, change func(kind *K)) {
	for _, n := range s.all {
		if n != nil && n.fd == fd {
			change(&n.kind)
		}
	}
}

// Unlisten accepts the clients in a socket's queue, and closes it.
func (s *Listeners[L, K]) Unlisten(fd int) {
	for i, n := range s.all {
		if n != nil && n.fd == fd {
			s.close(n)
			s.all[i] = nil
		}
	}
}

// Close does so with all sockets. None is listened on any more.
func (s *Listeners[L, K]) Close() {
	for _, n := range s.all {
		if n != nil {
			s.close(n)
		}
	}
	s.all, s.closed = nil, true
}

func (s *Listeners[L, K]) close(n *listener[K]) {
	for s.accept(n) {
	}
	s.unwatch(n)
	s.core.Sys.Close(n.fd)
}

// resume accepts again after there were too many connections.
func (s *Listeners[L, K]) resume() {
	for _, n := range s.all {
		if n != nil && !n.open {
			s.watch(n)
		}
	}
}

func (s *Listeners[L, K]) watch(n *listener[K]) {
	if err := s.core.Poller.AddListener(n.fd, n.id); err != nil {
		s.acceptor.rules.ListenFailed(s.core.self, err)
		return
	}
	n.open = true
}

func (s *Listeners[L, K]) unwatch(n *listener[K]) {
	if n.open {
		_ = s.core.Poller.Remove(n.fd) // fails only for what isn't registered
		n.open = false
	}
}
