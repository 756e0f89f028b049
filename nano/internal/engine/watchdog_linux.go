package engine

import (
	"sync/atomic"
	"time"

	eventloop "dyno.example/nano/wire/loop"
)

// watchdog looks at all loops every tick and gives a loop whose handler has not
// returned since the tick before to a fresh goroutine: a handler holds up its
// loop for two ticks at most. It sleeps while nothing is asked.
type watchdog struct {
	asleep atomic.Bool
	rouse  chan struct{} // capacity 1
}

const (
	watchTick  = 500 * time.Microsecond
	watchQuiet = 20 // ticks without a request until the watchdog sleeps
)

// wake starts it ticking. Loops call it when they run a handler and find it asleep.
func (w *watchdog) wake() {
	if w.asleep.CompareAndSwap(true, false) {
		signal(w.rouse)
	}
}

// watch runs until the server ends, of which wake tells it last.
func (w *watchdog) watch(sys eventloop.System, loops []*loop, ended <-chan struct{}) {
	seen := make([]uint64, len(loops))
	quiet := 0
	for {
		sys.Sleep(watchTick)
		if quiet++; w.look(loops, seen) {
			quiet = 0
		}
		if quiet < watchQuiet {
			continue
		}
		if w.asleep.Store(true); w.look(loops, seen) {
			w.asleep.Store(false)
			continue
		}
		sys.Await(w.rouse, 0)
		quiet = 0
		select {
		case <-ended:
			return
		default:
		}
	}
}

// look takes the loops from handlers that have them since the last look. It
// reports whether there was anything going on.
func (w *watchdog) look(loops []*loop, seen []uint64) (busy bool) {
	for i, l := range loops {
		ticket := l.handlers.baton.Load()
		if ticket != seen[i] {
			seen[i], busy = ticket, true
			continue
		}
		if ticket&1 == 0 {
			continue
		}
		busy = true
		if l.handlers.takenAway(ticket) {
			if l.handlers.serving != nil {
				l.handlers.serving.Blocked()
			}
			l.Sys.Go(l.handlers.takeOver)
		}
	}
	return busy
}
