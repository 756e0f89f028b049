package load

import (
	"bytes"
	"fmt"

	"golang.org/x/sys/unix"

	"dyno/internal/clock"
	"dyno/internal/http1"
	"dyno/internal/reactor"
)

// connState is what a connection is waiting for.
type connState uint8

const (
	down       connState = iota // not open; perhaps waiting to be tried again
	connecting                  // for the connection to be established
	ready                       // for a request to send
	busy                        // for an answer
)

// conn is one connection of the event loop.
type conn struct {
	fd    int32
	state connState
	exchange
	unsent   []byte // rest of the request, when the kernel took only a part
	partial  []byte // start of a head that came in pieces; reused
	answer   http1.Response
	intended int64 // ns, like all below
	sent     int64
	first    int64 // first byte of the answer; 0: none yet
	opened   int64 // connect was called
	waiting  int64 // closed loop: when the next request became due while the connection was down; else 0
}

func (c *conn) close() {
	if c.state != down {
		unix.Close(int(c.fd))
		c.state = down
	}
}

// handle deals with one event.
func (l *epollLoop) handle(e *reactor.Event) {
	c := &l.conns[e.ID()]
	switch c.state {
	case connecting:
		if e.Writable() {
			l.opened(e.ID())
		}
	case ready:
		if e.Readable() {
			l.idleEvent(e.ID())
		}
	case busy:
		if e.Writable() && len(c.unsent) > 0 {
			l.write(e.ID())
		}
		if e.Readable() && c.state == busy {
			l.receive(e.ID(), e.Ending())
		}
	}
}

// open starts connection id.
func (l *epollLoop) open(id int32) {
	c := &l.conns[id]
	c.opened = clock.Now()
	fd, err := reactor.Dial(l.sockaddr)
	if err == nil {
		c.fd, c.state = int32(fd), connecting
		l.making++
		err = l.poller.Add(fd, id)
	}
	if err != nil {
		l.connectFailed(id, err)
		return
	}
	l.due.Start(id, max(l.now, 1))
}

// opened is called when a connection attempt has ended.
func (l *epollLoop) opened(id int32) {
	c := &l.conns[id]
	if err := reactor.ConnectError(int(c.fd)); err != nil {
		l.connectFailed(id, err)
		return
	}
	l.due.Stop(id)
	l.making--
	l.up++
	c.state = ready
	if l.rec != nil {
		l.rec.connected(clock.Now() - c.opened)
	}
	l.next(id)
}

// connectFailed counts a connection that did not come up and lets it be tried
// again after a pause.
func (l *epollLoop) connectFailed(id int32, err error) {
	l.errors.note("connect", err.Error())
	c := &l.conns[id]
	l.due.Stop(id)
	if c.state == connecting {
		l.making--
	}
	c.close()
	if l.rec != nil {
		l.rec.Errors.Connect++
	}
	l.retries.Start(id, max(l.now, 1))
}

// reopen replaces a connection that is of no more use.
func (l *epollLoop) reopen(id int32) {
	c := &l.conns[id]
	c.close()
	l.up--
	if l.sending || l.rec == nil {
		l.open(id)
	}
}

// idleEvent handles an event on a connection that nothing is expected from:
// the server may close it.
func (l *epollLoop) idleEvent(id int32) {
	n, errno := reactor.Read(int(l.conns[id].fd), l.read)
	if errno == unix.EAGAIN {
		return
	}
	if n > 0 {
		l.fail(&l.errorsNow().Body, "body", "the server sent bytes that no request asked for")
	}
	l.forget(id)
	l.reopen(id)
}

// forget takes id out of the idle connections.
func (l *epollLoop) forget(id int32) {
	for range l.idle.len() {
		if other := l.idle.pop(); other != id {
			l.idle.push(other)
		}
	}
}

// next gives a free connection its next request, or parks it.
func (l *epollLoop) next(id int32) {
	c := &l.conns[id]
	if !l.sending || l.quota > 0 && l.sent >= l.quota {
		l.idle.push(id)
		return
	}
	switch {
	case l.spec.Profile.Mode == Closed:
		due := l.now
		if c.waiting != 0 {
			due, c.waiting = c.waiting, 0
		}
		l.rec.Offered++
		l.rec.inFlight++
		l.send(id, due)
	case l.backlog.len() > 0:
		l.send(id, l.backlog.pop())
	default:
		l.idle.push(id)
	}
}

// send starts a request on a ready connection.
func (l *epollLoop) send(id int32, intended int64) {
	c := &l.conns[id]
	c.state, c.intended, c.sent, c.first = busy, intended, l.now, 0
	c.unsent = l.mix.next(&c.exchange, l.now)
	c.answer.Reset(c.request.isHead)
	c.partial = c.partial[:0]
	l.due.Start(id, l.now)
	l.sent++
	l.rec.Sent++
	l.write(id)
}

