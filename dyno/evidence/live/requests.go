// Package live says what a running server's requests wait for, from what the kernel sees of
// its sockets and threads alone: nobody has to send them, and nothing of them is read. A
// request is what lies between the first bytes that come on a connection and the last that
// are sent before more come; of several at once on one connection (HTTP/2) that is one.
package live

import (
	"cmp"
	"slices"

	"dyno.example/dyno/evidence"
)

// Bounds and times.
const (
	mostConnections = 1 << 16
	quiet           = int64(20e6) // ns without a byte after which a response is taken for whole
)

// States of a server's socket, as the kernel has them. Its last, TCP_CLOSE, comes when the
// socket has its port no more, and isn't seen.
const (
	established = 1
	closeWait   = 8 // the client has nothing more to send
)

// conn is what is under way on a connection.
type conn struct {
	begin   int64 // when bytes came; 0: nothing is under way
	read    int64 // when the server took the first of them; 0: not yet
	sent    int64 // when it last sent; 0: not yet
	ordinal uint32
	last    bool // the client has nothing more to send
}

// finder finds requests in the events of a server's sockets.
type finder struct {
	conns map[uint64]*conn
	upTo  int64 // events before have been taken
}

// take takes events, which are in order, up to an instant, and appends the requests that have
// ended to done. Events that were taken before are passed over.
func (f *finder) take(events []evidence.Event, to int64, done []evidence.Sample) []evidence.Sample {
	for i := range events {
		e := &events[i]
		if e.Time < f.upTo || e.Time >= to || e.Subject == 0 {
			continue
		}
		switch e.Kind {
		case evidence.Ready, evidence.Received, evidence.Sent, evidence.State:
			done = f.event(e, done)
		}
	}
	f.upTo = to
	for id, c := range f.conns {
		if c.sent > 0 && c.sent < to-quiet {
			done = c.end(id, done)
		}
	}
	return done
}

func (f *finder) event(e *evidence.Event, done []evidence.Sample) []evidence.Sample {
	c := f.conns[e.Subject]
	if c == nil {
		if f.conns == nil || len(f.conns) >= mostConnections {
			f.conns = make(map[uint64]*conn) // what is under way on them is lost
		}
		c = &conn{}
		f.conns[e.Subject] = c
	}
	switch e.Kind {
	case evidence.Ready:
		if c.sent > 0 {
			done = c.end(e.Subject, done)
		}
		if c.begin == 0 && !c.last { // the client's end is told in the same way
			c.begin = e.Time
		}
	case evidence.Received:
		if e.A == 0 {
			break
		}
		if c.sent > 0 { // of the next request, whose bytes were there already
			done = c.end(e.Subject, done)
		}
		if c.begin == 0 {
			c.begin = e.Time
		}
		if c.read == 0 {
			c.read = e.Time
		}
	case evidence.Sent:
		if c.read > 0 && int32(e.A) > 0 {
			c.sent = e.Time
		}
	case evidence.State:
		switch e.A & 0xff {
		case established:
			*c = conn{}
		case closeWait: // what was sent before may yet be responded to
			c.last = true
		default: // the server closes it
			if c.sent > 0 {
				done = c.end(e.Subject, done)
			}
			delete(f.conns, e.Subject)
		}
	}
	return done
}

// end ends the request that is under way.
func (c *conn) end(id uint64, done []evidence.Sample) []evidence.Sample {
	c.ordinal++
	done = append(done, evidence.Sample{
		Class: evidence.Body, Weight: 1, Connection: id, Ordinal: c.ordinal + 1, // its first is not that of a connection being made
		Intended: c.begin, Sent: c.begin, First: c.sent, Done: c.sent,
	})
	c.begin, c.read, c.sent = 0, 0, 0
	return done
}

// open is how many requests have bytes at the server and no response yet, and since when the
// oldest has.
func (f *finder) open() (n int, since int64) {
	for _, c := range f.conns {
		if c.begin > 0 && c.sent == 0 {
			if n++; since == 0 || c.begin < since {
				since = c.begin
			}
		}
	}
	return n, since
}

// slowest sorts the so many slowest of samples to the front, the slowest first.
func slowest(samples []evidence.Sample, n int) []evidence.Sample {
	slices.SortFunc(samples, func(a, b evidence.Sample) int {
		return cmp.Or(cmp.Compare(b.Done-b.Intended, a.Done-a.Intended), cmp.Compare(a.Connection, b.Connection))
	})
	return samples[:min(n, len(samples))]
}
