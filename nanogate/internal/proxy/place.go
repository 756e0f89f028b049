//go:build linux

package proxy

// A call has a place on its connection when a stream can be opened for it: the endpoint has
// greeted (RFC 9113 3.4) and has fewer streams than it takes at once (5.1.2). One that has
// none waits for it, for as long as connecting may take. Nothing has been sent of it, and
// what its client sends of a body stays with the client: it moves to another connection
// as if it had never been on this one.

// places is how many more calls may open a stream now.
func (m *mux) places() int {
	if !m.greeted || m.going || m.dead || m.broken {
		return 0
	}
	most := m.conn.upstream.Config.Pool.Streams
	return min(m.codec.Room(), most-m.codec.Streams()) - m.promised()
}

// promised is how many calls have a place and no stream yet: their clients haven't sent what
// is to go with the head.
func (m *mux) promised() (n int) {
	if m.streams == m.codec.Streams() {
		return 0
	}
	for s := m.all; s != nil; s = s.after {
		if s.call.up && s.stream == nil {
			n++
		}
	}
	return n
}

// waiting is the call that waits longest for a place; nil: none does.
func (m *mux) waiting() *call {
	if m.streams == m.codec.Streams() {
		return nil
	}
	for s := m.all; s != nil; s = s.after {
		if k := s.call; !k.up && k.client != nil {
			return k
		}
	}
	return nil
}

// place gives calls that wait the places that there are, and has others move to connections
// that have some. What may not be used any more they all leave.
func (l *multiplexed) place(m *mux) {
	if !m.greeted || m.dead || m.broken || m.streams == m.codec.Streams() {
		return
	}
	for n := m.places(); n > 0; n-- {
		k := m.waiting()
		if k == nil {
			return
		}
		k.up = true
		l.attempts.up(&k.backend)
	}
	for s := m.all; s != nil; {
		k := s.call
		s = s.after
		if c := k.client; c != nil && k.sink.stream == nil && !k.refused && (m.going || !k.up && c.x.moves < mostMoves && l.hasPlace(k)) {
			k.refused, k.readable, k.up = true, true, true
			l.laterBackend(&k.backend)
		}
	}
}

// hasPlace reports whether a call would get a place on another connection, or a connection
// of its own.
func (l *multiplexed) hasPlace(k *call) bool {
	p := l.pools.pool(k.endpoint)
	for _, m := range p.muxes {
		if m != k.on && l.hasRoom(m) {
			return true
		}
	}
	return !p.full() && !l.server.files.Full()
}

// full reports whether an endpoint has as many connections as it may have. Those that it has
// said it ends count for themselves: it could keep others from being made by ending all.
func (p *pool) full() bool {
	going := 0
	for _, m := range p.muxes {
		if m.going || m.dead || m.broken {
			going++
		}
	}
	return len(p.muxes)-going >= mostUpstreamMuxes || going >= mostUpstreamMuxes
}

// leastFull is the connection to wait on when there is a place on none, and no more may be
// made: that with the fewest calls. nil: there is none.
func (p *pool) leastFull() (least *mux) {
	for _, m := range p.muxes {
		if !m.going && !m.dead && !m.broken && (least == nil || m.streams < least.streams) {
			least = m
		}
	}
	return least
}

// learnStreams notes how many streams an endpoint takes on a connection: the next
// connections get no more requests than that before they have said so themselves.
func (l *multiplexed) learnStreams(m *mux) {
	l.pools.pool(m.conn.endpoint).streams = max(1, min(int(m.codec.Peer().MaxConcurrent), streamsUnasked))
}

// streamsUnasked is how many requests wait on a connection that hasn't greeted, to an endpoint
// about which nothing is known.
const streamsUnasked = 100
