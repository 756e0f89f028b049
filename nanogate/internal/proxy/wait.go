//go:build linux

package proxy

import (
	"runtime"
	"sync/atomic"
	"time"

	"dyno.example/nano/wire/reactor"
)

// How a loop waits is what nano's loops found best (nano/docs/loop.md, "Waiting"): when
// events follow each other closely the thread waits and keeps its processor, otherwise
// the goroutine parks like any other.
const (
	brisk      = int64(250 * time.Microsecond) // mean time between batches up to which the loop keeps its processor
	longest    = 100 * time.Millisecond        // of such a wait, should the scheduler's monitor not interrupt it
	yieldEvery = int64(100 * time.Microsecond) // other goroutines get their turn, also under full load
)

// poll waits until there are events, messages or deadlines.
func (l *loop) poll() ([]reactor.Event, error) {
	if l.yield || l.now-l.yielded > yieldEvery {
		l.yield = false
		l.yielded = l.now
		runtime.Gosched()
	}
	if len(l.again)+len(l.dirty)+len(l.mirrors) > 0 || !l.mail.empty() {
		return l.poller.Wait(0)
	}
	l.waiting.Store(true)
	defer l.waiting.Store(false)
	if !l.mail.empty() {
		return nil, nil
	}
	due, ok := l.due()
	if l.gap < brisk {
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
			l.until = l.sys.Wall().Add(max(time.Duration(due-l.now), time.Millisecond))
		}
	}
	return l.poller.Park(l.until)
}

// due returns when the loop has something to do without an event.
func (l *loop) due() (at int64, ok bool) {
	at, ok = l.wheel.Next()
	if soon, have := l.nextSoon(); have && (!ok || soon < at) {
		at, ok = soon, true
	}
	for _, other := range [...]struct {
		at   int64
		have bool
	}{{l.grace, l.grace != 0}, {l.sweep, l.idle > 0}, {l.warmAt, len(l.warm)+len(l.warming) > 0}, {l.muxTick, l.carriers > 0}} {
		if other.have && (!ok || other.at < at) {
			at, ok = other.at, true
		}
	}
	return at, ok
}

// mailbox takes what other goroutines have for a loop. Posting never waits.
type mailbox struct {
	first atomic.Pointer[message] // the newest
}

// message is opened by the loop it was posted to.
type message struct {
	next *message
	open func(*loop)
}

func (m *mailbox) post(n *message) {
	for {
		old := m.first.Load()
		n.next = old
		if m.first.CompareAndSwap(old, n) {
			return
		}
	}
}

// empty reports whether there is nothing to collect.
func (m *mailbox) empty() bool { return m.first.Load() == nil }

// call gives the loop something to do and wakes it if it waits. Any goroutine may call
// it. If the loop has ended, it is done here, so that what it holds is closed.
func (l *loop) call(f func(*loop)) {
	l.post(&message{open: f})
}

// post does the same with a message, which isn't posted again before it is opened.
func (l *loop) post(m *message) {
	l.mail.post(m)
	if l.over.Load() {
		l.openMail()
		return
	}
	if l.waiting.Load() {
		l.poller.Wake()
	}
}

// openMail does what was posted, the oldest first.
func (l *loop) openMail() {
	var oldest *message
	for n := l.mail.first.Swap(nil); n != nil; {
		next := n.next
		n.next = oldest
		oldest, n = n, next
	}
	for n := oldest; n != nil; {
		next := n.next // once it is opened it may be posted again
		l.openOne(n)
		n = next
	}
}

// openOne opens a message.
func (l *loop) openOne(n *message) {
	defer l.survive(nobodys)
	l.current = nil
	n.open(l)
}
