package loop

import (
	"context"
	"net"
	"net/netip"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/reactor"
	"dyno.example/nano/wire/sockets"
)

// System is the operating system as an event loop sees it: time, sockets and which of
// them are ready. [Kernel] is the real one. A simulated one drives the same loops from a
// seed, without sockets or a clock, so that a failure repeats exactly.
//
// Methods behave as the calls of package reactor that they are named after: sockets are
// non-blocking, and errno is 0, EAGAIN when there is nothing to do now, or the socket's
// error. Those of Dial and Accept don't delay what is written (TCP_NODELAY).
type System interface {
	Now() int64      // CLOCK_MONOTONIC, ns
	Wall() time.Time // the time of day, which may step

	// NewPoller opens a poller that returns at most batch events a time. idle is asked
	// from [Poller.Park] whether there is nothing to do but wait.
	NewPoller(batch int, idle func() bool) (Poller, error)

	// Dial starts a connection to an address; up says that it is made already. The
	// caller owns the descriptor.
	Dial(to unix.Sockaddr) (fd int, up bool, err error)
	ConnectError(fd int) error
	Accept(listener int) (fd int, from netip.AddrPort, errno unix.Errno)

	Read(fd int, b []byte) (n int, errno unix.Errno)
	Write(fd int, b []byte) (n int, errno unix.Errno)
	Write2(fd int, a, b []byte) (n int, errno unix.Errno)
	Ended(fd int) (ended, says bool) // see [reactor.Ended]
	Queued(fd int) int               // see [reactor.Queued]
	CloseWrite(fd int)               // sends the end of the stream (FIN)
	Abort(fd int)                    // resets it for whoever still uses the descriptor
	Reset(fd int)                    // makes the coming Close send a reset
	Close(fd int)
	// Conn returns a connection of package net with a descriptor of its own, which who takes it closes.
	Conn(fd int) (net.Conn, error)

	// Event opens a descriptor that is readable after each Raise (eventfd(2)): an event of the
	// loop's own among those of its sockets.
	Event() (fd int, err error)
	Raise(event int) error

	// Spare opens a descriptor for nothing, to be given up when there is no other left.
	Spare() (fd int, err error)

	// Go has f done by another goroutine.
	Go(f func())
	// Within makes a context that ends after d.
	Within(d time.Duration) (context.Context, context.CancelFunc)
	Sleep(d time.Duration)
	// Await waits until ready says something, for d at most; 0 or less: for ever. It
	// reports whether it did.
	Await(ready <-chan struct{}, d time.Duration) (said bool)
}

// Poller tells which sockets are ready, edge-triggered, as [reactor.Poller] does. It
// belongs to its loop; only Wake may be called by others.
type Poller interface {
	Add(fd int, id int32) error
	AddListener(fd int, id int32) error
	Remove(fd int) error
	Wait(d time.Duration) ([]reactor.Event, error) // keeps the processor
	Park(until time.Time) ([]reactor.Event, error) // lets other goroutines have it
	Wake()
	Close()
}

// Kernel is the System of Linux.
type Kernel struct{}

func (Kernel) Now() int64      { return clock.Now() }
func (Kernel) Wall() time.Time { return time.Now() }
func (Kernel) Go(f func())     { go f() }

// NewPoller opens an epoll.
func (Kernel) NewPoller(batch int, idle func() bool) (Poller, error) {
	p, err := reactor.NewPoller(batch)
	if err != nil {
		return nil, err
	}
	p.KeepProcessor = true
	if err := p.AllowParking(idle); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Conn is [sockets.Conn].
func (Kernel) Conn(fd int) (net.Conn, error) { return sockets.Conn(fd) }

func (Kernel) Dial(to unix.Sockaddr) (fd int, up bool, err error) {
	d := reactor.Dialer{To: to}
	return d.Dial()
}

func (Kernel) Accept(listener int) (fd int, from netip.AddrPort, errno unix.Errno) {
	fd, from, errno = reactor.Accept(listener)
	if errno == 0 {
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1) // unix sockets don't delay
	}
	return fd, from, errno
}

func (Kernel) Event() (fd int, err error) {
	return unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
}

func (Kernel) Raise(event int) error {
	_, err := unix.Write(event, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	return err
}

func (Kernel) Spare() (fd int, err error) {
	return unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
}

func (Kernel) Within(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), d)
}

func (Kernel) Sleep(d time.Duration) { time.Sleep(d) }

func (Kernel) Await(ready <-chan struct{}, d time.Duration) (said bool) {
	var late <-chan time.Time
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-ready:
		return true
	case <-late:
		return false
	}
}

func (Kernel) ConnectError(fd int) error                            { return reactor.ConnectError(fd) }
func (Kernel) Read(fd int, b []byte) (n int, errno unix.Errno)      { return reactor.Read(fd, b) }
func (Kernel) Write(fd int, b []byte) (n int, errno unix.Errno)     { return reactor.Write(fd, b) }
func (Kernel) Write2(fd int, a, b []byte) (n int, errno unix.Errno) { return reactor.Write2(fd, a, b) }
func (Kernel) Ended(fd int) (ended, says bool)                      { return reactor.Ended(fd) }
func (Kernel) Queued(fd int) int                                    { return reactor.Queued(fd) }
func (Kernel) CloseWrite(fd int)                                    { _ = unix.Shutdown(fd, unix.SHUT_WR) }
func (Kernel) Close(fd int)                                         { _ = unix.Close(fd) }

// Reset has the kernel throw away what the socket hasn't sent (SO_LINGER of 0, socket(7)).
func (Kernel) Reset(fd int) {
	_ = unix.SetsockoptLinger(fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
}

// Abort dissolves the connection as connect(2) has it: to no address, by a reset. A socket of
// another kind is shut.
func (Kernel) Abort(fd int) {
	nowhere := unix.RawSockaddr{Family: unix.AF_UNSPEC}
	if _, _, errno := unix.RawSyscall(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&nowhere)), unsafe.Sizeof(nowhere)); errno != 0 {
		_ = unix.Shutdown(fd, unix.SHUT_RDWR)
	}
}

// Says reports whether a socket has something to read that its loop may not have heard of
// yet. It takes nothing from it.
func Says(sys System, fd int) bool {
	_, says := sys.Ended(fd)
	return says
}
