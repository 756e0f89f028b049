package engine

import (
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/load/request"
	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/reactor"
	"dyno.example/nano/wire/uring"
)

const (
	ringEntries = 4096     // operations handed over at once
	ringBuffers = 1024     // of what has come and is not parsed yet
	ringBuffer  = 8 << 10  // bytes
	quietSend   = 16 << 10 // a send up to this fits the socket's buffer: only its failure is of interest
)

// ringOp is what a completion is about.
type ringOp uint8

const (
	opConnect ringOp = iota
	opReceive
	opSend
	opCancel
	opClose
)

// kernelRing is the backend for io_uring: what is to be sent and what has come
// are exchanged with the kernel through queues in shared memory, with one system
// call for a whole turn of the loop.
type kernelRing struct {
	loop    *eventLoop
	ring    *uring.Ring
	buffers *uring.Buffers
	conns   []ringConn // by the loop's conns
	unsent  []int32    // connections that send, since the last hand-over
	closing int        // connections the kernel has yet to close
	keep    bool       // connections outlive their request: one receive operation lasts for all responses
}

// ringConn is the ring's own state of a connection.
type ringConn struct {
	receiving bool // an order to receive is under way
	handing   bool // what is sent is to be handed over
}

func openRing(sh Share) (Engine, error) {
	return openEventLoop(sh, func(l *eventLoop) (backend, error) {
		ring, err := uring.Open(ringEntries, completionsFor(sh.Most))
		if err != nil {
			return nil, err
		}
		buffers, err := ring.Buffers(ringBuffers, ringBuffer)
		if err != nil {
			ring.Close()
			return nil, err
		}
		return &kernelRing{
			loop: l, ring: ring, buffers: buffers, conns: make([]ringConn, sh.Most), unsent: make([]int32, 0, sh.Connections),
			keep: sh.Link.Reuse != request.NoReuse || sh.Link.Streams > 0,
		}, nil
	})
}

// completionsFor is how many results the kernel keeps in the queue for so many
// connections. What comes beyond it keeps aside until there is room.
func completionsFor(connections int) uint32 {
	return uint32(min(max(2*ringEntries, 4*connections), uring.MostCompletions))
}

func (r *kernelRing) leave() { r.ring.GiveProcessor = true }

// close lets the kernel close what was hung up: it does so in our calls only, a
// few dozen in each. It gives up when nothing has happened for a tenth of a second.
func (r *kernelRing) close() {
	for idle := 0; r.closing > 0 && idle < 100 && r.ring.Enter(time.Millisecond) == nil; idle++ {
		for range r.ring.Ready() {
			idle = -1
			if c := r.ring.Take(); ringOp(c.UserData>>56) == opClose {
				r.closing--
			}
		}
	}
	r.ring.Close()
	r.buffers.Close()
}

// tag marks the operations of a connection: its count distinguishes those of an earlier
// connection in the same place.
func (r *kernelRing) tag(id int32, op ringOp) uint64 {
	return uint64(op)<<56 | uint64(r.loop.conns[id].gen&0xffffff)<<32 | uint64(uint32(id))
}

func (r *kernelRing) wait(d time.Duration) (events int, err error) {
	r.stampSent()
	if n := r.ring.Ready(); n > 0 && r.ring.Pending() == 0 {
		return n, nil
	}
	err = r.ring.Enter(d)
	return r.ring.Ready(), err
}

func (r *kernelRing) pause(d time.Duration) error {
	r.stampSent()
	return r.ring.Pause(d)
}

// stampSent notes that queued requests are sent now, when they are handed over:
// the time is taken once for all of them.
func (r *kernelRing) stampSent() {
	if len(r.unsent) == 0 {
		return
	}
	now := clock.Now()
	for _, id := range r.unsent {
		r.conns[id].handing = false
		if r.loop.mux != nil {
			r.loop.mux.handing(id, now)
			continue
		}
		if c := &r.loop.conns[id]; c.queued {
			c.sent, c.queued = now, false
		}
	}
	r.unsent = r.unsent[:0]
}

