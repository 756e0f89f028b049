package loop

import (
	"sync/atomic"
	"time"
)

// Core is what every event loop has, whatever it serves: it waits for events, takes
// messages from other goroutines, and knows the time of the current batch. A loop of type
// L embeds it.
//
// One goroutine runs a loop at a time. Only Post, Hand, Call, Over and Assigned are for
// others.
type Core[L any] struct {
	Sys    System
	Poller Poller

	// Assigned counts the loop's connections, those on their way here included.
	Assigned atomic.Int32

	// Elsewhere counts other goroutines that need a processor: while there are any, the
	// loop parks when it waits. It may be nil.
	Elsewhere *atomic.Int64

	self    L
	open    func(*Message[L])
	mail    Mailbox[L]
	waiting atomic.Bool // the loop waits, or is about to: wake it
	over    atomic.Bool // the loop has ended
	opening atomic.Bool // and somebody opens what is posted since

	now     int64     // of this batch, ns
	gap     int64     // mean time from one batch to the next, of late
	yield   bool      // other goroutines are to have their turn before the next wait
	yielded int64     // when they last had it
	alarm   int64     // deadline that until was computed from
	until   time.Time // when a parked loop wakes
	grace   int64     // when draining: idle connections are closed from then on; 0: it doesn't drain
}

// Begin readies the core of the loop self. batch is how many events a batch has at most.
func (c *Core[L]) Begin(self L, sys System, batch int) error {
	poller, err := sys.NewPoller(batch, c.mail.empty)
	if err != nil {
		return err
	}
	c.Sys, c.Poller, c.self, c.now = sys, poller, self, sys.Now()
	c.open = func(n *Message[L]) { n.Open(self) }
	return nil
}

// OpenWith has messages opened by a function of the loop, which calls their Open.
func (c *Core[L]) OpenWith(open func(*Message[L])) { c.open = open }

// Post gives the loop something to do and wakes it if it waits. A loop that has ended
// ignores it.
func (c *Core[L]) Post(n *Message[L]) {
	c.mail.post(n)
	if c.waiting.Load() {
		c.Poller.Wake()
	}
}

// Hand is Post for messages that own something, such as a socket. If the loop has ended
// they are opened here, so that it is closed, or by whoever does so with others already.
func (c *Core[L]) Hand(n *Message[L]) {
	if c.Post(n); c.over.Load() {
		c.openLeft()
	}
}

// Call posts a function.
func (c *Core[L]) Call(f func(L)) { c.Post(&Message[L]{Open: f}) }

// HasMail reports whether there are messages to be opened.
func (c *Core[L]) HasMail() bool { return !c.mail.empty() }

// OpenMail does what was posted, the oldest first.
func (c *Core[L]) OpenMail() {
	for n := c.mail.collect(); n != nil; {
		next := n.next // once it is opened it may be posted again
		c.open(n)
		n = next
	}
}

// End says that the loop has ended, and opens what was posted meanwhile.
func (c *Core[L]) End() {
	c.over.Store(true)
	c.openLeft()
}

// openLeft opens what is posted to a loop that has ended. One goroutine does at a time, as
// messages change the loop; it goes on with what comes meanwhile, from messages too.
func (c *Core[L]) openLeft() {
	for c.HasMail() && c.opening.CompareAndSwap(false, true) {
		c.OpenMail()
		c.opening.Store(false)
	}
}

// Over reports whether the loop has ended.
func (c *Core[L]) Over() bool { return c.over.Load() }
