package reactor

import (
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"
)

// Dialer makes non-blocking connections to one address. It is not safe for use
// by several goroutines.
type Dialer struct {
	To       unix.Sockaddr
	From     []unix.Sockaddr // local addresses, used in turn; empty leaves the choice to the kernel
	Nagle    bool            // leave delayed sending on
	FastOpen bool            // TCP_FASTOPEN_CONNECT: the SYN goes out with the first data
	QuickAck bool            // TCP_QUICKACK
	Receive  int             // SO_RCVBUF in bytes, of which the kernel makes twice as many; 0 leaves it to the kernel

	next int // of From
}

// Socket opens a socket as asked for, bound if there are local addresses. The
// caller owns the descriptor.
func (d *Dialer) Socket() (fd int, err error) {
	family, protocol := unix.AF_INET, unix.IPPROTO_TCP
	switch d.To.(type) {
	case *unix.SockaddrInet6:
		family = unix.AF_INET6
	case *unix.SockaddrUnix:
		family, protocol = unix.AF_UNIX, 0
	}
	fd, err = unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, protocol)
	if err != nil {
		return -1, err
	}
	if family != unix.AF_UNIX {
		err = d.prepare(fd)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

func (d *Dialer) prepare(fd int) error {
	for _, o := range []struct {
		wanted bool
		option int
	}{{!d.Nagle, unix.TCP_NODELAY}, {d.FastOpen, unix.TCP_FASTOPEN_CONNECT}, {d.QuickAck, unix.TCP_QUICKACK}} {
		if o.wanted {
			if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, o.option, 1); err != nil {
				return err
			}
		}
	}
	if d.Receive > 0 { // before the handshake, which says how large the window may become
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, d.Receive); err != nil {
			return err
		}
	}
	if len(d.From) == 0 {
		return nil
	}
	// The port is chosen when the destination is known, so that the same one can
	// serve connections to different destinations.
	if err := unix.SetsockoptInt(fd, unix.SOL_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1); err != nil {
		return err
	}
	from := d.From[d.next%len(d.From)]
	d.next++
	if err := unix.Bind(fd, from); err != nil {
		return fmt.Errorf("connecting from %v: %w", address(from), err)
	}
	return nil
}

func address(a unix.Sockaddr) netip.Addr {
	switch a := a.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrFrom4(a.Addr)
	case *unix.SockaddrInet6:
		return netip.AddrFrom16(a.Addr)
	}
	return netip.Addr{}
}

// Dial starts a connection. If it is not up when Dial returns it is up, or has
// failed, when the socket becomes writable; then [ConnectError] tells which. With
// TCP Fast Open it is up as soon as there is a cookie: the handshake takes place
// with the first write. The caller owns the descriptor.
func (d *Dialer) Dial() (fd int, up bool, err error) {
	fd, err = d.Socket()
	if err != nil {
		return -1, false, err
	}
	err = unix.Connect(fd, d.To)
	if err != nil && err != unix.EINPROGRESS {
		unix.Close(fd)
		return -1, false, err
	}
	return fd, err == nil, nil
}

// Connected reports whether a connection is up already, or why it failed. It
// never blocks; near targets respond within the connect call. A failure is
// reported once.
func Connected(fd int) (bool, error) {
	_, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), 0, 0, unix.MSG_NOSIGNAL, 0, 0)
	switch errno {
	case 0:
		return true, nil
	case unix.EAGAIN, unix.ENOTCONN:
		return false, nil
	}
	return false, errno
}
