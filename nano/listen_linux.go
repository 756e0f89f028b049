package nano

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// serving is the state of an app that serves.
type serving struct {
	once   sync.Once
	server *server
	broken error
	std    stdServer // for listeners that aren't sockets
}

// start makes the loops, once.
func (a *App) start() (*server, error) {
	a.once.Do(func() { a.server, a.broken = newServer(a) })
	return a.server, a.broken
}

// listen opens a socket for each loop on the same address (SO_REUSEPORT).
func (a *App) listen(address string) error {
	s, err := a.start()
	if err != nil {
		return err
	}
	config := net.ListenConfig{Control: reusePort}
	config.SetMultipathTCP(false)
	fds := make([]int, 0, len(s.loops))
	for range s.loops {
		fd, bound, err := openListener(&config, address)
		if err != nil {
			closeAll(fds)
			return err
		}
		address = bound // the others join the port that the first one got
		fds = append(fds, fd)
	}
	return s.serve(fds, true)
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
		return a.std.serve(a, ln)
	}
	s, err := a.start()
	if err != nil {
		return err
	}
	fds := make([]int, 0, len(s.loops))
	for range s.loops {
		fd, err := descriptor(ln.(syscall.Conn))
		if err != nil {
			closeAll(fds)
			return err
		}
		fds = append(fds, fd)
	}
	if !tcp {
		s.mu.Lock()
		s.sockets = append(s.sockets, ln.Addr().String())
		s.mu.Unlock()
	}
	ln.Close()
	return s.serve(fds, tcp)
}

// serve gives each loop its listening socket and waits for the end.
func (s *server) serve(fds []int, tcp bool) error {
	if s.draining.Load() {
		closeAll(fds)
		return ErrShutDown
	}
	for i, l := range s.loops {
		l.call(func(l *loop) { l.listen(fds[i], tcp) })
	}
	<-s.ended
	return nil
}
