package main

import (
	"context"
	"net"
	"syscall"
)

// tcpFastOpen is TCP_FASTOPEN of tcp(7), which package syscall lacks.
const tcpFastOpen = 23

// listen listens with a queue of so many connections that TCP Fast Open (RFC 7413) gave a
// request before their handshake ended; 0 leaves it off.
func listen(address string, fastOpen int) (net.Listener, error) {
	var config net.ListenConfig
	if fastOpen > 0 {
		config.Control = func(_, _ string, c syscall.RawConn) (err error) {
			failed := c.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpFastOpen, fastOpen) })
			if failed != nil {
				return failed
			}
			return err
		}
	}
	return config.Listen(context.Background(), "tcp", address)
}
