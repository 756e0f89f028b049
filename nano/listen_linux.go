package nano

import (
	"net"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"dyno/nano/internal/handoff"
	"dyno/nano/internal/sockets"
)

// serving is the state of an app that serves.
type serving struct {
	once      sync.Once
	server    *server
	broken    error
	std       stdServer // for TLS, HTTP/2 and listeners that aren't sockets
	listeners handoff.Listeners
}

// start makes the loops, once.
func (a *App) start() (*server, error) {
	a.once.Do(func() { a.server, a.broken = newServer(a) })
	return a.server, a.broken
}

// listen opens a socket for each loop on the same address (SO_REUSEPORT), or takes
// those of the process before.
func (a *App) listen(address string) error {
	s, err := a.start()
	if err != nil {
		return err
	}
	if files := handoff.Claim(address); len(files) > 0 {
		return a.listenInherited(s, address, files)
	}
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		return a.listenUnix(s, address, path)
	}
	fds, err := sockets.OpenEach(address, len(s.loops))
	if err != nil {
		return err
	}
	a.holdSockets(address, fds)
	return s.serve(fds, true)
}

// listenUnix opens one socket, which all loops share.
func (a *App) listenUnix(s *server, address, path string) error {
	ln, err := sockets.ListenUnix(path, a.config.UnixMode)
	if err != nil {
		return err
	}
	fds, err := sockets.Share(ln, len(s.loops))
	if err != nil {
		return err
	}
	a.holdSockets(address, fds[:1])
	s.removeAtEnd(path)
	return s.serve(fds, false)
}

// serveListener takes over a listener's socket. All loops share it.
func (a *App) serveListener(ln net.Listener) error {
	tcp := false
	switch ln := ln.(type) {
	case *net.TCPListener:
		tcp = true
	case *net.UnixListener:
		ln.SetUnlinkOnClose(false)
	default:
		return a.std.serve(a, ln, nil)
	}
	s, err := a.start()
	if err != nil {
		return err
	}
	fds, err := sockets.Share(ln.(sockets.Listener), len(s.loops))
	if err != nil {
		return err
	}
	if !tcp {
		s.removeAtEnd(ln.Addr().String())
	}
	return s.serve(fds, tcp)
}

// serve deals the listening sockets out to the loops, which are no more than they,
// and waits for the end.
func (s *server) serve(fds []int, tcp bool) error {
	if s.draining.Load() {
		sockets.CloseAll(fds)
		return ErrServerClosed
	}
	for i, fd := range fds {
		s.loops[i%len(s.loops)].hand(&message{open: func(l *loop) { l.listen(fd, tcp) }})
	}
	<-s.ended
	return nil
}

// holdSockets notes the sockets of an address. The loops close them when the app
// drains; until then duplicates can be made.
func (a *App) holdSockets(address string, fds []int) {
	fds = append([]int(nil), fds...)
	a.listeners.Hold(address, func() (files []*os.File, err error) {
		if a.server.draining.Load() {
			return nil, ErrServerClosed
		}
		for _, fd := range fds {
			other, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
			if err != nil {
				return files, err
			}
			files = append(files, os.NewFile(uintptr(other), address))
		}
		return files, nil
	})
}

// listenInherited serves on the sockets of the process before. If there are more
// loops than sockets, some share one.
func (a *App) listenInherited(s *server, address string, files []*os.File) error {
	fds := make([]int, 0, max(len(files), len(s.loops)))
	for i := range cap(fds) {
		fd, err := sockets.Descriptor(files[i%len(files)])
		if err != nil {
			sockets.CloseAll(fds)
			return err
		}
		fds = append(fds, fd)
	}
	for _, f := range files {
		f.Close()
	}
	a.holdSockets(address, fds[:len(files)])
	path, isUnix := strings.CutPrefix(address, "unix:")
	if isUnix {
		s.removeAtEnd(path)
	}
	handoff.Served()
	return s.serve(fds, !isUnix)
}

// removeAtEnd has a unix socket's file removed when the app has ended.
func (s *server) removeAtEnd(path string) {
	if !sockets.HasFile(path) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sockets = append(s.sockets, path)
}
