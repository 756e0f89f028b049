package engine

import (
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/http2"
	"dyno.example/nano/wire/reactor"
)

// multiplexer is what an event loop has for HTTP/2 (RFC 9113): each of its
// connections carries the requests of several places, on a stream each. Place p
// belongs to connection p / Streams for good, so that a connection that is lost knows
// what went with it.
//
// What is to be sent gathers in the connection's codec and goes to the backend once
// for a turn of the loop; no more is handed over before the kernel has that, since
// frames must not overtake each other.
type multiplexer struct {
	loop     *eventLoop
	pool     http2.Pool
	config   *http2.Config
	slots    []slot
	h2conns  []h2conn           // by the loop's conns
	due      *reactor.Deadlines // of requests, by place
	constant []message          // of the program's requests, those that are constant
	rendered message            // of one that is not
	dirty    []int32            // connections that may have something to send
	ticked   int64
	left     bool // the load is over, nothing is recorded any more
	handled  int  // responses and failures in this turn
}

// slot is a place with the stream of its request.
type slot struct {
	place
	id     int32
	stream *http2.Stream // nil: not sent, or over
	rest   []byte        // of the body, what is not sent yet
	status int           // of the response; 0: its head is to come
	body   int64         // bytes of it that have come
	waits  bool          // in its connection's waiting
	tries  int           // times the request was refused
	call   call          // if it is one over gRPC
}

// newMultiplexer makes the loop's; it has all its memory from the beginning, for
// streams point to it.
func newMultiplexer(l *eventLoop) *multiplexer {
	m := &multiplexer{
		loop:  l,
		slots: make([]slot, l.Link.Places(l.Most)), h2conns: make([]h2conn, l.Most), due: reactor.NewDeadlines(l.Link.Places(l.Most)),
		constant: make([]message, len(l.Program.requests)),
		config:   clientConfig(),
	}
	for i := range m.slots {
		m.slots[i].id = int32(i)
	}
	for i, r := range l.Program.requests {
		if r.Constant != nil {
			m.constant[i].parse(r.Constant)
		}
	}
	return m
}

// conn is the connection of a place.
func (m *multiplexer) conn(id int32) int32 { return id / int32(m.loop.Link.Streams) }

// places are those of a connection.
func (m *multiplexer) places(conn int32) []slot {
	return m.slots[int(conn)*m.loop.Link.Streams:][:m.loop.Link.Streams]
}

// parkAll makes all places idle. A pool fills up a connection before it takes the
// next; else requests go round the connections.
func (m *multiplexer) parkAll() {
	l := m.loop
	conns, streams := len(l.conns), l.Link.Streams
	for i := range conns * streams {
		if l.Link.Reuse == request.Shared {
			l.park(int32(conns*streams - 1 - i)) // the last is taken first
			continue
		}
		l.park(int32(i%conns*streams + i/conns))
	}
}

// join makes the places of a connection that was added: it returns the first, the
// others are idle.
func (m *multiplexer) join(conn int32) int32 {
	places := m.places(conn)
	for i := range places[1:] {
		m.loop.park(places[1+i].id)
	}
	return places[0].id
}

// begin takes up a request that is due: it is sent, or waits for its connection to
// come up or to have room for a stream.
func (m *multiplexer) begin(id int32) {
	s, conn := &m.slots[id], m.conn(id)
	s.pending, s.sent, s.tries = false, 0, 0
	if s.idle() {
		m.sendMessage(id)
		return
	}
	k := &m.h2conns[conn]
	if m.loop.conns[conn].state == ready && k.waiting.len() == 0 && k.room() {
		m.send(id)
		return
	}
	m.await(id)
	if m.loop.conns[conn].state == down && !k.resting {
		m.open(conn)
	}
}

// await lets a request wait for its connection.
func (m *multiplexer) await(id int32) {
	m.slots[id].waits = true
	m.h2conns[m.conn(id)].waiting.push(id)
}

// open lets a connection be made, unless that is under way.
func (m *multiplexer) open(conn int32) {
	if k := &m.h2conns[conn]; !k.asked {
		k.asked = true
		m.loop.connector.open(conn)
	}
}

