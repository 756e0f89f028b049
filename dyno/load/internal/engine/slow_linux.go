package engine

import "time"

const (
	// slowBuffer is SO_RCVBUF of connections that are read slowly, in bytes: what has come and isn't
	// read is to lie with the server, and not with the client that pretends not to have it.
	slowBuffer = 8 << 10
	// slowTurn is how long a connection rests that has had its share.
	slowTurn = 10 * time.Millisecond
)

// slowReaders let each connection be read at a rate: a share for each turn, and when that is used up
// the connection rests until the next. Its methods allocate nothing once there is room for all that rest.
type slowReaders struct {
	share   int // bytes of a turn
	conns   []slowReader
	resting ring[rest] // in the order in which their rest ends
}

// slowReader is what a connection has had of its share.
type slowReader struct {
	gen   uint32
	used  int
	since int64 // when the turn began, ns
	rests bool
}

// rest is a connection that isn't read until a time.
type rest struct {
	incarnation
	until int64 // ns
}

// newSlowReaders makes those of a rate in bytes a second.
func newSlowReaders(rate int64) *slowReaders {
	return &slowReaders{share: int(max(rate*int64(slowTurn)/int64(time.Second), 1))}
}

// may is how many bytes of size may be read of a connection; 0 if it rests, and will be [slowReaders.over].
func (s *slowReaders) may(c incarnation, size int, now int64) int {
	for int(c.id) >= len(s.conns) {
		s.conns = append(s.conns, slowReader{})
	}
	r := &s.conns[c.id]
	if r.gen != c.gen {
		*r = slowReader{gen: c.gen, since: now}
	}
	if r.rests {
		return 0
	}
	if now-r.since >= int64(slowTurn) {
		r.used, r.since = 0, now
	}
	if r.used >= s.share {
		r.rests = true
		s.resting.push(rest{c, now + int64(slowTurn)})
		return 0
	}
	return min(size, s.share-r.used)
}

// read takes so many bytes off a connection's share.
func (s *slowReaders) read(id int32, n int) { s.conns[id].used += n }

// within shortens a wait to the end of the first rest.
func (s *slowReaders) within(d time.Duration, now int64) time.Duration {
	if s.resting.len() == 0 {
		return d
	}
	return min(d, max(time.Duration(s.resting.first().until-now), 0))
}

// over is the next connection whose rest is over; there is false if there is none.
func (s *slowReaders) over(now int64) (c incarnation, there bool) {
	for s.resting.len() > 0 && s.resting.first().until <= now {
		c = s.resting.pop().incarnation
		if r := &s.conns[c.id]; r.gen == c.gen {
			*r = slowReader{gen: c.gen, since: now}
			return c, true
		}
	}
	return incarnation{}, false
}

// readOn reads from connections whose rest is over.
func (p *epoll) readOn() {
	if p.slow == nil {
		return
	}
	for {
		c, there := p.slow.over(p.loop.now)
		if !there {
			return
		}
		if p.loop.conns[c.id].gen == c.gen {
			p.receive(c.id, true)
		}
	}
}
