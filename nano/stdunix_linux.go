package nano

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// modeFirst sets the mode of a socket before it has a file, so that there is no
// moment at which others may connect.
func modeFirst(mode fs.FileMode) func(network, address string, c syscall.RawConn) error {
	return func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { _ = unix.Fchmod(int(fd), uint32(mode)) }) // os.Chmod follows
	}
}
