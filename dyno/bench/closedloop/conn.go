//go:build linux

package closedloop

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"
)

// conn is one connection.
type conn struct {
	fd       int
	tls      *tls.Conn // nil: none
	protocol Protocol
	kept     []byte // the beginning of what hasn't come whole
	flowing  bool   // the socket doesn't block any more
}

// dial connects, and shakes hands if there is a config. The socket blocks, with patience.
func dial(at netip.AddrPort, config *tls.Config) (*conn, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	one := &conn{fd: fd}
	if err := one.connect(at, config); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return one, nil
}

func (one *conn) connect(at netip.AddrPort, config *tls.Config) error {
	limit := unix.NsecToTimeval(int64(patience))
	err := errors.Join(
		unix.SetsockoptInt(one.fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1),
		unix.SetsockoptTimeval(one.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit),
		unix.SetsockoptTimeval(one.fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &limit))
	if err != nil {
		return err
	}
	err = unix.Connect(one.fd, &unix.SockaddrInet4{Port: int(at.Port()), Addr: at.Addr().As4()})
	if errors.Is(err, unix.EINTR) {
		err = connected(one.fd)
	}
	if err != nil || config == nil {
		return err
	}
	one.tls = tls.Client(socket(one.fd), config)
	return one.tls.HandshakeContext(context.Background())
}

// connected waits for a connection that goes on being made, as one does after a signal
// (connect(2)), and returns what came of it.
func connected(fd int) error {
	polled := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
	for {
		n, err := unix.Poll(polled, int(patience.Milliseconds()))
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return err
		case n == 0:
			return unix.ETIMEDOUT
		}
		failed, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
		if err == nil && failed != 0 {
			err = unix.Errno(failed)
		}
		return err
	}
}

// read reads once; again says that there may be more. Of a socket that doesn't block and
// has nothing n is 0.
func (one *conn) read(b []byte) (n int, again bool, err error) {
	if one.tls == nil {
		n, err = socket(one.fd).Read(b)
		again = n == len(b)
	} else {
		n, err = one.tls.Read(b)
		again = err == nil && one.flowing // what crypto/tls holds, the kernel tells nobody of
	}
	if errors.Is(err, errLater) {
		if !one.flowing {
			return 0, false, errors.New("the server says nothing")
		}
		err = nil
	}
	return n, again, err
}

// write sends all of b: so little that there is room for it, unless the server reads
// nothing.
func (one *conn) write(b []byte) (err error) {
	if one.tls == nil {
		_, err = socket(one.fd).Write(b)
	} else {
		_, err = one.tls.Write(b)
	}
	if errors.Is(err, errLater) {
		err = errors.New("the server reads nothing: there is no room for another request")
	}
	return err
}

// socket is a descriptor as crypto/tls wants it.
type socket int

// errLater says that a socket has nothing, or no room. For crypto/tls it is an error after
// which a connection goes on.
var errLater net.Error = later{}

type later struct{}

func (later) Error() string   { return "not yet" }
func (later) Timeout() bool   { return true }
func (later) Temporary() bool { return true }

func (s socket) Read(b []byte) (int, error) {
	for {
		n, err := unix.Read(int(s), b)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			return 0, errLater
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.ErrUnexpectedEOF
		}
		return n, nil
	}
}

func (s socket) Write(b []byte) (sent int, err error) {
	for sent < len(b) {
		n, err := unix.Write(int(s), b[sent:])
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			return sent, errLater
		case err != nil:
			return sent, err
		}
		sent += n
	}
	return sent, nil
}

func (s socket) Close() error                     { return unix.Close(int(s)) }
func (s socket) LocalAddr() net.Addr              { return nil }
func (s socket) RemoteAddr() net.Addr             { return nil }
func (s socket) SetDeadline(time.Time) error      { return nil }
func (s socket) SetReadDeadline(time.Time) error  { return nil }
func (s socket) SetWriteDeadline(time.Time) error { return nil }
