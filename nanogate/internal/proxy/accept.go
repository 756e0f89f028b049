//go:build linux

package proxy

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/http1"
	"dyno.example/nano/wire/sockets"
	"dyno.example/nanogate/internal/secure"
)

// Listening is an address that the loops listen on.
type Listening struct {
	At net.Addr // with the port that it got

	server *Server
	fds    []int // at the loops in turn
	own    int   // how many of them are sockets of their own; the others are duplicates

	mu     sync.Mutex
	closed bool
}

// Listen opens an address on every loop. With greeting it is TLS that is spoken there.
// One that others have is an error, unless it is to be shared with them.
func (v *Server) Listen(address string, shared bool, greeting *secure.Server) (*Listening, error) {
	fds, err := sockets.OpenEach(address, len(v.loops), shared)
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w", address, err)
	}
	bound, err := sockets.Bound(fds[0])
	if err != nil {
		sockets.CloseAll(fds)
		return nil, fmt.Errorf("listening on %s: %w", address, err)
	}
	for _, fd := range fds {
		sockets.KeepAlive(fd)
	}
	return v.serveOn(&Listening{At: bound, server: v, fds: fds, own: len(fds)}, greeting), nil
}

// ListenOn listens on the sockets of an address that another process has opened, and
// closes the files. There may be more or fewer than loops: all are listened on.
func (v *Server) ListenOn(files []*os.File, greeting *secure.Server) (*Listening, error) {
	l := &Listening{server: v, own: len(files)}
	for i := range max(len(files), len(v.loops)) {
		fd, err := sockets.Descriptor(files[i%len(files)])
		if err != nil {
			sockets.CloseAll(l.fds)
			return nil, err
		}
		l.fds = append(l.fds, fd)
	}
	var err error
	if l.At, err = sockets.Bound(l.fds[0]); err != nil {
		sockets.CloseAll(l.fds)
		return nil, err
	}
	for _, fd := range l.fds {
		sockets.KeepAlive(fd)
	}
	for _, f := range files {
		f.Close()
	}
	return v.serveOn(l, greeting), nil
}

func (v *Server) serveOn(n *Listening, greeting *secure.Server) *Listening {
	port := uint16(0)
	if at, ok := n.At.(*net.TCPAddr); ok {
		port = uint16(at.Port)
	}
	n.each(func(l *loop, fd int) { l.listen(fd, port, greeting) })
	return n
}

// each has the loops do something with their sockets.
func (n *Listening) each(do func(l *loop, fd int)) {
	for i, fd := range n.fds {
		n.server.loops[i%len(n.server.loops)].call(func(l *loop) { do(l, fd) })
	}
}

// Greet has the connections that come from now on speak TLS; with nil they do without.
func (n *Listening) Greet(greeting *secure.Server) {
	n.each(func(l *loop, fd int) { l.greet(fd, greeting) })
}

// closeTime is how long Close waits for loops that are busy.
const closeTime = time.Second

// Close lets in who waits, and listens no more. Connections stay. When it returns the
// address can be listened on again, unless loops are very busy.
func (n *Listening) Close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return
	}
	n.closed = true
	closed := make(chan struct{}, len(n.fds))
	n.each(func(l *loop, fd int) {
		l.unlisten(fd)
		closed <- struct{}{}
	})
	late := time.After(closeTime)
	for range n.fds {
		select {
		case <-closed:
		case <-late:
			return
		}
	}
}

var errNotListening = errors.New("the address isn't listened on any more")

// Files returns duplicates of the sockets, for the process that takes over.
func (n *Listening) Files() (files []*os.File, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed || n.server.draining.Load() {
		return nil, errNotListening
	}
	for _, fd := range n.fds[:n.own] {
		other, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			return files, err
		}
		files = append(files, os.NewFile(uintptr(other), n.At.String()))
	}
	return files, nil
}

// listener is a listening socket at one loop.
type listener struct {
	fd     int
	id     int32
	open   bool           // registered with the poller
	port   uint16         // 0: of a unix socket
	secure *secure.Server // nil: without TLS
}

const (
	firstListener = 2  // event ID -2 and below; -1 is the wake-up
	acceptBatch   = 64 // so that a flood of connections leaves time for requests
)

// listen adds a listening socket, unless the end has begun meanwhile.
func (l *loop) listen(fd int, port uint16, s *secure.Server) {
	if l.grace != 0 || l.Over() {
		l.Sys.Close(fd)
		return
	}
	place := slices.Index(l.listeners, nil)
	if place < 0 {
		place = len(l.listeners)
		l.listeners = append(l.listeners, nil)
	}
	d := &listener{fd: fd, id: -int32(place) - firstListener, port: port, secure: s}
	l.listeners[place] = d
	l.watch(d)
}

// unlisten lets in who waits in a listening socket's queue and closes it.
func (l *loop) unlisten(fd int) {
	for i, d := range l.listeners {
		if d != nil && d.fd == fd {
			l.closeListener(d)
			l.listeners[i] = nil
		}
	}
}

