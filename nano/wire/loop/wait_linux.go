package loop

import (
	"runtime"
	"time"

	"dyno.example/nano/wire/reactor"
)

// How a loop waits has been measured (nano/docs/loop.md, "Waiting"). When events follow
// each other closely, the thread waits and keeps its processor: giving it back makes the
// scheduler's monitor run every 20 µs, and a short time limit makes the kernel set a timer
// each time. The monitor interrupts such a wait after some 10 ms. When events are rare,
// or other goroutines need the processor, the goroutine parks like any other.
const (
	brisk      = int64(250 * time.Microsecond) // mean time between batches up to which the loop keeps its processor
	longest    = 100 * time.Millisecond        // of such a wait, should the monitor not interrupt it
	yieldEvery = int64(100 * time.Microsecond) // other goroutines get their turn, also under full load
)

// Poll waits until there are events, messages or deadlines. busy says that there is
// something to do already: then it only looks for events. due returns when there is
// something to do without an event; ok is false if never. The events are valid until the
// next call.
func (c *Core[L]) Poll(busy bool, due func() (at int64, ok bool)) ([]reactor.Event, error) {
	if c.yield || c.now-c.yielded > yieldEvery {
		c.yield, c.yielded = false, c.now
		runtime.Gosched()
	}
	if busy || !c.mail.empty() {
		return c.Poller.Wait(0)
	}
	c.waiting.Store(true)
	defer c.waiting.Store(false)
	if !c.mail.empty() {
		return nil, nil
	}
	at, ok := due()
	if c.grace != 0 && (!ok || c.grace < at) {
		at, ok = c.grace, true
	}
	if c.gap < brisk && (c.Elsewhere == nil || c.Elsewhere.Load() == 0) {
		d := longest
		if ok {
			d = min(d, max(time.Duration(at-c.now), 1))
		}
		if events, err := c.Poller.Wait(d); len(events) > 0 || err != nil {
			return events, err
		}
	}
	if at != c.alarm {
		c.alarm, c.until = at, time.Time{}
		if ok {
			c.until = c.Sys.Wall().Add(max(time.Duration(at-c.now), time.Millisecond))
		}
	}
	return c.Poller.Park(c.until)
}

// Tick begins a batch: it returns the time, and takes note of how closely batches follow
// each other.
func (c *Core[L]) Tick() (now int64) {
	before := c.now
	c.now = c.Sys.Now()
	c.gap += (min(c.now-before, 8*brisk) - c.gap) / 8
	return c.now
}

// Yield gives other goroutines their turn before the loop waits, which may keep the
// processor. It is for loops that have started one.
func (c *Core[L]) Yield() { c.yield = true }
