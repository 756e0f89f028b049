package engine

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/load/internal/kernelstamp"
	"dyno.example/dyno/load/measure"
	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/reactor"
)

const (
	eventBatch = 512
	readTurn   = 16 // reads of one connection in a row, so that others get their turn
)

// epoll is the backend for every Linux: sockets say when they are ready, and are
// then read and written by system calls of their own.
type epoll struct {
	loop   *eventLoop
	poller *reactor.Poller
	events []reactor.Event
	read   []byte              // shared by all connections: responses are parsed in place
	unread []incarnation       // connections that have had their turn and may hold more
	rested []incarnation       // those of the turn before; the two change places
	stamps *kernelstamp.Reader // nil unless requested
	slow   *slowReaders        // nil unless clients read slowly
}

// incarnation identifies a connection, as later ones have the same place.
type incarnation struct {
	id  int32
	gen uint32
}

func openEpoll(sh Share) (Engine, error) {
	return openEventLoop(sh, func(l *eventLoop) (backend, error) {
		poller, err := reactor.NewPoller(eventBatch)
		if err != nil {
			return nil, err
		}
		poller.KeepProcessor = true // see processors
		p := &epoll{loop: l, poller: poller, read: make([]byte, readBuffer)}
		if sh.Stamps {
			p.stamps = kernelstamp.New()
		}
		if sh.Link.ReadRate > 0 {
			p.slow = newSlowReaders(sh.Link.ReadRate)
		}
		return p, nil
	})
}

func (p *epoll) leave() { p.poller.KeepProcessor = false }
func (p *epoll) close() { p.poller.Close() }

func (p *epoll) wait(d time.Duration) (events int, err error) {
	if len(p.unread) > 0 {
		d = 0
	}
	if p.slow != nil {
		d = p.slow.within(d, clock.Now())
	}
	p.events, err = p.poller.Wait(d)
	return len(p.events) + len(p.unread), err
}

func (p *epoll) pause(d time.Duration) error {
	reactor.Sleep(d)
	return nil
}

func (p *epoll) handle() {
	for i := range p.events {
		p.event(&p.events[i])
	}
	p.unread, p.rested = p.rested[:0], p.unread
	for _, c := range p.rested {
		if p.loop.conns[c.id].gen == c.gen {
			p.receive(c.id, true)
		}
	}
	p.readOn()
}

// event deals with one event.
func (p *epoll) event(e *reactor.Event) {
	l, id := p.loop, e.ID()
	c := &l.conns[id]
	switch c.state {
	case connecting:
		if e.Writable() {
			l.connector.connected(id, reactor.ConnectError(int(c.fd)))
		}
		if e.Readable() { // the server spoke first, or has closed already
			p.receive(id, e.Ending())
		}
	case securing, greeting, ready, busy:
		if e.Writable() && len(c.unsent) > 0 {
			p.send(id)
			if c.state != down && len(c.unsent) == 0 {
				l.handedOver(id)
			}
		}
		if e.Readable() {
			p.receive(id, e.Ending())
		}
	}
}

func (p *epoll) dial(id int32) error {
	l := p.loop
	fd, up, err := l.connector.dialer.Dial()
	if err != nil {
		return err
	}
	l.conns[id].fd = int32(fd)
	if err := p.poller.Add(fd, id); err != nil {
		return err
	}
	if p.stamps != nil {
		if err := reactor.Timestamps(fd); err != nil {
			return fmt.Errorf("kernel timestamps: %w", err)
		}
	}
	if !up && l.Link.Churns() {
		up, err = reactor.Connected(fd) // near targets accept at once: that spares an event
	}
	if up {
		l.connector.connected(id, nil)
	}
	return err
}

func (p *epoll) send(id int32) {
	l := p.loop
	c := &l.conns[id]
	n, errno := reactor.Write(int(c.fd), c.unsent)
	if errno != 0 && errno != unix.EAGAIN {
		l.lost(id, errno)
		return
	}
	c.unsent = c.unsent[n:]
}

// receive reads what has come and lets it be parsed in place. A short read has
// drained the socket, unless the stream is ending: that is seen only by reading
// on. A connection that always has more is read on in the next turn.
func (p *epoll) receive(id int32, ending bool) {
	l := p.loop
	c := &l.conns[id]
	gen := c.gen
	for reads := 0; c.gen == gen && c.state >= securing; reads++ {
		room := p.read
		if p.slow != nil {
			if room = room[:p.slow.may(incarnation{id, gen}, len(room), clock.Now())]; len(room) == 0 {
				return
			}
		}
		if reads == readTurn {
			p.unread = append(p.unread, incarnation{id, gen})
			return
		}
		n, errno := p.readFrom(c, room)
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
		if p.slow != nil {
			p.slow.read(id, n)
		}
		l.received(id, room[:n])
		if n < len(room) && !ending {
			return
		}
	}
}

// readFrom reads from a connection, and notes how long the bytes had been with the
// kernel if that is requested.
func (p *epoll) readFrom(c *conn, room []byte) (n int, errno unix.Errno) {
	if p.stamps == nil {
		return reactor.Read(int(c.fd), room)
	}
	n, delay, errno := p.stamps.Read(int(c.fd), room)
	if delay > 0 && p.loop.rec != nil {
		p.loop.rec.Durations.Timed[measure.ReadDelay].Record(delay)
	}
	return n, errno
}

func (p *epoll) hangUp(id int32) {
	p.loop.connector.quickEnd(id)
	unix.Close(int(p.loop.conns[id].fd))
}
