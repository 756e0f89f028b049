package reactor

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// parking lets a goroutine wait for a poller the way it waits for any other file:
// neither a thread nor a processor is held meanwhile. The scheduler watches not
// the poller but an epoll of its own, in which the poller is only while the
// program parks often: each event of a poller that is watched costs another
// wake-up on the way to the scheduler's.
type parking struct {
	outer    int // epoll; the file's
	attached bool
	waits    int // in a row, without parking
	file     *os.File
	conn     syscall.RawConn
	until    time.Time // deadline that file has
	look     func(fd uintptr) bool
	events   []Event
	err      error
}

// detachAfter is the number of waits after which the scheduler stops watching:
// few enough to matter soon, and enough for programs that park now and then.
const detachAfter = 64

// AllowParking readies the poller for [Poller.Park]; it takes a descriptor. idle
// is asked whether there is nothing to do but wait.
func (p *Poller) AllowParking(idle func() bool) error {
	outer, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return fmt.Errorf("parking on epoll: %w", err)
	}
	if err := unix.SetNonblock(outer, true); err != nil { // os.NewFile asks for it
		unix.Close(outer)
		return fmt.Errorf("parking on epoll: %w", err)
	}
	k := &parking{outer: outer, file: os.NewFile(uintptr(outer), "epoll")}
	if k.conn, err = k.file.SyscallConn(); err != nil {
		return errors.Join(err, k.file.Close())
	}
	k.look = func(uintptr) bool {
		k.events, k.err = p.collect(0)
		return len(k.events) > 0 || k.err != nil || !idle()
	}
	p.parking = k
	return nil
}

// Park is Wait for programs with other goroutines: the goroutine is parked, so
// that they have its processor. It costs more than a short [Poller.Wait], and
// less than a long one. It returns at the time until, the zero time being never,
// and when there is something to do after a [Poller.Wake].
func (p *Poller) Park(until time.Time) ([]Event, error) {
	k := p.parking
	k.waits = 0
	if err := p.attach(); err != nil {
		return nil, err
	}
	if !until.Equal(k.until) {
		if err := k.file.SetReadDeadline(until); err != nil {
			return nil, fmt.Errorf("parking on epoll: %w", err)
		}
		k.until = until
	}
	k.events, k.err = nil, nil
	if err := k.conn.Read(k.look); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, fmt.Errorf("parking on epoll: %w", err)
	}
	return k.events, k.err
}

// attach lets the scheduler watch the poller.
func (p *Poller) attach() error {
	k := p.parking
	if k.attached {
		return nil
	}
	ev := unix.EpollEvent{Events: unix.EPOLLIN}
	if err := unix.EpollCtl(k.outer, unix.EPOLL_CTL_ADD, p.epoll, &ev); err != nil {
		return fmt.Errorf("parking on epoll: %w", err)
	}
	k.attached = true
	return nil
}

// waited counts a wait that was not parked.
func (k *parking) waited(p *Poller) {
	if !k.attached {
		return
	}
	if k.waits++; k.waits < detachAfter {
		return
	}
	k.attached = unix.EpollCtl(k.outer, unix.EPOLL_CTL_DEL, p.epoll, nil) != nil
}
