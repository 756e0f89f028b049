//go:build linux

package admin

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Outside gives the connections to a listener that come from other processes: the
// process' own are closed. What a client sends to an upstream that turns out to be the
// admin address would else come from this machine, and be obeyed; whatever a route strips
// or rewrites of it, whoever translates addresses on the way, it comes over a socket that
// is the gateway's. The listener is the caller's no more.
func Outside(ln net.Listener, log *slog.Logger) net.Listener {
	return &outside{Listener: ln, log: log}
}

type outside struct {
	net.Listener
	log  *slog.Logger
	told time.Time
}

// logEvery is how often requests of the gateway to itself are logged at most.
const logEvery = time.Minute

func (o *outside) Accept() (net.Conn, error) {
	for {
		c, err := o.Listener.Accept()
		if err != nil {
			return nil, err
		}
		why := unwanted(c)
		if why == nil {
			return c, nil
		}
		c.Close()
		if now := time.Now(); now.Sub(o.told) >= logEvery {
			o.told = now
			o.log.Warn("a connection to the admin address is closed", "from", c.RemoteAddr().String(), "reason", why)
		}
	}
}

// SetDeadline ends a call of Accept in time, where the listener can.
func (o *outside) SetDeadline(at time.Time) error {
	d, ok := o.Listener.(interface{ SetDeadline(time.Time) error })
	if !ok {
		return os.ErrNoDeadline
	}
	return d.SetDeadline(at)
}

// unwanted says why a connection isn't taken; nil: it is.
func unwanted(c net.Conn) error {
	own, err := isOwn(c)
	switch {
	case err != nil:
		return fmt.Errorf("it can't be told whether it is the gateway's own: %w", err)
	case own:
		return errors.New("the gateway sends requests to itself: a route or a source of endpoints leads here")
	}
	return nil
}

// isOwn reports whether the other end of a connection is a socket of this process.
func isOwn(c net.Conn) (own bool, err error) {
	socket, ok := c.(syscall.Conn)
	if !ok {
		return false, errors.New("it is no socket")
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false, err
	}
	failed := raw.Control(func(fd uintptr) {
		switch c.(type) {
		case *net.UnixConn:
			// The kernel records the peer's credentials (unix(7)).
			var peer *unix.Ucred
			if peer, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
				own = int(peer.Pid) == os.Getpid()
			}
		case *net.TCPConn:
			own, err = fromHere(int(fd), ends{of(c.RemoteAddr()), of(c.LocalAddr())})
		default:
			err = errors.New("it is neither TCP's nor a unix socket's")
		}
	})
	if failed != nil {
		return false, failed
	}
	return own, err
}

// fromHere reports whether the other end of a TCP connection is a socket of this process: one that has the address that
// the connection comes from. Another process' may have the same one, as ports are shared by connections to different
// addresses; then it is the system's that has both ends. If no socket has, addresses are translated on the
// way, and it is this process' after all. So is, to be safe, a connection whose peer was closed meanwhile, or before: it can't be
// found any more.
func fromHere(fd int, peer ends) (bool, error) {
	own, err := boundTo(peer.local, fd)
	if err != nil {
		return false, err
	}
	if len(own) > 0 {
		inode, err := inodeOf(peer)
		return inode == 0 || slices.Contains(own, inode), err
	}
	info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return false, err
	}
	const established = 1 // TCP_ESTABLISHED (linux/tcp_states.h)
	return info.State != established, nil
}

// boundTo are the inodes of this process' stream sockets, but for one, that have an address.
func boundTo(at netip.AddrPort, but int) (inodes []uint64, err error) {
	dir, err := os.Open("/proc/self/fd")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		fd, err := strconv.Atoi(name)
		if err != nil || fd == but || !isBoundTo(fd, at) {
			continue
		}
		var stat unix.Stat_t
		if err := unix.Fstat(fd, &stat); err != nil {
			return nil, err
		}
		inodes = append(inodes, stat.Ino)
	}
	return inodes, nil
}

// isBoundTo reports whether a descriptor is a stream's socket with that address.
func isBoundTo(fd int, at netip.AddrPort) bool {
	name, err := unix.Getsockname(fd)
	if err != nil {
		return false
	}
	var bound netip.AddrPort
	switch a := name.(type) {
	case *unix.SockaddrInet4:
		bound = netip.AddrPortFrom(netip.AddrFrom4(a.Addr), uint16(a.Port))
	case *unix.SockaddrInet6:
		bound = netip.AddrPortFrom(netip.AddrFrom16(a.Addr), uint16(a.Port))
	}
	if plain(bound) != at {
		return false
	}
	kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	return err == nil && kind == unix.SOCK_STREAM
}

// of is a TCP address in the form that it is compared in.
func of(a net.Addr) netip.AddrPort { return plain(a.(*net.TCPAddr).AddrPort()) }

// plain is an address in the one form that it is compared in.
func plain(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}
