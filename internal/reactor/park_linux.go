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
// the poller's descriptor is watched by the scheduler, and neither a thread nor a
// processor is held meanwhile.
type parking struct {
	file   *os.File
	conn   syscall.RawConn
	until  time.Time // deadline that file has
	look   func(fd uintptr) bool
	events []Event
	err    error
}

// AllowParking readies the poller for [Poller.Park]; it takes a descriptor. idle
// is asked whether there is nothing to do but wait.
func (p *Poller) AllowParking(idle func() bool) error {
	fd, err := unix.FcntlInt(uintptr(p.epoll), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true) // os.NewFile asks for it
	}
	if err != nil {
		return fmt.Errorf("parking on epoll: %w", err)
	}
	k := &parking{file: os.NewFile(uintptr(fd), "epoll")}
	if k.conn, err = k.file.SyscallConn(); err != nil {
		return errors.Join(err, k.file.Close())
	}
	k.look = func(uintptr) bool {
		k.events, k.err = p.Wait(0)
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