// write hands the rest of the request to the kernel.
func (l *epollLoop) write(id int32) {
	c := &l.conns[id]
	n, errno := reactor.Write(int(c.fd), c.unsent)
	if errno != 0 && errno != unix.EAGAIN {
		l.lost(id, errno)
		return
	}
	c.unsent = c.unsent[n:]
	l.rec.BytesOut += uint64(n)
}

// receive reads what has come and parses it in place. A short read has drained
// the socket, unless the stream is ending: that is seen only by reading on.
func (l *epollLoop) receive(id int32, ending bool) {
	c := &l.conns[id]
	for c.state == busy {
		n, errno := reactor.Read(int(c.fd), l.read)
		switch {
		case errno == unix.EAGAIN:
			return
		case errno != 0:
			l.lost(id, errno)
			return
		}
		l.now = clock.Now()
		if n == 0 {
			l.ended(id)
			return
		}
		l.rec.BytesIn += uint64(n)
		if c.first == 0 {
			c.first = l.now
		}
		l.parse(id, l.read[:n])
		if n < len(l.read) && !ending {
			return
		}
	}
}

// parse feeds what was read to the answer's parser.
func (l *epollLoop) parse(id int32, data []byte) {
	c := &l.conns[id]
	if len(c.partial) > 0 {
		c.partial = append(c.partial, data...)
		data = c.partial
	}
	n, err := c.answer.Feed(data)
	c.keep(c.answer.Status, data[:n])
	switch {
	case err != nil:
		l.failRequest(id, &l.errorsNow().Body, "body", err.Error())
	case !c.answer.Done():
		// What is left is a head in pieces; it may overlap with partial.
		c.partial = append(c.partial[:0], data[n:]...)
	case n < len(data):
		l.failRequest(id, &l.errorsNow().Body, "body", fmt.Sprintf("the server sent %d bytes beyond its answer, starting %q", len(data)-n, bytes.TrimSpace(data[n:min(n+20, len(data))])))
	default:
		l.done(id)
	}
}

// ended is called when the server has closed the connection under a request.
func (l *epollLoop) ended(id int32) {
	c := &l.conns[id]
	if c.answer.EOF() {
		l.done(id)
		return
	}
	why := "the server closed the connection without an answer"
	if c.answer.Started() || len(c.partial) > 0 {
		why = "the server closed the connection in the middle of an answer"
	}
	l.failRequest(id, &l.errorsNow().Reset, "reset", why)
}

// done records a complete answer and puts the connection to its next use.
func (l *epollLoop) done(id int32) {
	c := &l.conns[id]
	l.rec.inFlight--
	l.due.Stop(id)
	l.rec.answered(c.intended, c.sent, c.first, l.now)
	l.errors.judged(&c.exchange, c.answer.Status, l.rec, l.now)
	c.state = ready
	if !c.answer.KeepAlive {
		l.dueAgain(c)
		l.reopen(id)
		return
	}
	l.next(id)
}

// dueAgain notes that in a closed loop the next request is due from now on,
// though its connection must be opened first.
func (l *epollLoop) dueAgain(c *conn) {
	if l.spec.Profile.Mode == Closed {
		c.waiting = l.now
	}
}

// timedOut ends what took longer than the time limit.
func (l *epollLoop) timedOut(id int32) {
	if l.conns[id].state == connecting {
		l.connectFailed(id, unix.ETIMEDOUT)
		return
	}
	l.failRequest(id, &l.errorsNow().Timeout, "timeout", fmt.Sprintf("no complete answer within %v", l.spec.Timeout))
}

func (l *epollLoop) lost(id int32, errno unix.Errno) {
	l.failRequest(id, &l.errorsNow().Reset, "reset", errno.Error())
}

// failRequest ends the request under way on id without a usable answer.
func (l *epollLoop) failRequest(id int32, count *uint64, kind, why string) {
	*count++
	l.errors.failed(&l.conns[id].exchange, kind, why, l.now)
	l.rec.inFlight--
	l.due.Stop(id)
	l.dueAgain(&l.conns[id])
	l.reopen(id)
}

func (l *epollLoop) fail(count *uint64, kind, why string) {
	*count++
	l.errors.note(kind, why)
}

// errorsNow is where errors count: nowhere before the load has begun.
func (l *epollLoop) errorsNow() *Errors {
	if l.rec == nil {
		return new(Errors)
	}
	return &l.rec.Errors
}
