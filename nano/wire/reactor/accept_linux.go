package reactor

import (
	"fmt"
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

// AddListener registers a listening socket. Unlike connections, it is reported
// as long as clients wait in its queue, so they need not all be accepted at once.
func (p *Poller) AddListener(fd int, id int32) error {
	ev := unix.EpollEvent{Events: unix.EPOLLIN, Fd: id}
	if err := unix.EpollCtl(p.epoll, unix.EPOLL_CTL_ADD, fd, &ev); err != nil {
		return fmt.Errorf("adding a listener to epoll: %w", err)
	}
	return nil
}

// Remove takes a socket out. Closing it does that too, unless another descriptor
// of it is open.
func (p *Poller) Remove(fd int) error {
	if err := unix.EpollCtl(p.epoll, unix.EPOLL_CTL_DEL, fd, nil); err != nil {
		return fmt.Errorf("removing a socket from epoll: %w", err)
	}
	return nil
}

// Accept takes one connection from a non-blocking listener's queue. The socket is
// non-blocking and the caller's. from is the zero AddrPort for unix sockets.
// errno is 0, EAGAIN when nobody waits, or the reason, such as EMFILE.
func Accept(fd int) (conn int, from netip.AddrPort, errno unix.Errno) {
	var addr unix.RawSockaddrAny
	size := uint32(unsafe.Sizeof(addr))
	for {
		r, _, errno := unix.RawSyscall6(unix.SYS_ACCEPT4, uintptr(fd), uintptr(unsafe.Pointer(&addr)),
			uintptr(unsafe.Pointer(&size)), unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0, 0)
		switch errno {
		case 0:
			return int(r), addrPort(&addr), 0
		case unix.EINTR, unix.ECONNABORTED: // that client has gone: the next one
		default:
			return -1, netip.AddrPort{}, errno
		}
	}
}

// addrPort reads the address of an internet socket. IPv4 in IPv6 becomes IPv4.
func addrPort(a *unix.RawSockaddrAny) netip.AddrPort {
	switch a.Addr.Family {
	case unix.AF_INET:
		in := (*unix.RawSockaddrInet4)(unsafe.Pointer(a))
		return netip.AddrPortFrom(netip.AddrFrom4(in.Addr), port(&in.Port))
	case unix.AF_INET6:
		in := (*unix.RawSockaddrInet6)(unsafe.Pointer(a))
		return netip.AddrPortFrom(netip.AddrFrom16(in.Addr).Unmap(), port(&in.Port))
	}
	return netip.AddrPort{}
}

// port reads a port in network order, as it lies in memory.
func port(p *uint16) uint16 {
	b := (*[2]byte)(unsafe.Pointer(p))
	return uint16(b[0])<<8 | uint16(b[1])
}

// Write2 writes two pieces with one system call, as [Write] does one.
func Write2(fd int, a, b []byte) (n int, errno unix.Errno) {
	pieces := [2]unix.Iovec{{Base: unsafe.SliceData(a)}, {Base: unsafe.SliceData(b)}}
	pieces[0].SetLen(len(a))
	pieces[1].SetLen(len(b))
	msg := unix.Msghdr{Iov: &pieces[0]}
	msg.SetIovlen(len(pieces))
	r, _, errno := unix.RawSyscall(unix.SYS_SENDMSG, uintptr(fd), uintptr(unsafe.Pointer(&msg)), unix.MSG_NOSIGNAL)
	if errno != 0 {
		return 0, errno
	}
	return int(r), 0
}
