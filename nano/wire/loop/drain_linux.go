package loop

import "time"

// Grace is how long connections without a request stay open when a server drains: a
// request that is on its way gets its response, with Connection: close.
const Grace = 500 * time.Millisecond

// Drain begins the loop's end. It reports false if that has begun before.
func (c *Core[L]) Drain(now int64) (first bool) {
	if c.Draining() {
		return false
	}
	c.grace = now + int64(Grace)
	return true
}

// Draining reports whether the loop has begun to end.
func (c *Core[L]) Draining() bool { return c.grace != 0 }

// LetsGo reports whether it is time to close connections that have nothing under way. That
// is so when the grace is over, and then again and again.
func (c *Core[L]) LetsGo(now int64) bool {
	if now < c.grace {
		return false
	}
	c.grace = now + int64(Grace)/10
	return true
}

// Expects reports whether somebody is on the way here: a connection, also one that is the
// loop's, or a message.
func (c *Core[L]) Expects() bool { return c.Assigned.Load() > 0 || !c.mail.empty() }
