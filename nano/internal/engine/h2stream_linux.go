package engine

import (
	"sync/atomic"
	"time"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/internal/netconn"
	"dyno.example/nano/wire/http1"
	"dyno.example/nano/wire/http2"
	eventloop "dyno.example/nano/wire/loop"
)

// h2streams is what becomes of the streams of all connections.
type h2streams struct {
	*loop

	free   *h2stream // that are not in use
	spares int       // how many these are
}

// h2stream is a request over HTTP/2 and its response: the wire of its exchange. It
// outlives the handler until all of the response is sent, and its connection until the
// handler has returned.
type h2stream struct {
	loop *loop
	x    *exchange.Exchange

	// The loop's.
	conn         *conn // nil: it is gone
	s            *http2.Stream
	next, before *h2stream                 // in h2conn.streams; next also in loop.streams
	queued       eventloop.Place[h2stream] // in h2conn.ready
	found        bool                      // the exchange has its route
	spawns       bool                      // which wants a goroutine for its handler
	collecting   bool                      // the body is read before the handler starts
	unsized      bool                      // as long as what was read lasts
	running      bool                      // the handler has not returned
	suspendable  bool                      // it can be suspended
	idle         bool                      // it is
	resuming     bool                      // it is in h2conn.resumes
	dropped      bool                      // a message of it is on its way, that nobody waits for
	calm         int                       // how often it was resumed
	limit        int64
	head         []byte       // the request's, if it has to last
	body         []byte       // that is collected
	pace         netconn.Pace // of a body that is collected; then how the response is taken
	moved        int64        // bytes of it since pace was last told
	still        time.Duration

	// The handler's.
	fd     int // for the connection's address
	ticket uint64
	away   bool // it runs without the loop
	began  int64
	reply  exchange.Reply
	tunnel *h2tunnel     // that the handler was given; nil: none
	co     *coroutine    // that the handler runs on; nil: none
	full   bool          // it is suspended for the client to take more of the response
	ate    int           // bytes of the body that it has read since the client was told
	waited time.Duration // for the body
	behind netconn.Pace  // how the body it reads comes
	paced  int64         // bytes that this was told of

	// Between the two: apart.mu guards what follows.
	apart
	message  message
	posted   bool // the message is on its way
	lent     bool // the handler has to post: the loop goes on without it
	returned bool
	parked   bool         // the handler is suspended, and the loop hasn't heard of it
	taken    atomic.Int32 // how often the handler has lost the loop of late
	in       h2in
	out      h2out
}

// h2in is the body of a request that its handler reads. How much there can be is
// bounded by the stream's window.
type h2in struct {
	data     []byte
	at       int   // of data that was read
	size     int64 // of all that has come
	done     int   // bytes that were read and the codec isn't told of
	ended    bool
	trailers []byte // their names and values, one after the other,
	fields   []http1.Field
}

// h2out is a response, or a part of it, that is to be sent.
type h2out struct {
	interim  []byte // heads of interim responses: lines, status first, and an empty one
	status   int    // 0: there is no head yet
	head     []byte // its lines
	length   int64  // to be told in it; -1: none
	dated    bool
	begun    bool // the head is sent
	flushed  bool // all of it is to be sent, though it may be a head alone
	data     []byte
	sent     int // bytes of data
	trailers []byte
	ended    bool // nothing follows
	cut      bool // nothing more is to be sent, though it hasn't ended
	last     bool // of the connection
}

const (
	spareStreams = 256     // of a loop
	spareBuffer  = 8 << 10 // of a stream that is spare
)

// addStream makes a stream of one that the codec has.
func (l *h2streams) add(c *conn, s *http2.Stream) *h2stream {
	t := l.free
	if t != nil {
		l.free, t.next = t.next, nil
		l.spares--
	} else {
		t = &h2stream{loop: l.loop, apart: newApart(l.Sys), x: l.config.App.NewExchange()}
		t.x.Wire, t.x.HTTP2 = t, true
		t.message.Open = func(l *loop) { l.h2streams.heard(t) }
	}
	h := c.h2
	t.conn, t.fd, t.s, s.User = c, c.fd, s, t
	if t.next = h.streams; t.next != nil {
		t.next.before = t
	}
	h.streams = t
	t.reply = exchange.Reply{Keep: true}
	t.out.length = -1
	return t
}

// endStream is done with a stream whose handler has returned, or has never begun.
func (l *h2streams) end(c *conn, t *h2stream) {
	h := c.h2
	h.ready.Remove(&t.queued)
	if t.unsized {
		h.unsized--
	}
	if t.before != nil {
		t.before.next = t.next
	} else {
		h.streams = t.next
	}
	if t.next != nil {
		t.next.before = t.before
	}
	t.s.User = nil
	h.codec.Release(t.s)
	l.spare(t)
}

// spareStream keeps a stream for another request.
func (l *h2streams) spare(t *h2stream) {
	x := t.x
	x.Buf, x.Body = nil, exchange.Body{}
	t.mu.Lock()
	t.dropped = t.posted
	t.mu.Unlock()
	if t.dropped || l.spares == spareStreams {
		return
	}
	t.apart.renew()
	*t = h2stream{loop: l.loop, x: x, message: t.message, apart: t.again(),
		head: spare(t.head), body: spare(t.body), in: h2in{data: spare(t.in.data)},
		out: h2out{head: spare(t.out.head), data: spare(t.out.data), interim: spare(t.out.interim), trailers: spare(t.out.trailers)}}
	t.next, l.free = l.free, t
	l.spares++
}

func spare(b []byte) []byte {
	if cap(b) > spareBuffer {
		return nil
	}
	return b[:0]
}

// loseStreams tells the handlers of a connection that nobody waits for them. They are
// on their own then.
func (l *h2streams) lose(c *conn, why error) {
	h := c.h2
	for t := h.streams; t != nil; t = h.streams {
		if !t.running {
			l.forgetRequest(t)
			l.end(c, t)
			continue
		}
		h.ready.Remove(&t.queued)
		if h.streams = t.next; t.next != nil {
			t.next.before = nil
		}
		t.next = nil
		t.s.User = nil
		h.codec.Release(t.s)
		t.conn, t.s = nil, nil
		l.Assigned.Add(1) // a loop that drains waits for it
		t.lost(why)
		signal(t.writable)
		signal(t.readable)
		if t.idle {
			t.idle, t.away = false, true
			t.mu.Lock()
			t.lent = true
			t.mu.Unlock()
			l.server.elsewhere.Add(1)
			l.Sys.Go(t.drive)
		}
	}
	h.resumes = nil
}

// forgetRequest ends an exchange whose handler was never run.
func (l *h2streams) forgetRequest(t *h2stream) {
	if t.collecting && t.found {
		t.x.Owner.Forget()
	}
}

// wasLost takes note that a stream is closed before its end.
func (l *h2streams) wasLost(c *conn, t *h2stream, why error) {
	if !t.running {
		l.forgetRequest(t)
		l.end(c, t)
		return
	}
	t.lost(why)
	signal(t.writable)
	signal(t.readable)
	if t.idle {
		l.coroutines.resumeLater(c, t)
	}
}