func (r *kernelRing) handle() {
	for range r.ring.Ready() {
		c := r.ring.Take()
		r.complete(&c)
	}
}

// complete deals with one completion.
func (r *kernelRing) complete(e *uring.Completion) {
	l, id, op := r.loop, int32(uint32(e.UserData)), ringOp(e.UserData>>56)
	c := &l.conns[id]
	current := e.UserData == r.tag(id, op) && c.state != down
	switch {
	case op == opReceive && e.Flags&uring.HasBuffer != 0:
		if current {
			l.received(id, r.buffers.Bytes(e.Buffer(), int(e.Result)))
		}
		r.buffers.Return(e.Buffer())
		r.receiveOn(id, e)
	case op == opClose:
		r.closing--
	case !current:
	case op == opReceive && e.Errno() == unix.ENOBUFS:
		r.receiveOn(id, e)
	case op == opReceive && e.Result == 0:
		r.conns[id].receiving = false
		l.ended(id)
	case op == opReceive:
		r.conns[id].receiving = false
		l.lost(id, e.Errno())
	case op == opSend && e.Result < 0:
		l.lost(id, e.Errno())
	case op == opSend:
		c.unsent = nil
		l.handedOver(id)
	case op == opConnect:
		if err := reactor.ConnectError(int(c.fd)); err != nil {
			l.connector.connected(id, err)
			return
		}
		r.established(id)
	}
}

// receiveOn orders to receive again, if the order that e completed has ended and
// more is to come.
func (r *kernelRing) receiveOn(id int32, e *uring.Completion) {
	c := &r.loop.conns[id]
	if e.Flags&uring.More != 0 || e.UserData != r.tag(id, opReceive) || c.state == down {
		return
	}
	r.receive(id)
}

func (r *kernelRing) receive(id int32) {
	r.conns[id].receiving = true
	r.ring.Receive(r.loop.conns[id].fd, r.tag(id, opReceive), r.keep)
}

func (r *kernelRing) dial(id int32) error {
	l := r.loop
	fd, up, err := l.connector.dialer.Dial()
	if err == unix.EMFILE && r.closing > 0 {
		return errNotYet
	}
	if err != nil {
		return err
	}
	l.conns[id].fd = int32(fd)
	if !up {
		up, err = reactor.Connected(fd)
	}
	switch {
	case up:
		r.established(id)
	case err == nil:
		r.ring.AwaitWritable(int32(fd), r.tag(id, opConnect))
	}
	return err
}

func (r *kernelRing) established(id int32) {
	r.receive(id)
	r.loop.connector.connected(id, nil)
}

func (r *kernelRing) send(id int32) {
	c := &r.loop.conns[id]
	l := r.loop
	quiet := len(c.unsent) <= quietSend && l.mux == nil && (l.talker == nil || l.talker.quiet(id)) // else what is sent next must come after it
	r.ring.Send(c.fd, c.unsent, r.tag(id, opSend), quiet)
	if quiet {
		c.unsent = nil
	}
	r.conns[id].handing = true
	r.unsent = append(r.unsent, id)
}

func (r *kernelRing) hangUp(id int32) {
	c, own := &r.loop.conns[id], &r.conns[id]
	if own.handing {
		// What it sends is the connection's memory, which has other uses after it.
		r.stampSent()
		_ = r.ring.Enter(0) // a failure shows in the next wait
	}
	r.loop.connector.quickEnd(id)
	r.closing++
	// A connection in the making is awaited, one that is busy may still send.
	if own.receiving || c.state == connecting || c.state == busy || len(c.unsent) > 0 {
		own.receiving = false
		r.ring.CloseCancelled(c.fd, r.tag(id, opClose), r.tag(id, opCancel))
		return
	}
	r.ring.CloseFile(c.fd, r.tag(id, opClose))
}
