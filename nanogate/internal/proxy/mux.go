//go:build linux

package proxy

import (
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/http2"
	eventloop "dyno.example/nano/wire/loop"
	"dyno.example/nanogate/internal/request"
)

// muxes is what connections over HTTP/2 of either side have in common: frames in and out, and
// turns of their streams.
type muxes struct {
	*loop

	dirty      []*mux // connections over HTTP/2 that may have something to send
	spareDirty []*mux // what dirty was in the batch before, for its memory
	muxTick    int64  // when they are looked at next
	h2pool     http2.Pool
	frames     []byte   // what is read over HTTP/2: acting upon it may read from others into scratch
	outs       [][]byte // spare memory for what is sent over HTTP/2
}

// mux is a connection of HTTP/2 on either side: the codec, and what lies between it and
// the socket. Each of its streams is a client or a call of its own, so that all that
// is done with a request is the same whatever carries it.
//
// What streams send gathers in the codec and goes to the kernel once for a batch of
// events. A connection is taken down at the end of a batch only: whoever finds that it
// is broken says so and goes on.
type mux struct {
	codec  http2.Conn
	client *client               // whose connection it is; nil: an endpoint's
	conn   *connection           // to an endpoint that it is; nil: a client's
	sock   *socket               // of either
	all    *sink                 // the streams, the oldest first
	newest *sink                 // the last of them
	ready  eventloop.Queue[sink] // those that have something to send and wait for their turn

	dirty    bool            // it is in loop.dirty
	dead     bool            // nothing is read any more: what is to be sent is sent, then it is closed
	broken   bool            // the socket takes no more
	closed   bool            // it is
	partial  int64           // since when the start of a frame, or of a field block, waits for the rest; 0: none does
	stalled  int64           // since when the kernel takes nothing; 0: it does
	streams  int             // that are under way
	going    bool            // an endpoint's: it takes no more streams
	greeted  bool            // an endpoint's: it has said what it offers
	shut     int64           // an endpoint's: since when its window is seen to be shut; 0: it is open
	carried  bool            // an endpoint's: it has carried a request
	handed   int64           // bytes of the codec's that the socket was given
	kept     int64           // an endpoint's that has broken the protocol: of them, before what was taken back
	idleFrom int64           // an endpoint's: when the last of them ended
	why      request.Failure // an endpoint's: what kept it from coming up
}

const (
	flushAt   = 32 << 10 // bytes that are sent at once, not at the end of the batch
	muxEvery  = int64(time.Second)
	muxSpares = 64
)

// noDescriptor takes the place of the socket of a client or a backend that is a stream: it
// is open, and has none.
const noDescriptor = 1 << 30

// touch notes that a connection may have something to send, and sees to it that there is
// memory to write that into. It comes before each use of a codec's writing half.
func (l *muxes) touch(m *mux) {
	if cap(m.codec.Out) == 0 {
		if n := len(l.outs); n > 0 {
			m.codec.Out = l.outs[n-1]
			l.outs = l.outs[:n-1]
		} else {
			m.codec.Out = make([]byte, 0, 4<<10)
		}
	}
	if !m.dirty {
		m.dirty = true
		l.dirty = append(l.dirty, m)
	}
}

// readMux reads once what the peer has sent, and acts upon it.
// ending says that the peer is known to have closed its side.
func (l *muxes) readMux(m *mux, in *[]byte, ending bool) (more bool) {
	n, more, errno := m.sock.receive(l.Sys, l.frames, ending)
	switch {
	case errno == unix.EAGAIN:
		return false
	case errno == unix.EINTR:
		return true
	case errno != 0 || n == 0:
		m.broken = true
		l.touch(m)
		return false
	}
	b := l.frames[:n]
	if len(*in) > 0 {
		*in = append(*in, b...)
		b = *in
	}
	rest := l.framesCame(m, b)
	*in = append((*in)[:0], rest...) // it may overlap
	return more
}

// framesCame acts upon what has come, and returns what isn't a whole frame yet.
func (l *muxes) framesCame(m *mux, b []byte) (rest []byte) {
	l.touch(m)
	began := len(b)
	for !m.dead && !m.closed {
		gathered := len(m.codec.Out)
		n, ev, err := m.codec.Next(b, l.now)
		b = b[n:]
		if err != nil {
			m.dead = true // Out says why
			if m.conn != nil {
				m.takeBack(gathered)
			}
			return nil
		}
		if ev.Kind == http2.More {
			break
		}
		l.muxEvent(m, ev)
		l.touch(m)
	}
	switch {
	case m.dead || len(b) == 0 && !m.codec.InBlock():
		m.partial = 0
	case m.partial == 0 || len(b) < began && !m.codec.InBlock():
		m.partial = l.now
	}
	return b
}

