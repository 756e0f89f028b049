//go:build linux

package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// openEach opens n listening sockets that share an address (SO_REUSEPORT).
func openEach(address string, n int) (fds []int, bound net.Addr, err error) {
	config := net.ListenConfig{Control: reusePort}
	config.SetMultipathTCP(false)
	for range n {
		fd, at, err := openListener(&config, address)
		if err != nil {
			for _, fd := range fds {
				unix.Close(fd)
			}
			return nil, nil, fmt.Errorf("listening on %s: %w", address, err)
		}
		address, bound = at.String(), at // the others join the port that the first one got
		fds = append(fds, fd)
	}
	return fds, bound, nil
}

func reusePort(_, _ string, c syscall.RawConn) error {
	var err error
	failed := c.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
	})
	return errors.Join(failed, err)
}

// openListener opens a listening socket and returns a descriptor of it that is ours.
func openListener(config *net.ListenConfig, address string) (fd int, bound net.Addr, err error) {
	ln, err := config.Listen(context.Background(), "tcp", address)
	if err != nil {
		return -1, nil, err
	}
	defer ln.Close()
	raw, err := ln.(syscall.Conn).SyscallConn()
	if err != nil {
		return -1, nil, err
	}
	failed := raw.Control(func(of uintptr) {
		fd, err = unix.FcntlInt(of, unix.F_DUPFD_CLOEXEC, 0)
	})
	if err := errors.Join(failed, err); err != nil {
		return -1, nil, err
	}
	return fd, ln.Addr(), nil
}

// A client that is gone without a word is found after some two minutes.
const (
	keepAliveIdle  = 60 // seconds of silence before the first probe
	keepAliveEvery = 15 // seconds between probes
	keepAliveMost  = 4  // probes without a response
)

// keepAlive has the kernel probe connections that come to a listening socket. Without
// it they work as well, as long as nobody vanishes.
func keepAlive(fd int) {
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1)
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, keepAliveIdle)
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, keepAliveEvery)
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPCNT, keepAliveMost)
}
