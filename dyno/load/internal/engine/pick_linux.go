package engine

import (
	"sync"

	"dyno.example/nano/wire/uring"
)

// Pick returns the engine of the name or, for "", the best one that can do what is
// needed: what sockets of its own alone can (sockets), as timestamps of the kernel's.
func Pick(asked string, sockets bool) (name string, open func(Share) (Engine, error)) {
	switch {
	case asked == "portable":
		return "portable", openPortable
	case asked == "uring" || asked == "" && HasRing() && !sockets:
		return "uring", openRing
	}
	return "epoll", openEpoll
}

// HasRing reports whether the kernel has what the io_uring backend needs, and
// lets us use it.
var HasRing = sync.OnceValue(func() bool {
	ring, err := uring.Open(2, 4)
	if err != nil {
		return false
	}
	buffers, err := ring.Buffers(1, 64)
	ring.Close() // before its buffers
	if err != nil {
		return false
	}
	buffers.Close()
	return true
})