// passOverFull puts idle places aside, at the head of their queue, whose connections
// allow no more streams at the moment or have just failed: an arrival takes any that
// can be sent.
func (m *multiplexer) passOverFull() {
	l := m.loop
	for l.idle.len() > 0 {
		id := l.idle.first()
		if l.Link.Reuse == request.Shared {
			id = l.idle.last()
		}
		conn := m.conn(id)
		k := &m.h2conns[conn]
		if full := l.conns[conn].state == ready && (k.waiting.len() > 0 || !k.room()); !full && !k.resting || m.slots[id].idle() {
			return
		}
		k.aside.push(l.unpark())
	}
}

// proceed uses what room a connection has: for requests that wait for it first, then
// for places that were put aside. A connection that takes no more requests is
// replaced once the last is over.
func (m *multiplexer) proceed(conn int32) {
	l, k := m.loop, &m.h2conns[conn]
	if l.conns[conn].state != ready {
		return
	}
	if k.going && k.wire.Streams() == 0 {
		l.connector.drop(conn)
		m.again(conn)
		return
	}
	for k.waiting.len() > 0 && k.room() {
		if id := k.waiting.pop(); m.slots[id].waits {
			m.send(id)
		}
	}
	if k.waiting.len() > 0 || !k.room() {
		return
	}
	for n := min(k.aside.len(), k.wire.Room()); n > 0; n-- {
		l.release(k.aside.pop())
	}
}

// retry tries again to send what the server has refused.
func (m *multiplexer) retry(conn int32) {
	m.h2conns[conn].held = false
	m.proceed(conn)
}

// again finds a use for a connection that is down, and for its places.
func (m *multiplexer) again(conn int32) {
	k := &m.h2conns[conn]
	k.resting = false
	for n := k.aside.len(); n > 0; n-- {
		m.loop.release(k.aside.pop())
	}
	if m.loop.conns[conn].state == down && (k.waiting.len() > 0 || m.loop.connector.keepsWarm()) {
		m.open(conn)
	}
}

// turn is called at the beginning of each turn of the loop.
func (m *multiplexer) turn() {
	for i := 0; i < len(m.dirty); i++ { // flushing may find more
		conn := m.dirty[i]
		m.h2conns[conn].dirty = false
		m.flush(conn)
	}
	m.dirty = m.dirty[:0]
	if m.loop.now-m.ticked >= int64(muxTick) {
		m.ticked = m.loop.now
		m.tick()
	}
}

// touch notes that a connection may have something to send.
func (m *multiplexer) touch(conn int32) {
	if k := &m.h2conns[conn]; !k.dirty {
		k.dirty = true
		m.dirty = append(m.dirty, conn)
	}
}

// worth is how many events the work since the last call of counted comes to: responses that
// came together are one event of the backend.
func (m *multiplexer) worth() int {
	const perEvent = 8
	return m.handled / perEvent
}

// counted begins again.
func (m *multiplexer) counted() { m.handled = 0 }

// expire ends requests that took too long.
func (m *multiplexer) expire() {
	for {
		id, since, ok := m.due.Oldest()
		if !ok || m.loop.now-since < int64(m.loop.Timeout) {
			return
		}
		m.timedOut(id)
	}
}

// giveUp ends the requests that are still under way after the drain.
func (m *multiplexer) giveUp() {
	l := m.loop
	for i := range m.slots {
		switch s := &m.slots[i]; {
		case s.idle():
		case s.waits && s.sent == 0:
			l.rec.cut(l.Profile.Mode, l.mix.unsent(), s.intended, 0, l.now)
		case s.waits || s.stream != nil:
			l.rec.cut(l.Profile.Mode, s.request, s.intended, s.sent, l.now)
		}
	}
}

// sendTime is the instant at which a request is sent, as far as a turn of the loop
// takes time.
func (m *multiplexer) sendTime() int64 {
	if l := m.loop; l.Profile.Mode == profile.Open || l.thinkers.think.Mean > 0 {
		l.now = clock.Now() // several may be sent in a row
	}
	return m.loop.now
}
