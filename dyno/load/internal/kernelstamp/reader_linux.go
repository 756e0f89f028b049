package kernelstamp

import (
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/reactor"
)

// Reader reads what came together with the time at which the kernel
// received it: a second opinion on how late this program is to look.
type Reader struct {
	receiver *reactor.Receiver
	wall     reactor.WallClock
	next     int64 // when the clocks are compared again
}

// comparedEvery is how often the clocks are compared, in ns.
const comparedEvery = int64(time.Second)

// New makes a reader for one thread.
func New() *Reader {
	return &Reader{receiver: reactor.NewReceiver(), wall: reactor.ReadWallClock(), next: clock.Now() + comparedEvery}
}

// Read reads as reactor.Read does; delay is how long ago the kernel had received
// the last of it, in ns, 0 if it does not say.
func (k *Reader) Read(fd int, b []byte) (n int, delay int64, errno unix.Errno) {
	n, received, errno := k.receiver.Read(fd, b)
	if received == 0 || errno != 0 {
		return n, 0, errno
	}
	now := clock.Now()
	if now >= k.next {
		k.wall, k.next = reactor.ReadWallClock(), now+comparedEvery
	}
	return n, max(now-k.wall.Monotonic(received), 1), 0
}
