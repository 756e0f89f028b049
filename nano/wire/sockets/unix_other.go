//go:build !linux

package sockets

import (
	"io/fs"
	"syscall"
)

// modeFirst: elsewhere the mode can only be set when the socket has its file.
func modeFirst(fs.FileMode) func(network, address string, c syscall.RawConn) error { return nil }
