package engine

import (
	"runtime"
	"time"

	"dyno.example/nano/wire/reactor"
)

// How a loop waits has been measured (nano/docs/loop.md). When events follow each
// other closely, the thread waits and keeps its processor: giving it back makes
// the scheduler's monitor run every 20 µs, and a short time limit makes the kernel
// set a timer each time. The monitor interrupts such a wait after some 10 ms. When
// events are rare, or handlers run elsewhere and need the processor, the goroutine
// parks like any other.
const (
	brisk      = int64(250 * time.Microsecond) // mean time between batches up to which the loop keeps its processor
	longest    = 100 * time.Millisecond        // of such a wait, should the monitor not interrupt it
	yieldEvery = int64(100 * time.Microsecond) // other goroutines get their turn, also under full load
)

// poll waits until there are events, messages or deadlines.
func (l *loop) poll() ([]reactor.Event, error) {
	if l.now-l.yielded > yieldEvery {
		l.yielded = l.now
		runtime.Gosched()
	}
	if len(l.more) > 0 || !l.mail.empty() {
		return l.poller.Wait(0)
	}
	l.waiting.Store(true)
	defer l.waiting.Store(false)
	if !l.mail.empty() {
		return nil, nil
	}
	due, ok := l.due()
	if l.gap < brisk && l.server.elsewhere.Load() == 0 {
		d := longest
		if ok {
			d = min(d, max(time.Duration(due-l.now), 1))
		}
		if events, err := l.poller.Wait(d); len(events) > 0 || err != nil {
			return events, err
		}
	}
	if due != l.alarm {
		l.alarm, l.until = due, time.Time{}
		if ok {
			l.until = time.Now().Add(max(time.Duration(due-l.now), time.Millisecond))
		}
	}
	return l.poller.Park(l.until)
}

// due returns when the loop has something to do without an event.
func (l *loop) due() (at int64, ok bool) {
	at, ok = l.wheel.Next()
	if l.grace != 0 && (!ok || l.grace < at) {
		return l.grace, true
	}
	return at, ok
}

// WorkBegins says that a goroutine has work for the app that may wait for the network:
// until WorkEnds the loops give their processors back when they wait, since nobody
// looks for what such goroutines wait for while all processors are kept.
func (s *Server) WorkBegins() { s.elsewhere.Add(1) }

// WorkEnds says that it is done.
func (s *Server) WorkEnds() { s.elsewhere.Add(-1) }
