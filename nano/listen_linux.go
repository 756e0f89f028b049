package nano

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// serving is the state of an app that serves.
type serving struct {
	once   sync.Once
	server *server
	broken error
	std    stdServer // for TLS, HTTP/2 and listeners that aren't sockets
	holding
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
	if files := inherited().claim(address); len(files) > 0 {
		return a.listenInherited(s, address, files)
	}
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		return a.listenUnix(s, address, path)
	}
	fds, err := openListeners(address, len(s.loops))
	if err != nil {
		return err
	}
	a.holdSockets(address, fds)
	return s.serve(fds, true)
}

// listenUnix opens one socket, which all loops share.
func (a *App) listenUnix(s *server, address, path string) error {
	ln, err := listenUnix(path, a.config.UnixMode)
	if err != nil {
		return err
	}
	fds, err := s.share(ln)
	if err != nil {
		return err
	}
	a.holdSockets(address, fds[:1])
	s.removeAtEnd(path)
	return s.serve(fds, false)
}

func openListeners(address string, n int) (fds []int, err error) {
	config := net.ListenConfig{Control: reusePort}
	config.SetMultipathTCP(false)
	for range n {
		fd, bound, err := openListener(&config, address)
		if err != nil {
			closeAll(fds)
			return nil, err
		}
		address = bound // the others join the port that the first one got
		fds = append(fds, fd)
	}
	return fds, nil
}

func reusePort(_, _ string, c syscall.RawConn) error {
	var err error
	failed := c.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
	})
	return errors.Join(failed, err)
}

func openListener(config *net.ListenConfig, address string) (fd int, bound string, err error) {
	ln, err := config.Listen(context.Background(), "tcp", address)
	if err != nil {
		return -1, "", err
	}
	defer ln.Close()
	fd, err = descriptor(ln.(syscall.Conn))
	return fd, ln.Addr().String(), err
}

// descriptor returns a descriptor of the socket that is ours.
func descriptor(s syscall.Conn) (fd int, err error) {
	raw, err := s.SyscallConn()
	if err != nil {
		return -1, err
	}
	failed := raw.Control(func(of uintptr) {
		fd, err = unix.FcntlInt(of, unix.F_DUPFD_CLOEXEC, 0)
	})
	if err = errors.Join(failed, err); err != nil {
		return -1, fmt.Errorf("nano: taking over a socket: %w", err)
	}
	return fd, nil
}

func closeAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
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
	fds, err := s.share(ln.(interface {
		net.Listener
		syscall.Conn
	}))
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
		closeAll(fds)
		return ErrServerClosed
	}
	for i, fd := range fds {
		s.loops[i%len(s.loops)].hand(&message{open: func(l *loop) { l.listen(fd, tcp) }})
	}
	<-s.ended
	return nil
}

// share closes a listener and returns descriptors of its socket, one for each loop.
func (s *server) share(ln interface {
	net.Listener
	syscall.Conn
}) (fds []int, err error) {
	defer ln.Close()
	for range s.loops {
		fd, err := descriptor(ln)
		if err != nil {
			closeAll(fds)
			return nil, err
		}
		fds = append(fds, fd)
	}
	return fds, nil
}