func (l *loop) closeListener(d *listener) {
	for l.accept(d) {
	}
	l.unwatch(d)
	l.Sys.Close(d.fd)
}

// greet has the connections that come to a listening socket from now on speak TLS, or
// not.
func (l *loop) greet(fd int, s *secure.Server) {
	for _, d := range l.listeners {
		if d != nil && d.fd == fd {
			d.secure = s
		}
	}
}

func (l *loop) watch(d *listener) {
	if err := l.Poller.AddListener(d.fd, d.id); err != nil {
		l.log().Error("can't listen", "error", err)
		return
	}
	d.open = true
}

func (l *loop) unwatch(d *listener) {
	if d.open {
		_ = l.Poller.Remove(d.fd) // fails only for what isn't registered
		d.open = false
	}
}

// accept takes clients from the queue and gives each to the loop that has fewest.
func (l *loop) accept(d *listener) (more bool) {
	for range acceptBatch {
		if !l.admit() {
			l.unwatch(d) // until one closes
			return false
		}
		fd, from, errno := l.Sys.Accept(d.fd)
		if errno != 0 {
			l.leave()
			l.acceptFailed(d, errno)
			return false
		}
		to := l.server.emptiest(l)
		if to.Assigned.Add(1); to == l {
			l.welcome(fd, from, d.port, d.secure)
		} else {
			port, greeting := d.port, d.secure
			to.call(func(to *loop) { to.welcome(fd, from, port, greeting) })
		}
	}
	return true
}

// admit counts a client, and reports whether there may be one more.
func (l *loop) admit() bool {
	v := l.server
	most := int64(l.snap.Config.Client.Connections)
	clients, open := v.clients.Add(1), v.files.Open.Add(1)
	if clients <= most && open <= v.files.Clients || v.draining.Load() {
		return true
	}
	v.paused.Add(1) // before the count goes down: who leaves after that sees it
	v.files.Pauses.Add(1)
	v.files.Log.Warn(l.log(), l.now, "there is no room for more clients, who wait until others leave", "clients", clients-1, "most", most, "open files", open-1, "most files", v.files.Most)
	l.leave()
	return false
}

// leave uncounts a client, and lets loops that wait accept again.
func (l *loop) leave() {
	v := l.server
	v.clients.Add(-1)
	v.files.Open.Add(-1)
	l.readmit()
}

// readmit lets loops that wait accept again if there is room.
func (l *loop) readmit() {
	v := l.server
	if v.paused.Load() == 0 || v.clients.Load() >= int64(l.snap.Config.Client.Connections) || v.files.Open.Load() >= v.files.Clients {
		return
	}
	v.paused.Store(0)
	for _, l := range v.loops {
		l.call(func(l *loop) {
			for _, d := range l.listeners {
				if d != nil && !d.open && l.grace == 0 {
					l.watch(d)
				}
			}
		})
	}
}

// welcome makes the loop the owner of an accepted connection.
func (l *loop) welcome(fd int, from netip.AddrPort, port uint16, greeting *secure.Server) {
	if l.Over() {
		l.Sys.Close(fd)
		return
	}
	c, id := l.clients.Add()
	c.begin(fd, id, from)
	c.port, c.greeting = port, greeting
	if err := l.Poller.Add(fd, clientEvent(id)); err != nil {
		l.log().Error("connection refused", "error", err)
		l.drop(c)
		return
	}
	if greeting != nil {
		l.await(c, phaseHello)
		return
	}
	l.await(c, phaseIdle)
	l.later(c) // most clients send at once
}

// acceptFailed deals with a full file table: the client at the head of the queue is
// turned away by way of a spare descriptor, so that it knows, and the listener is not
// found ready again at once.
func (l *loop) acceptFailed(d *listener, errno unix.Errno) {
	switch errno {
	case unix.EAGAIN:
	case unix.EMFILE, unix.ENFILE:
		l.outOfFiles(d)
	default:
		l.log().Warn("accepting a connection", "error", errno)
		l.Sys.Sleep(time.Millisecond) // the queue stays readable: don't spin
	}
}

func (l *loop) outOfFiles(d *listener) {
	v := l.server
	v.files.Log.Warn(l.log(), l.now, "no file can be opened any more: a client is turned away", "clients", v.clients.Load())
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.spare >= 0 {
		l.Sys.Close(v.spare)
	}
	if fd, _, errno := l.Sys.Accept(d.fd); errno == 0 && d.secure != nil {
		l.Sys.Close(fd) // what it could be told would take a handshake
	} else if errno == 0 {
		busy := http1.StatusLine(503) + "Retry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
		l.Sys.Read(fd, l.scratch)     // unread, it would make the close a reset
		l.Sys.Write(fd, []byte(busy)) // best effort
		l.Sys.CloseWrite(fd)
		l.Sys.Close(fd)
	}
	if v.keepSpare(); v.spare < 0 {
		l.Sys.Sleep(time.Millisecond) // somebody else took it: don't spin
	}
}
