package http2

import "errors"

// Reasons why no stream can be opened.
var (
	ErrGoAway  = errors.New("http2: the peer takes no more streams on this connection")
	ErrStreams = errors.New("http2: as many streams are open as the peer allows")
	ErrIDs     = errors.New("http2: the connection has used up its streams")
)

// streamsUnasked is how many streams a client opens before it knows what is
// allowed.
const streamsUnasked = 100

// Open opens a stream for a request. It is the owner's until Release.
func (c *Conn) Open() (*Stream, error) {
	switch {
	case c.dead != nil:
		return nil, c.dead
	case c.goneAway || c.draining.phase > 0:
		return nil, ErrGoAway
	case c.Room() <= 0:
		return nil, ErrStreams
	case c.streams.next > 1<<31-1:
		return nil, ErrIDs
	}
	s := c.add(c.streams.next)
	c.streams.next += 2
	c.streams.open++
	return s, nil
}

// Room is how many more streams Open may open now.
func (c *Conn) Room() int {
	most := c.peer.MaxConcurrent
	if !c.greeted {
		most = streamsUnasked
	}
	return int(most) - c.streams.open
}

// Window is how many bytes may be sent now on all streams together.
func (c *Conn) Window() int64 { return c.sending.window }

// EndHeaders ends the head or trailers. end says that nothing follows on this side
// of the stream.
func (c *Conn) EndHeaders(end bool) {
	s, at := c.heading.stream, c.heading.at
	if s == nil {
		return
	}
	c.heading = outHead{}
	n := len(c.Out) - at - FrameHeaderLen
	if n <= int(c.peer.MaxFrame) {
		AppendFrameHeader(c.Out[:at], FrameHeader{uint32(n), s.ID, FrameHeaders, FlagEndHeaders | endFlag(end)})
	} else {
		block := append([]byte(nil), c.Out[at+FrameHeaderLen:]...)
		c.Out = AppendHeaders(c.Out[:at], s.ID, block, end, int(c.peer.MaxFrame))
	}
	if end {
		s.sendEnded = true
		c.settle(s)
	}
}

// SendData appends as much of p as the windows allow, in as many frames as it
// takes, and says how much that is. If it is not all, EventWritable will tell when
// to go on. end says that nothing follows p. It takes nothing, and no event
// follows, if this side of the stream is closed.
//
// Streams share a window: a sender with much data gives each of them a part in turn.
func (c *Conn) SendData(s *Stream, p []byte, end bool) (n int) {
	for {
		k, ok := c.DataFrame(s, len(p)-n, end)
		if !ok {
			return n
		}
		c.Out = append(c.Out, p[n:n+k]...)
		if n += k; n == len(p) {
			return n
		}
	}
}

// DataFrame appends the header of a DATA frame with as many of n bytes as may be
// sent in one. Whoever calls it puts those bytes behind Out, wherever they lie; end
// is as for SendData. If nothing may be sent ok is false.
func (c *Conn) DataFrame(s *Stream, n int, end bool) (k int, ok bool) {
	if s.sendEnded || c.dead != nil {
		return 0, false
	}
	window := int(min(int64(s.sendWindow), c.sending.window))
	if k = min(n, int(c.peer.MaxFrame), window); k <= 0 && n > 0 {
		c.sending.park(s, c.now)
		return 0, false
	}
	if !c.worth(k, n) {
		return 0, false
	}
	s.sendWindow -= int32(k)
	c.sending.window -= int64(k)
	c.Out = AppendFrameHeader(c.Out, FrameHeader{uint32(k), s.ID, FrameData, endFlag(end && k == n)})
	if s.in != nil {
		s.in.remove(s)
	}
	if end && k == n {
		s.sendEnded = true
		c.settle(s)
	}
	return k, true
}

// worth counts a DATA frame of k bytes where n could be sent, before any of it is written: a
// frame that was begun is never broken off. It reports whether the connection goes on. A
// server's clients may open windows by a few bytes at a time only as often as other frames
// that request nothing; a client has chosen its server, whose small windows cost that as much
// as this side.
func (c *Conn) worth(k, n int) bool {
	if c.cfg.Server && k < n && k < c.cfg.Limits.WindowTooSmall {
		if err := c.costs.frame(c.now); err != nil {
			c.fail(err)
			return false
		}
		return true
	}
	// Some peers open both windows again for each 4 KiB that they have read.
	c.costs.noise.earn(4 + int32(k>>10))
	return true
}
