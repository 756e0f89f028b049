package sockets

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// OpenEach opens n sockets that listen on one address, over which the kernel spreads
// connections (SO_REUSEPORT). If others have sockets there, however they share them, it
// fails with EADDRINUSE, unless shared is set: then it joins those of the same user that
// share theirs too.
func OpenEach(address string, n int, shared bool) (fds []int, err error) {
	for range n {
		fd, bound, err := openListener(address, shared || len(fds) > 0)
		if err != nil {
			CloseAll(fds)
			return nil, err
		}
		address = bound // the others join the port that the first one got
		fds = append(fds, fd)
	}
	return fds, nil
}

// Config opens listeners, with shared such ones as share their address.
func Config(shared bool) *net.ListenConfig {
	config := new(net.ListenConfig)
	config.SetMultipathTCP(false)
	if shared {
		config.Control = reusePort
	}
	return config
}

func reusePort(_, _ string, c syscall.RawConn) error {
	var err error
	failed := c.Control(func(fd uintptr) { err = share(int(fd)) })
	return errors.Join(failed, err)
}

func share(fd int) error {
	return os.NewSyscallError("setsockopt", unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1))
}

// openListener opens a socket that shares its address, at once or, if it mustn't join
// another process's, when it listens: only one socket at a time can begin to listen
// without SO_REUSEPORT, so that of two processes at the same moment one is refused, and
// it takes connections from then on, so that none is lost before the others join it.
func openListener(address string, shared bool) (fd int, bound string, err error) {
	ln, err := Config(shared).Listen(context.Background(), "tcp", address)
	if err != nil {
		return -1, "", err
	}
	defer ln.Close()
	if fd, err = Descriptor(ln.(syscall.Conn)); err != nil {
		return -1, "", err
	}
	if !shared {
		err = share(fd)
	}
	if err != nil {
		unix.Close(fd)
	}
	return fd, ln.Addr().String(), err
}

// Descriptor returns a descriptor of the socket that is ours.
func Descriptor(s syscall.Conn) (fd int, err error) {
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

// CloseAll closes descriptors.
func CloseAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}

// Listener is a listener that is a socket.
type Listener interface {
	net.Listener
	syscall.Conn
}

// Share closes a listener and returns n descriptors of its socket.
func Share(ln Listener, n int) (fds []int, err error) {
	defer ln.Close()
	for range n {
		fd, err := Descriptor(ln)
		if err != nil {
			CloseAll(fds)
			return nil, err
		}
		fds = append(fds, fd)
	}
	return fds, nil
}

// Conn returns a net.Conn with a descriptor of its own.
func Conn(fd int) (net.Conn, error) {
	other, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(other), "connection")
	c, err := net.FileConn(f)
	return c, errors.Join(err, f.Close())
}

// modeFirst sets the mode of a socket before it has a file, so that there is no
// moment at which others may connect.
func modeFirst(mode fs.FileMode) func(network, address string, c syscall.RawConn) error {
	return func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { _ = unix.Fchmod(int(fd), uint32(mode)) }) // os.Chmod follows
	}
}

// Bound returns the address that a socket of TCP is bound to.
func Bound(fd int) (net.Addr, error) {
	at, err := unix.Getsockname(fd)
	if at, ok := addrOf(at).(*net.TCPAddr); ok {
		return at, nil
	}
	return nil, errors.Join(errors.New("it is no socket of TCP"), err)
}

// Local returns the address of a socket, and Remote that of its peer; nil: it has none.
func Local(fd int) net.Addr {
	at, _ := unix.Getsockname(fd) // nil with an error
	return addrOf(at)
}

func Remote(fd int) net.Addr {
	at, _ := unix.Getpeername(fd)
	return addrOf(at)
}

func addrOf(at unix.Sockaddr) net.Addr {
	switch at := at.(type) {
	case *unix.SockaddrInet4:
		return &net.TCPAddr{IP: at.Addr[:], Port: at.Port}
	case *unix.SockaddrInet6:
		return &net.TCPAddr{IP: at.Addr[:], Port: at.Port}
	case *unix.SockaddrUnix:
		return &net.UnixAddr{Net: "unix", Name: at.Name}
	}
	return nil
}

// Connections have these options from the socket they come to. A client that is
// gone without a word is found after some two minutes: a handler that only waits
// for the end of its context would wait for ever.
const (
	KeepAliveIdle  = 60 // seconds of silence before the first probe
	keepAliveEvery = 15 // seconds between probes
	keepAliveMost  = 4  // probes without a response
)

// KeepAlive has the kernel probe the connections that come to a listening socket.
// Without it they work as well, as long as no peer vanishes.
func KeepAlive(fd int) {
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1)
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, KeepAliveIdle)
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, keepAliveEvery)
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPCNT, keepAliveMost)
}
