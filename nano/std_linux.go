package nano

import (
	"crypto/tls"
	"io/fs"
	"net"
	"syscall"

	"golang.org/x/sys/unix"

	"dyno/nano/wire/reactor"
)

// welcomeQueue lets in who waits in the queue of a listener that accepts no more.
func (s *stdServer) welcomeQueue(a *App, ln net.Listener, config *tls.Config) {
	socket, ok := ln.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return
	}
	for {
		fd, errno := -1, unix.Errno(0)
		if err := raw.Control(func(ln uintptr) { fd, _, errno = reactor.Accept(int(ln)) }); err != nil || errno != 0 {
			return
		}
		c, err := connOf(fd)
		unix.Close(fd) // connOf has one of its own
		if err == nil {
			s.welcome(a, c, config)
		}
	}
}

// modeFirst sets the mode of a socket before it has a file, so that there is no
// moment at which others may connect.
func modeFirst(mode fs.FileMode) func(network, address string, c syscall.RawConn) error {
	return func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { _ = unix.Fchmod(int(fd), uint32(mode)) }) // os.Chmod follows
	}
}
