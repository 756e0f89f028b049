//go:build linux

package simulated

import (
	"net/netip"

	"golang.org/x/sys/unix"
)

// Listener is a socket of the process that others connect to.
type Listener struct {
	sys   *System
	at    netip.AddrPort
	queue []*Socket
	watch watch
}

func (l *Listener) mask() uint32 {
	if len(l.queue) > 0 {
		return unix.EPOLLIN
	}
	return 0
}

func (l *Listener) close() {
	if l.sys.listeners[l.at] == l {
		delete(l.sys.listeners, l.at)
	}
	for _, k := range l.queue {
		k.Abort()
	}
	l.queue = nil
}

// Listen opens a listening socket of the process.
func (s *System) Listen(at netip.AddrPort) (fd int, err error) {
	l := &Listener{sys: s, at: at}
	if fd, err = s.describe(l); err == nil {
		s.listeners[at] = l
	}
	return fd, err
}

// Accept implements [loop.System].
func (s *System) Accept(fd int) (int, netip.AddrPort, unix.Errno) {
	l, ok := s.files[fd].(*Listener)
	switch {
	case !ok:
		return -1, netip.AddrPort{}, unix.EINVAL
	case len(l.queue) == 0:
		return -1, netip.AddrPort{}, unix.EAGAIN
	}
	k := l.queue[0]
	fd, err := s.describe(k)
	if err != nil {
		return -1, netip.AddrPort{}, err.(unix.Errno)
	}
	l.queue = l.queue[1:]
	s.Note("accept", k.serial, uint64(fd), 0)
	return fd, k.Remote(), 0
}

// Connect connects to where the process listens, from an address. It is up, or refused, after
// a while: then the socket is told, and Up says which.
func (s *System) Connect(from, to netip.AddrPort, line Line) *Socket {
	k, server := s.pair(line, from, to)
	s.After(k.delay(), func() {
		if k.closed {
			return
		}
		l := s.listeners[to]
		if l == nil {
			k.reset()
			return
		}
		k.up, server.up = true, true
		l.queue = append(l.queue, server)
		l.watch.wake(unix.EPOLLIN)
		k.stir(0)
	})
	return k
}

// Up reports whether it is connected; over, that it isn't any more or never will be.
func (k *Socket) Up() (up, over bool) { return k.up && !k.dead, k.dead }

// Server is somebody whom the process can connect to.
type Server struct {
	Line func() Line
	// Decide says what becomes of a connection that is asked for: after how long it comes up,
	// or is refused; below 0: never.
	Decide func() (after int64, refused bool)
	// Accept takes the server's end of one that is up.
	Accept func(*Socket)
}

// Serve has somebody serve an address; nil: nobody.
func (s *System) Serve(at netip.AddrPort, who *Server) {
	if who == nil {
		delete(s.servers, at)
		return
	}
	s.servers[at] = who
}

// Dial implements [loop.System].
func (s *System) Dial(to unix.Sockaddr) (fd int, up bool, err error) {
	at := addrPort(to)
	who := s.servers[at]
	line := Line{Capacity: 1}
	if who != nil {
		line = who.Line()
	}
	s.serial += 2
	from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, 9}), uint16(s.serial%50000+10000))
	k, server := s.pair(line, from, at)
	if fd, err = s.describe(k); err != nil {
		return -1, false, err
	}
	after, refused := int64(0), true
	if who != nil {
		after, refused = who.Decide()
	}
	s.Note("dial", k.serial, uint64(fd), uint64(after))
	switch {
	case after < 0:
		return fd, false, nil
	case after == 0 && refused:
		s.Close(fd)
		return -1, false, unix.ECONNREFUSED
	case refused:
		s.After(after, k.reset)
		return fd, false, nil
	}
	comesUp := func() {
		if k.closed {
			return
		}
		k.up, server.up = true, true
		k.stir(0)
		who.Accept(server)
	}
	if after == 0 {
		comesUp()
		return fd, true, nil
	}
	s.After(after, comesUp)
	return fd, false, nil
}

func addrPort(a unix.Sockaddr) netip.AddrPort {
	switch a := a.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(a.Addr), uint16(a.Port))
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(a.Addr), uint16(a.Port))
	}
	return netip.AddrPort{}
}
