//go:build linux

package proxy

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	eventloop "dyno.example/nano/wire/loop"
	"dyno.example/nano/wire/sockets"
	"dyno.example/nano/wire/tlsconn"
	"dyno.example/nanogate/internal/secure"
)

// downstream is a loop's listening sockets and its clients' connections: how they come, greet,
// are read and go.
type downstream struct {
	*loop

	listeners  *eventloop.Listeners[*loop, entry]
	handshakes tlsconn.Handshakes // with clients
}

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
	n.each(func(l *loop, fd int) { l.downstream.listeners.Listen(fd, entry{port, greeting}) })
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
	n.each(func(l *loop, fd int) { l.downstream.listeners.Change(fd, func(by *entry) { by.secure = greeting }) })
}

// closeTime is how long Close waits for loops that are busy.
const closeTime = time.Second

// Close accepts the connections that are waiting, and stops listening. Connections stay.
// When it returns the address can be listened on again, unless loops are very busy.
func (n *Listening) Close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return
	}
	n.closed = true
	closed := make(chan struct{}, len(n.fds))
	n.each(func(l *loop, fd int) {
		l.downstream.listeners.Unlisten(fd)
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
	if n.closed || n.server.Draining() {
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

// entry is what a listener knows about its connections.
type entry struct {
	port   uint16         // 0: of a unix socket
	secure *secure.Server // nil: without TLS
}

// admission has the limits of connections, and decides what to do with an accepted one.
func (v *Server) admission() eventloop.Admission[*loop, entry] {
	return eventloop.Admission[*loop, entry]{
		Count: func(n int64) bool {
			clients, open := v.clients.Add(n), v.files.Open.Add(n)
			return clients <= v.mostClients() && open <= v.files.Clients
		},
		Room:     func() bool { return v.clients.Load() < v.mostClients() && v.files.Open.Load() < v.files.Clients },
		Accepted: func(l *loop, fd int, from netip.AddrPort, by entry) { l.downstream.welcome(fd, from, by) },
		Silent:   func(by entry) bool { return by.secure != nil },
		Paused: func(l *loop) {
			v.files.Pauses.Add(1)
			v.files.Log.Warn(l.log(), l.now, "there is no room for more clients, who wait until others leave", "clients", v.clients.Load()-1, "most", v.mostClients(), "open files", v.files.Open.Load()-1, "most files", v.files.Most)
		},
		OutOfFiles: func(l *loop) {
			v.files.Log.Warn(l.log(), l.now, "no file can be opened any more: a client is turned away", "clients", v.clients.Load())
		},
		AcceptFailed: func(l *loop, errno unix.Errno) { l.log().Warn("accepting a connection", "error", errno) },
		ListenFailed: func(l *loop, err error) { l.log().Error("can't listen", "error", err) },
	}
}

func (v *Server) mostClients() int64 { return int64(v.current.Load().Config.Client.Connections) }

// welcome makes the loop the owner of an accepted connection.
func (l *downstream) welcome(fd int, from netip.AddrPort, by entry) {
	if l.Over() {
		l.Sys.Close(fd)
		return
	}
	c, id := l.clients.Add()
	c.begin(l, fd, id, from)
	c.port, c.greeting = by.port, by.secure
	if err := l.Poller.Add(fd, clientEvent(id)); err != nil {
		l.log().Error("connection refused", "error", err)
		l.exchanges.drop(c)
		return
	}
	if by.secure != nil {
		l.deadlines.await(c, stateHello)
		return
	}
	l.deadlines.await(c, stateIdle)
	l.later(c) // most clients send at once
}
