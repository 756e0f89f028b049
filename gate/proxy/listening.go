//go:build linux

package proxy

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"dyno/gate/secure"
	"dyno/nano/wire/sockets"
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
func (v *Server) Listen(address string, greeting *secure.Server) (*Listening, error) {
	fds, err := sockets.OpenEach(address, len(v.loops))
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w", address, err)
	}
	bound, err := sockets.Bound(fds[0])
	if err != nil {
		sockets.CloseAll(fds)
		return nil, fmt.Errorf("listening on %s: %w", address, err)
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
	for _, f := range files {
		f.Close()
	}
	return v.serveOn(l, greeting), nil
}

func (v *Server) serveOn(n *Listening, greeting *secure.Server) *Listening {
	n.each(func(l *loop, fd int) { l.listen(fd, greeting) })
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

// Close lets in who waits, and listens no more. Connections stay.
func (n *Listening) Close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.closed {
		n.closed = true
		n.each((*loop).unlisten)
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
