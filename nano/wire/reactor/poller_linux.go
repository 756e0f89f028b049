package reactor

import (
	"fmt"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Poller waits for sockets to become ready. It is edge-triggered: a socket is
// reported once when it becomes readable or writable, and again only after it
// has been read or written until the kernel had no more to give.
type Poller struct {
	epoll   int
	wake    int // eventfd
	events  []Event
	timeout unix.Timespec // of the wait under way; here so that it needs no allocation
	coarse  bool          // no epoll_pwait2 (before Linux 5.11): waits are rounded up to a millisecond

	// KeepProcessor makes waits keep the Go scheduler's processor (its P) instead
	// of handing it back. That is cheaper, and spares the scheduler's monitor
	// from taking it away every 20 µs when there is no idle one. It is for
	// programs whose GOMAXPROCS exceeds the number of their loops: the other
	// goroutines need a processor too.
	KeepProcessor bool

	parking *parking // nil until AllowParking

	ending sync.RWMutex // a descriptor must not be written to once it may be somebody else's
	closed bool
}

// Event says what happened to one socket. It is valid until the next Wait.
type Event unix.EpollEvent

// ID is the number the socket was added with.
func (e *Event) ID() int32 { return e.Fd }

// Readable reports that there is something to read: data, the end of the
// stream, or an error.
func (e *Event) Readable() bool {
	return e.Events&(unix.EPOLLIN|unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0
}

// Ending reports that the peer has closed its side, or the connection has
// failed: after what can still be read there comes the end. It is not reported
// again.
func (e *Event) Ending() bool {
	return e.Events&(unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0
}

// Failed reports that the connection is over in both directions.
func (e *Event) Failed() bool { return e.Events&(unix.EPOLLHUP|unix.EPOLLERR) != 0 }

// Writable reports that a write or connect can go on, or has failed.
func (e *Event) Writable() bool {
	return e.Events&(unix.EPOLLOUT|unix.EPOLLHUP|unix.EPOLLERR) != 0
}

// wakeID marks the wake-up descriptor; sockets have IDs from 0.
const wakeID = -1

// NewPoller opens a poller that returns at most batch events a time.
func NewPoller(batch int) (*Poller, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("opening epoll: %w", err)
	}
	p := &Poller{epoll: epoll, wake: -1, events: make([]Event, batch)}
	if p.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		p.Close()
		return nil, fmt.Errorf("opening eventfd: %w", err)
	}
	if err := p.Add(p.wake, wakeID); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Close releases the poller. Sockets stay open: they are their owner's.
func (p *Poller) Close() {
	p.ending.Lock()
	defer p.ending.Unlock()
	p.closed = true
	if p.parking != nil {
		p.parking.file.Close()
	}
	if p.wake >= 0 {
		unix.Close(p.wake)
	}
	unix.Close(p.epoll)
}

// Add registers a non-blocking socket for both directions. The kernel forgets
// it when the socket is closed. IDs must not be negative.
func (p *Poller) Add(fd int, id int32) error {
	ev := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET&0xffffffff, Fd: id}
	if err := unix.EpollCtl(p.epoll, unix.EPOLL_CTL_ADD, fd, &ev); err != nil {
		return fmt.Errorf("adding a socket to epoll: %w", err)
	}
	return nil
}

// Wait returns the sockets that are ready, waiting at most d for the first;
// d <= 0 only looks. The slice is reused by the next call. An interruption by
// a signal gives no events and no error.
func (p *Poller) Wait(d time.Duration) ([]Event, error) {
	if p.parking != nil {
		p.parking.waited(p)
	}
	return p.collect(d)
}

// collect returns the sockets that are ready.
func (p *Poller) collect(d time.Duration) ([]Event, error) {
	n, errno := p.wait(d)
	switch errno {
	case 0:
	case unix.EINTR:
		return nil, nil
	default:
		return nil, fmt.Errorf("waiting for events: %w", errno)
	}
	events := p.events[:n]
	for i := range events {
		if events[i].Fd == wakeID {
			p.drainWake()
			events[i] = events[n-1]
			return events[:n-1], nil
		}
	}
	return events, nil
}

func (p *Poller) wait(d time.Duration) (int, unix.Errno) {
	syscall := unix.Syscall6
	if d <= 0 || p.KeepProcessor {
		syscall = unix.RawSyscall6
	}
	buf, size := uintptr(unsafe.Pointer(&p.events[0])), uintptr(len(p.events))
	if d <= 0 {
		n, _, errno := syscall(unix.SYS_EPOLL_PWAIT, uintptr(p.epoll), buf, size, 0, 0, 0)
		return int(n), errno
	}
	if !p.coarse {
		p.timeout = unix.NsecToTimespec(int64(d))
		n, _, errno := syscall(unix.SYS_EPOLL_PWAIT2, uintptr(p.epoll), buf, size, uintptr(unsafe.Pointer(&p.timeout)), 0, 0)
		if errno != unix.ENOSYS {
			return int(n), errno
		}
		p.coarse = true
	}
	ms := (d + time.Millisecond - 1) / time.Millisecond
	n, _, errno := syscall(unix.SYS_EPOLL_PWAIT, uintptr(p.epoll), buf, size, uintptr(ms), 0, 0)
	return int(n), errno
}

// Wake makes a Wait that is under way, or the next one, return at once. It may
// be called from any goroutine, and does nothing once the poller is closed.
func (p *Poller) Wake() {
	p.ending.RLock()
	defer p.ending.RUnlock()
	if p.closed {
		return
	}
	one := [8]byte{1}
	unix.Write(p.wake, one[:])
}

func (p *Poller) drainWake() {
	var count [8]byte
	unix.Read(p.wake, count[:])
}
