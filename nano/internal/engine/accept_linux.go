package engine

import (
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/http1"
	"dyno.example/nano/wire/reactor"
	"dyno.example/nano/wire/sockets"
)

// listener is a listening socket at one loop.
type listener struct {
	fd   int
	id   int32
	tcp  bool
	open bool // registered with the poller
}

const (
	firstListener = 2  // event ID -2 and below; -1 is the wake-up
	acceptBatch   = 64 // so that a flood of connections leaves time for requests
)

// listen adds a listener, unless the app has begun to shut down meanwhile.
func (l *loop) listen(fd int, tcp bool) {
	if l.grace != 0 || l.Over() {
		unix.Close(fd)
		return
	}
	if tcp {
		sockets.KeepAlive(fd)
	}
	d := &listener{fd: fd, id: -int32(len(l.listeners)) - firstListener, tcp: tcp}
	l.listeners = append(l.listeners, d)
	l.watchListener(d)
}

func (l *loop) watchListener(d *listener) {
	if err := l.Poller.AddListener(d.fd, d.id); err != nil {
		l.log().Error("can't listen", "error", err)
		return
	}
	d.open = true
}

func (l *loop) unwatchListener(d *listener) {
	if d.open {
		_ = l.Poller.Remove(d.fd) // fails only for what isn't registered
		d.open = false
	}
}

// resumeAccepting lets clients in again after there were too many.
func (l *loop) resumeAccepting() {
	for _, d := range l.listeners {
		if !d.open {
			l.watchListener(d)
		}
	}
}

// accept takes clients from the queue and gives each to the loop that has fewest
// connections: the kernel deals them out by hash, which is uneven when there are
// few. It reports whether there may be more.
func (l *loop) accept(d *listener) (more bool) {
	for range acceptBatch {
		if !l.server.admit(l) {
			l.unwatchListener(d) // until a connection closes
			return false
		}
		fd, from, errno := reactor.Accept(d.fd)
		if errno != 0 {
			l.server.leave()
			l.acceptFailed(d, errno)
			return false
		}
		if !l.server.enter(from.Addr()) {
			unix.Close(fd)
			l.server.leave()
			continue
		}
		if d.tcp {
			unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
		}
		to := l.server.emptiest(l)
		if to.Assigned.Add(1); to == l {
			l.take(fd, from)
		} else {
			to.Hand(&message{Open: func(to *loop) { to.take(fd, from) }})
		}
	}
	return true
}

// take makes the loop the owner of an accepted connection.
func (l *loop) take(fd int, from netip.AddrPort) {
	if l.Over() {
		unix.Close(fd)
		return
	}
	c, id := l.conns.Add()
	c.begin(fd, id, from)
	if err := l.Poller.Add(fd, c.id); err != nil {
		l.log().Error("connection refused", "error", err)
		l.drop(c)
		return
	}
	if c.opening = l.openingOf(from); c.opening&opensProxy != 0 {
		l.await(c, phaseHead) // the proxy has its header ready
	} else {
		l.await(c, phaseIdle)
	}
	l.more = append(l.more, c.id) // most clients send at once
}

// acceptFailed deals with a full file table: the client at the head of the queue
// is turned away by way of a spare descriptor, so that it knows, and the listener is
// not found ready again at once.
func (l *loop) acceptFailed(d *listener, errno unix.Errno) {
	switch errno {
	case unix.EAGAIN:
	case unix.EMFILE, unix.ENFILE:
		l.server.outOfFiles(l, d)
	default:
		l.server.refusals.Log(l.log(), "accepting a connection", "error", errno)
		time.Sleep(time.Millisecond) // the queue stays readable: don't spin
	}
}

// outOfFiles turns one client away when the process may not open more files.
// Without the spare descriptor it couldn't even accept the client to tell it, and
// the client would wait in the queue for ever.
func (s *Server) outOfFiles(l *loop, d *listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.noticed) > time.Second {
		s.noticed = now
		l.log().Error("too many open files: connections are turned away", "connections", s.conns.Load())
	}
	if s.spare >= 0 {
		unix.Close(s.spare)
	}
	if fd, _, errno := reactor.Accept(d.fd); errno == 0 {
		busy := http1.StatusLine(503) + "Retry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
		reactor.Read(fd, l.turn.scratch) // unread, it would make the close a reset
		reactor.Write(fd, []byte(busy))  // best effort
		unix.Shutdown(fd, unix.SHUT_WR)
		unix.Close(fd)
	}
	if s.keepSpare(); s.spare < 0 {
		time.Sleep(time.Millisecond) // somebody else took it: don't spin
	}
}
