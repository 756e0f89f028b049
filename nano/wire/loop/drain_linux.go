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

// GraceOver reports whether it is time to close idle connections: when the grace is over,
// and at intervals from then on.
func (c *Core[L]) GraceOver(now int64) bool {
	if now < c.grace {
		return false
	}
	c.grace = now + int64(Grace)/10
	return true
}

// Expecting reports whether the loop has connections, its own or on their way here, or
// messages.
func (c *Core[L]) Expecting() bool { return c.Assigned.Load() > 0 || !c.mail.empty() }
