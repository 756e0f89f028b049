package load

import (
	"sync"

	"dyno/nano/wire/uring"
)

// pickEngine returns the best engine for the spec, or the one it asks for.
func pickEngine(spec *Spec) (name string, open func(share) (engine, error)) {
	switch {
	case spec.Engine == "portable":
		return "portable", openPortable
	case spec.Engine == "uring" || spec.Engine == "" && hasRing() && !spec.KernelTimestamps:
		return "uring", openRing
	}
	return "epoll", openEpoll
}

// hasRing reports whether the kernel has what the io_uring backend needs, and
// lets us use it.
var hasRing = sync.OnceValue(func() bool {
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
