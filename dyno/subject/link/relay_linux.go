package link

import (
	"errors"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// mostHeld is how many bytes of packets one direction holds. What comes beyond is dropped,
// as by any queue that is full; TCP sends it again.
const mostHeld = 64 << 20

// held is a packet that waits for its time.
type held struct {
	due    int64 // CLOCK_MONOTONIC, ns
	packet []byte
}

// relay passes packets from one device to the other, each when half of the round-trip time
// has passed since it was read and the link doesn't pause, after change was applied to it. It has a thread of its own, which wakes at the time that it
// asked for, without the 50 µs of slack that the kernel grants itself (prctl(2),
// PR_SET_TIMERSLACK).
func (o *Open) relay(from, to *device, l Link, change func(packet []byte)) {
	runtime.LockOSThread()
	defer func() { o.relays <- struct{}{} }()
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	var (
		queue  []held
		bytes  int
		wait   = []unix.PollFd{{Fd: int32(from.fd), Events: unix.POLLIN}, {Fd: int32(o.stop), Events: unix.POLLIN}}
		delay  = (l.RTT / 2).Nanoseconds()
		buffer = make([]byte, l.mtu())
	)
	for {
		var timeout *unix.Timespec
		if len(queue) > 0 {
			t := unix.NsecToTimespec(max(queue[0].due-now(), 0))
			timeout = &t
		}
		if _, err := unix.Ppoll(wait, timeout, nil); err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
		if wait[1].Revents != 0 {
			return
		}
		for ; len(queue) > 0 && queue[0].due <= now(); queue = queue[1:] {
			// A device that is full or gone loses it, as a wire does.
			_, _ = unix.Write(to.fd, queue[0].packet)
			bytes -= len(queue[0].packet)
		}
		for wait[0].Revents != 0 {
			n, err := unix.Read(from.fd, buffer)
			if err != nil || n <= 0 {
				break
			}
			if bytes+n > mostHeld {
				continue
			}
			packet := append([]byte(nil), buffer[:n]...)
			change(packet)
			due := o.up + int64(l.arrives(time.Duration(now()+delay-o.up)))
			queue, bytes = append(queue, held{due: due, packet: packet}), bytes+n
		}
	}
}

// now is CLOCK_MONOTONIC.
func now() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // can't fail with this clock
	return t.Nano()
}
