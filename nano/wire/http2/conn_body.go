package http2

var (
	errConnWindow   = connError(FlowControlError, "RFC 9113 6.9.1", "more DATA than the connection's window allows")
	errStreamWindow = streamError(FlowControlError, "RFC 9113 6.9.1", "more DATA than the stream's window allows")
)

// inBody is a DATA frame that is coming in: it is handed on as it comes, however
// long it is.
type inBody struct {
	active bool
	end    bool
	stream *Stream // nil: discarded
	left   uint32  // bytes of data
	pad    uint32  // bytes after them
}

// beginBody reads the start of a DATA frame (RFC 9113 6.1); b is what there is of
// its payload.
func (c *Conn) beginBody(h FrameHeader, b []byte) (n int, err *Error) {
	if h.Flags.Has(FlagPadded) && h.Length > 0 && len(b) == 0 {
		return 0, nil
	}
	before, data, err := h.padding(b)
	if err != nil {
		return 0, err
	}
	if c.recvWindow -= int64(h.Length); c.recvWindow < 0 {
		return 0, errConnWindow
	}
	end := h.Flags.Has(FlagEndStream)
	padding := h.Length - data
	c.body = inBody{padding > before || data > 0, end, nil, data, padding - before}
	c.giveBack(int64(padding)) // padding needs no room
	s := c.streams.find(h.Stream)
	err = c.admit(s, h, data)
	switch {
	case err != nil && !err.Stream:
		return 0, err
	case err != nil:
		err = c.fault(h.Stream, err)
	case s != nil:
		c.body.stream = s
		if data >= uint32(c.cfg.Limits.WindowTooSmall) {
			c.costs.noise.earn(2)
		}
		c.refill(s, int32(padding))
		if data == 0 && end {
			c.happens(EventData, s)
			err = c.finish(s, true)
		} else if data == 0 {
			err = c.costs.frame(c.now)
		}
	}
	return FrameHeaderLen + int(before), err
}

// admit says whether a DATA frame of so much data may come on a stream, and counts
// it. s is nil if the stream is not open.
func (c *Conn) admit(s *Stream, h FrameHeader, data uint32) *Error {
	switch {
	case s == nil:
		return c.late(h.Stream)
	case s.recvEnded:
		return errLateHalf
	case !s.headIn:
		return errBodyEarly
	}
	if s.recvWindow -= int32(h.Length); s.recvWindow < 0 {
		return errStreamWindow
	}
	if s.left >= 0 {
		if s.left -= int64(data); s.left < 0 || h.Flags.Has(FlagEndStream) && s.left > 0 {
			return errLengthUnlike
		}
	}
	return nil
}

// readBody hands on what there is of a DATA frame.
func (c *Conn) readBody(b []byte) (n int, err *Error) {
	d := &c.body
	if d.left > 0 {
		if n = min(len(b), int(d.left)); n == 0 {
			return 0, nil
		}
		d.left -= uint32(n)
		d.active = d.left+d.pad > 0
		s := d.stream
		if s == nil {
			c.giveBack(int64(n))
			return n, nil
		}
		s.unread += int32(n)
		c.happens(EventData, s).Data = b[:n:n]
		return n, c.finish(s, d.end && d.left == 0)
	}
	n = min(len(b), int(d.pad))
	d.pad -= uint32(n)
	d.active = d.pad > 0
	return n, nil
}

// Consume notes that the owner is done with n bytes of s's body: the peer may send as
// many again.
func (c *Conn) Consume(s *Stream, n int) {
	count := int32(min(n, int(s.unread)))
	s.unread -= count
	c.giveBack(int64(count))
	c.refill(s, count)
}

// refill opens a stream's window again by n bytes, once half of it is used up: then
// the peer never has to wait, and there are few WINDOW_UPDATEs.
func (c *Conn) refill(s *Stream, n int32) {
	if s.recvEnded {
		return
	}
	if s.credit += n; s.credit > 0 && s.credit >= c.recvInitial()/2 {
		c.Out = AppendWindowUpdate(c.Out, s.ID, uint32(s.credit))
		s.recvWindow += s.credit
		s.credit = 0
	}
}

// giveBack does the same for the connection.
func (c *Conn) giveBack(n int64) {
	if c.credit += n; c.credit > 0 && c.credit >= int64(c.cfg.Window)/2 {
		c.Out = AppendWindowUpdate(c.Out, 0, uint32(c.credit))
		c.recvWindow += c.credit
		c.credit = 0
	}
}