func (l *muxes) muxEvent(m *mux, ev *http2.Event) {
	if m.client != nil {
		l.streams.http2Event(m, ev)
		return
	}
	l.multiplexed.upstreamMuxEvent(m, ev)
}

// deliver gives the kernel what the codec has written.
func (l *muxes) deliver(m *mux) {
	if len(m.codec.Out) == 0 || m.broken || m.conn != nil && !m.conn.up {
		return
	}
	waiting := !m.sock.out.empty()
	errno := m.sock.out.write(l.Sys, m.sock.fd, m.codec.Out, nil)
	if errno == 0 || m.sock.secure != nil { // else the kernel took nothing of it
		m.handed += int64(len(m.codec.Out))
	}
	m.codec.Out = m.codec.Out[:0]
	switch {
	case errno != 0:
		m.broken = true
	case m.sock.out.empty():
		m.codec.Flushed()
	case !waiting:
		m.stalled = l.now
	}
}

// takeBack keeps what has gathered for an endpoint, so many bytes of it, from being sent: it
// has broken the protocol, and nothing that it would say to that could be read.
func (m *mux) takeBack(gathered int) {
	if m.handed == 0 { // it isn't greeted yet
		return
	}
	m.codec.Out = m.codec.Out[:copy(m.codec.Out, m.codec.Out[gathered:])]
	m.kept = m.handed
}

// unsent reports whether nothing of a call was sent, nor will be, on a connection whose endpoint
// has broken the protocol.
func (m *mux) unsent(k *call) bool {
	return k.sink.stream == nil || m.kept > 0 && k.starts >= m.kept
}

// written is how many bytes of the codec's the kernel may have taken.
func (m *mux) written() int64 {
	if m.sock.secure != nil {
		return m.handed
	}
	return m.handed - int64(len(m.sock.out.b)-m.sock.out.sent)
}

// flushMux sends what the kernel hasn't taken before. It reports whether it has all now.
func (l *muxes) flushMux(m *mux) bool {
	before := m.sock.out.sent
	switch errno := m.sock.out.flush(l.Sys, m.sock.fd); {
	case errno == unix.EAGAIN:
		if m.sock.out.sent != before {
			m.stalled = l.now
		}
		return false
	case errno != 0:
		m.broken = true
		l.touch(m)
		return false
	}
	m.stalled = 0
	l.touch(m)
	return true
}

// turnMuxes sends what gathered in this batch, a part of each stream that waits in turn,
// and closes what has come to its end.
func (l *muxes) turnMuxes() {
	turns := l.dirty
	l.dirty = l.spareDirty[:0]
	for _, m := range turns {
		l.turnMux(m)
	}
	l.spareDirty = turns[:0]
}

func (l *muxes) turnMux(m *mux) {
	defer l.survive(m.event())
	l.current = nil
	m.dirty = false
	if m.closed {
		return
	}
	if m.conn != nil {
		l.multiplexed.place(m)
	}
	for m.sock.out.empty() && len(m.codec.Out) < flushAt && !m.broken && !m.dead {
		s := m.ready.Pop()
		if s == nil {
			break
		}
		l.serveSink(s)
	}
	l.deliver(m)
	if !m.ready.Empty() && m.sock.out.empty() {
		l.touch(m)
	} else if len(m.codec.Out) == 0 && m.codec.Out != nil {
		if cap(m.codec.Out) <= 2*readBuffer && len(l.outs) < muxSpares {
			l.outs = append(l.outs, m.codec.Out)
		}
		m.codec.Out = nil
	}
	if m.client != nil {
		l.streams.settleHTTP2(m)
	} else {
		l.multiplexed.settleUpstreamMux(m)
	}
}

// event is the ID of what happens on the connection.
func (m *mux) event() int32 {
	if m.client != nil {
		return clientEvent(m.client.id)
	}
	return connectionEvent(m.conn.id)
}

// tickMux looks at what has taken too long on a connection.
func (l *muxes) tickMux(m *mux) {
	limits := &l.snap.Config.Client
	l.touch(m)
	for !m.dead {
		ev, err := m.codec.Tick(l.now)
		if err != nil {
			m.dead = true
			break
		}
		if ev.Kind == http2.More {
			break
		}
		l.muxEvent(m, ev)
		l.touch(m)
	}
	switch {
	case m.partial != 0 && l.now-m.partial > int64(limits.ReadHead):
		m.codec.Close(http2.EnhanceYourCalm)
		m.dead = true
	case m.stalled != 0 && l.now-m.stalled > int64(limits.Write):
		m.broken = true
	}
}
