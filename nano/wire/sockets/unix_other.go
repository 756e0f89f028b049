//go:build !linux

package sockets

import (
	"io/fs"
	"net"
	"syscall"
)

// Config opens listeners. Addresses are shared on Linux only: elsewhere SO_REUSEPORT
// doesn't spread connections.
func Config(bool) *net.ListenConfig { return new(net.ListenConfig) }

// modeFirst: elsewhere the mode can only be set when the socket has its file.
func modeFirst(fs.FileMode) func(network, address string, c syscall.RawConn) error { return nil }
