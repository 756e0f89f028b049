// Package sockets opens listening sockets, and takes sockets over by their
// descriptors.
package sockets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"
	"time"
)

// unixMode is the mode of unix sockets by default: the owner and the group may
// connect.
const unixMode fs.FileMode = 0o660

// ListenUnix listens on a unix socket. A socket that an earlier process left behind is
// removed, but only if no process listens on it. A mode of 0 stands for 0660.
func ListenUnix(path string, mode fs.FileMode) (*net.UnixListener, error) {
	mode = cmp.Or(mode, unixMode).Perm()
	ln, err := bindUnix(path, mode)
	if errors.Is(err, syscall.EADDRINUSE) && isStale(path) {
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("nano: a socket that was left behind: %w", err)
		}
		ln, err = bindUnix(path, mode)
	}
	if err != nil {
		return nil, err
	}
	ln.SetUnlinkOnClose(false) // it may have been handed over
	return ln, nil
}

func bindUnix(path string, mode fs.FileMode) (*net.UnixListener, error) {
	if path == "" {
		return nil, errors.New("unix: needs the path of a socket behind it")
	}
	config := net.ListenConfig{Control: modeFirst(mode)}
	ln, err := config.Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, err
	}
	if HasFile(path) {
		err = os.Chmod(path, mode) // what the umask has taken
	}
	if err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	return ln.(*net.UnixListener), nil
}

// isStale reports whether path is a socket without a listener.
func isStale(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != fs.ModeSocket {
		return false
	}
	c, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		c.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}

// HasFile reports whether a unix socket of the name has a file: Linux has a name
// space of its own for those that begin with "@", where a file may be anybody's.
func HasFile(path string) bool { return path != "" && path[0] != '@' }
