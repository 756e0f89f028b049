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
	case c.next > 1<<31-1:
		return nil, ErrIDs
	}
	s := c.add(c.next)
	c.next += 2
	c.open++
	return s, nil
}

// Room is how many more streams Open may open now.
func (c *Conn) Room() int {
	most := c.peer.MaxConcurrent
	if !c.greeted {
		most = streamsUnasked
	}
	return int(most) - c.open
}

// Window is how many bytes may be sent now on all streams together.
func (c *Conn) Window() int64 { return c.sendWindow }

// outHead is a field block that is being written.
type outHead struct {
	stream  *Stream // nil: none
	at      int     // where its frame starts in Out
	changes uint32  // of the encoder, before it
}

// Request begins a request's head. Fields and EndHeaders follow, and nothing else
// in between; the same goes for the other heads.
func (c *Conn) Request(s *Stream, method, scheme, authority, path []byte) {
	c.begin(s)
	s.bodiless = string(method) == "HEAD"
	c.Known(NameMethod, method)
	c.Known(NameScheme, scheme)
	if len(authority) > 0 {
		c.Known(NameAuthority, authority)
	}
	c.Known(NamePath, path)
}

// Connect begins the head of CONNECT: extended (RFC 8441), which the peer must
// allow, or of a tunnel to authority if protocol is empty.
func (c *Conn) Connect(s *Stream, protocol, scheme, authority, path []byte) {
	c.begin(s)
	c.Known(NameMethod, unsafeBytes("CONNECT"))
	c.Known(NameAuthority, authority)
	if len(protocol) > 0 {
		c.Known(NameProtocol, protocol)
		c.Known(NameScheme, scheme)
		c.Known(NamePath, path)
	}
}

// Response begins a response's head, or that of an interim one.
func (c *Conn) Response(s *Stream, status int) {
	c.begin(s)
	if c.heading.stream != nil {
		c.Out = c.enc.AppendStatus(c.Out, status)
	}
}

// Trailers begins the fields after a body.
func (c *Conn) Trailers(s *Stream) { c.begin(s) }

// begin leaves room for a frame's header. Of a stream that is closed nothing is
// written: the table must not know fields that the peer won't see.
func (c *Conn) begin(s *Stream) {
	if s.closed || s.sendEnded || c.dead != nil {
		c.heading = outHead{}
		return
	}
	c.heading = outHead{s, len(c.Out), c.enc.changes}
	c.Out = AppendFrameHeader(c.Out, FrameHeader{})
	c.Out = c.enc.Begin(c.Out)
}

// Field adds a field; capitals in its name become small letters. Neither name nor
// value is checked.
func (c *Conn) Field(name, value []byte) {
	if c.heading.stream != nil {
		c.Out = c.enc.Append(c.Out, name, value, false)
	}
}

// Sensitive adds a field that is not to be compressed (RFC 7541 7.1.3).
func (c *Conn) Sensitive(name, value []byte) {
	if c.heading.stream != nil {
		c.Out = c.enc.Append(c.Out, name, value, true)
	}
}

// Known adds a field whose name is known here, for less than Field.
func (c *Conn) Known(name Name, value []byte) {
	if c.heading.stream != nil {
		c.Out = c.enc.AppendKnown(c.Out, name, value)
	}
}

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
	window := int(min(int64(s.sendWindow), c.sendWindow))
	if k = min(n, int(c.peer.MaxFrame), window); k <= 0 && n > 0 {
		c.park(s)
		return 0, false
	}
	if !c.worth(k, n) {
		return 0, false
	}
	s.sendWindow -= int32(k)
	c.sendWindow -= int64(k)
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
		if err := c.countNoise(); err != nil {
			c.fail(err)
			return false
		}
		return true
	}
	// Some peers open both windows again for each 4 KiB that they have read.
	c.noise.earn(4 + int32(k>>10))
	return true
}

// park makes a stream wait for a window.
func (c *Conn) park(s *Stream) {
	if s.in == nil {
		s.blockedAt = c.now
		c.waiting.push(s)
	}
}
