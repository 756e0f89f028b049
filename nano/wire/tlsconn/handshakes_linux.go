package tlsconn

import "sync/atomic"

// Handshakes are a loop's with its clients. Not more than a number of them are under way;
// the other clients wait, and the first that came is the first that goes on. How long a
// client may take, waiting included, is the loop's to say, which calls
// [Handshakes.GiveUp] then. All belongs to the loop's goroutine.
type Handshakes struct {
	// Most returns how many may be under way; at least one may.
	Most func() int
	// Results count how they end. Loops may share them.
	Results *Results

	underWay int
	waiting  []waiting
}

// Results counts handshakes by how they ended. Any goroutine may read it.
type Results struct {
	Done    atomic.Uint64
	Resumed atomic.Uint64 // of those done: by a TLS session ticket
	Failed  atomic.Uint64 // those that took too long included
}

// Outcome is how a handshake ended.
type Outcome uint8

const (
	Established Outcome = iota // the connection is the loop's to read and to write
	Plain                      // the client has sent a request of HTTP without TLS, and can get a plain response
	Failed
)

// place is where a connection stands among its loop's handshakes.
type place uint8

const (
	outside  place = iota // it hasn't come yet, or isn't there any more
	queued                // it waits until there are fewer
	underWay              // its handshake has begun
)

type waiting struct {
	conn  *Conn
	begin func()
}

// Enter calls begin, which starts the client's handshake by [Conn.Handshake]: at once, or,
// if too many are under way, when another one ends. It reports whether it has been called.
func (h *Handshakes) Enter(c *Conn, begin func()) bool {
	if h.underWay >= max(1, h.Most()) {
		c.place = queued
		h.waiting = append(h.waiting, waiting{c, begin})
		return false
	}
	h.start(c, begin)
	return true
}

func (h *Handshakes) start(c *Conn, begin func()) {
	h.underWay++
	c.place = underWay
	begin()
}

// Over takes note that a handshake has ended, with the error that it gave, lets the next
// client go on and gives the connection back to the loop.
func (h *Handshakes) Over(c *Conn, err error) Outcome {
	c.Shaken()
	h.leave(c)
	switch {
	case LacksTLS(err):
		h.Results.Failed.Add(1)
		return Plain
	case err != nil:
		h.Results.Failed.Add(1)
		return Failed
	}
	h.Results.Done.Add(1)
	if c.TLS.ConnectionState().DidResume {
		h.Results.Resumed.Add(1)
	}
	return Established
}

// Queued reports whether a connection waits for its turn.
func (c *Conn) Queued() bool { return c.place == queued }

// GiveUp takes note that the loop drops a connection whose handshake isn't over. Of one
// that is, or hasn't entered, it takes none. The loop calls [Conn.Drop] after that.
func (h *Handshakes) GiveUp(c *Conn) {
	if c.place == outside {
		return
	}
	h.Results.Failed.Add(1)
	h.leave(c)
}

// leave lets those that wait go on in the place of c.
func (h *Handshakes) leave(c *Conn) {
	was := c.place
	if c.place = outside; was != underWay {
		return
	}
	h.underWay--
	for len(h.waiting) > 0 && h.underWay < max(1, h.Most()) {
		next := h.waiting[0]
		h.waiting[0] = waiting{}
		if h.waiting = h.waiting[1:]; len(h.waiting) == 0 {
			h.waiting = nil
		}
		if next.conn.place == queued { // else it was dropped meanwhile
			h.start(next.conn, next.begin)
		}
	}
}
