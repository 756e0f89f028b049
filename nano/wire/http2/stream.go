package http2

// Stream is one request with its response. It belongs to the connection: its owner may
// use it until [Conn.Release], after which it may be another stream.
type Stream struct {
	ID   uint32
	User any // what the owner keeps with it; a pointer costs no allocation

	recvEnded bool // the peer has ended its side: no more of its frames
	sendEnded bool // this side has
	closed    bool // both have, or the stream was reset
	released  bool // the owner has forgotten it
	headIn    bool // the peer's head is in: what follows are a body and trailers
	bodiless  bool // the response has no body, whatever its length says (RFC 9110 6.4.1)

	sendWindow int32 // bytes that may be sent; below 0 after SETTINGS lowered it
	recvWindow int32 // bytes that the peer may send
	unread     int32 // bytes that the owner was given and has not consumed
	credit     int32 // bytes that are consumed and not in recvWindow again
	left       int64 // bytes of the body that are to come by Content-Length; -1: unknown

	blockedAt     int64 // since when it waits for a window, in ns
	in            *streamList
	before, after *Stream // in the list of those that wait; after also in that of free ones
	chain         *Stream // in the table
}

// streamList is a queue of streams. A stream is in one at a time.
type streamList struct{ first, last *Stream }

func (l *streamList) push(s *Stream) {
	s.in, s.before, s.after = l, l.last, nil
	if l.last == nil {
		l.first = s
	} else {
		l.last.after = s
	}
	l.last = s
}

func (l *streamList) remove(s *Stream) {
	if s.before == nil {
		l.first = s.after
	} else {
		s.before.after = s.after
	}
	if s.after == nil {
		l.last = s.before
	} else {
		s.after.before = s.before
	}
	s.in, s.before, s.after = nil, nil, nil
}

// Closed reports whether nothing can be sent or received on s any more.
func (s *Stream) Closed() bool { return s.closed }

// RecvEnded reports whether the peer has sent all it had to.
func (s *Stream) RecvEnded() bool { return s.recvEnded }

// SendEnded reports whether everything was sent.
func (s *Stream) SendEnded() bool { return s.sendEnded }

// Waiting reports whether s waits for a window, since when.
func (s *Stream) Waiting() (since int64, ok bool) { return s.blockedAt, s.in != nil }

// Pool keeps what the connections of one event loop have in common: streams that
// are not in use, and the memory that fields are decoded into. It is not to be used
// by two goroutines at a time.
type Pool struct {
	header Header
	event  Event
	free   *Stream
	kept   int // of free
}

// freeStreams is how many are kept for reuse: more than loops have under way but
// after a burst.
const freeStreams = 1024

// Leave leaves the memory of the fields that were decoded last to whoever has views
// of them, also on another goroutine: the next ones get memory of their own.
func (p *Pool) Leave() { p.header = Header{} }

func (p *Pool) take() *Stream {
	s := p.free
	if s == nil {
		return new(Stream)
	}
	p.free = s.after
	p.kept--
	*s = Stream{}
	return s
}

func (p *Pool) give(s *Stream) {
	*s = Stream{closed: true, released: true}
	if p.kept < freeStreams {
		s.after, p.free = p.free, s
		p.kept++
	}
}

// streamTable finds the open streams by ID. IDs go up by two: a power of two of
// slots has few collisions.
type streamTable struct {
	slots []*Stream
	n     int
}

func (t *streamTable) find(id uint32) *Stream {
	if t.n == 0 {
		return nil
	}
	s := t.slots[id>>1&uint32(len(t.slots)-1)]
	for s != nil && s.ID != id {
		s = s.chain
	}
	return s
}

func (t *streamTable) add(s *Stream) {
	if t.n == len(t.slots) {
		old := t.slots
		t.slots = make([]*Stream, max(4, 2*len(old)))
		for _, s := range old {
			for s != nil {
				next := s.chain
				t.link(s)
				s = next
			}
		}
	}
	t.link(s)
	t.n++
}

func (t *streamTable) link(s *Stream) {
	slot := &t.slots[s.ID>>1&uint32(len(t.slots)-1)]
	s.chain, *slot = *slot, s
}

func (t *streamTable) remove(s *Stream) {
	at := &t.slots[s.ID>>1&uint32(len(t.slots)-1)]
	for *at != s {
		at = &(*at).chain
	}
	*at, s.chain = s.chain, nil
	t.n--
}

// each calls f for every stream; f may remove that stream.
func (t *streamTable) each(f func(*Stream)) {
	for _, s := range t.slots {
		for s != nil {
			next := s.chain
			f(s)
			s = next
		}
	}
}

// closedBy is how a stream came to its end, which decides what a late frame means
// (RFC 9113 5.1).
type closedBy uint32

const (
	byNobody closedBy = iota // it isn't remembered
	byEnd                    // both sides have ended it
	byPeer                   // the peer reset it
	byUs                     // this side reset it: what was under way is to be ignored
)

// closedRing remembers the streams that were closed last.
type closedRing struct {
	ids  []uint32 // half of the ID, and closedBy in the lowest two bits
	next int
	lost uint32 // half of the highest ID that it has forgotten
}

// rememberedStreams is how many: more than come to be in flight, unless the peer gives up many
// of them before it knows what has become of others.
const rememberedStreams = 128

func (r *closedRing) add(id uint32, how closedBy) {
	mark := id>>1<<2 | uint32(how)
	if len(r.ids) < rememberedStreams {
		r.ids = append(r.ids, mark)
		return
	}
	r.lost = max(r.lost, r.ids[r.next]>>2)
	r.ids[r.next] = mark
	r.next = (r.next + 1) % rememberedStreams
}

// unused reports whether a stream below the highest one was never used, as far as is remembered.
func (r *closedRing) unused(id uint32) bool { return id>>1 > r.lost && r.find(id) == byNobody }

func (r *closedRing) find(id uint32) closedBy {
	for _, mark := range r.ids {
		if mark>>2 == id>>1&(1<<30-1) {
			return closedBy(mark & 3)
		}
	}
	return byNobody
}

// streams are those of a connection, and what is known of others.
type streams struct {
	streamTable // those that are not closed
	gone        closedRing
	server      bool   // this side is
	last        uint32 // the highest stream that the peer has opened
	next        uint32 // the next stream that this side opens
	held        int    // streams that the owner has: released ones are not counted
	open        int    // streams of this side that are not closed
}

// mine reports whether this side opens streams of that ID.
func (t *streams) mine(id uint32) bool { return (id&1 == 0) == t.server }

// idle reports whether neither side has opened the stream yet.
func (t *streams) idle(id uint32) bool {
	if t.mine(id) {
		return id >= t.next
	}
	return id > t.last
}

// above returns a stream of this side with an ID above last, or nil.
func (t *streams) above(last uint32) *Stream {
	for _, s := range t.slots {
		for ; s != nil; s = s.chain {
			if t.mine(s.ID) && s.ID > last {
				return s
			}
		}
	}
	return nil
}
