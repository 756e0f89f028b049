package nano

import (
	"crypto/tls"
	"net"
	"syscall"

	"golang.org/x/sys/unix"

	"dyno/nano/internal/sockets"
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
		c, err := sockets.Conn(fd)
		unix.Close(fd) // the net.Conn has one of its own
		if err == nil {
			s.welcome(a, c, config)
		}
	}
}
