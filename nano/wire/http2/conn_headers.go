package http2

var (
	errOrder    = connError(ProtocolError, "RFC 9113 5.1.1", "stream whose ID is not above those before it, or not the peer's to open")
	errRefused  = streamError(RefusedStream, "RFC 9113 5.1.2", "more streams than SETTINGS_MAX_CONCURRENT_STREAMS")
	errListLong = streamError(EnhanceYourCalm, "RFC 9113 10.5.1", "fields larger than the limit")
)

// inBlock is a field block that comes in several frames.
type inBlock struct {
	stream    uint32 // 0: none is under way
	end       bool
	dependsOn uint32
	bytes     []byte
}

// add adds what a frame has of the block, which is limited in bytes.
func (k *inBlock) add(part []byte, limit int) *Error {
	if len(k.bytes)+len(part) > limit {
		return errBlock
	}
	k.bytes = append(k.bytes, part...)
	return nil
}

// readHeaders reads HEADERS (RFC 9113 6.2).
func (c *Conn) readHeaders(h FrameHeader, payload []byte) *Error {
	block, dependsOn, err := h.Fragment(payload)
	if err != nil {
		return err
	}
	end := h.Flags.Has(FlagEndStream)
	if h.Flags.Has(FlagEndHeaders) {
		return c.section(h.Stream, end, dependsOn, block)
	}
	c.block = inBlock{h.Stream, end, dependsOn, nil}
	return c.block.add(block, c.cfg.Limits.HeaderBlock)
}

// readContinuation reads CONTINUATION (RFC 9113 6.10). Each counts as noise, so
// that short ones can't go on for ever (CVE-2024-27316).
func (c *Conn) readContinuation(h FrameHeader, payload []byte) *Error {
	if c.block.stream == 0 {
		return errUnexpected
	}
	if err := c.costs.frame(c.now); err != nil {
		return err
	}
	if err := c.block.add(payload, c.cfg.Limits.HeaderBlock); err != nil || !h.Flags.Has(FlagEndHeaders) {
		return err
	}
	block := c.block
	c.block = inBlock{}
	return c.section(block.stream, block.end, block.dependsOn, block.bytes)
}

// section decodes a block, whatever becomes of it: the decoder must see them all.
func (c *Conn) section(id uint32, end bool, dependsOn uint32, block []byte) *Error {
	h := &c.pool.header
	lim := HeaderLimits{c.cfg.Settings.MaxHeaderList, c.cfg.Limits.HeaderFields}
	if err := c.dec.Decode(block, h, &lim); err != nil {
		return err
	}
	s := c.streams.find(id)
	switch {
	case s == nil && c.cfg.Server && id > c.streams.last && !c.streams.mine(id):
		if c.draining.phase == drainLast {
			return c.costs.frame(c.now)
		}
		return c.opened(id, end, dependsOn == id, h)
	case s == nil:
		return c.lateSection(id)
	case dependsOn == id:
		return c.fault(id, errDependency)
	case s.recvEnded:
		return c.fault(id, errLateHalf)
	case h.TooLarge:
		return c.fault(id, errListLong)
	case s.headIn:
		return c.trailers(s, end, h)
	}
	return c.response(s, end, h)
}

// lateSection judges a section of a stream that is closed, or of one that the peer
// can't open.
func (c *Conn) lateSection(id uint32) *Error {
	if !c.streams.mine(id) && (c.streams.idle(id) || c.streams.gone.unused(id)) {
		return errOrder
	}
	err := c.late(id)
	if err != nil && err.Stream {
		return c.fault(id, err)
	}
	return err
}

// opened makes a stream of a request.
func (c *Conn) opened(id uint32, end, onItself bool, h *Header) *Error {
	c.streams.last = id
	err := errRefused
	// Streams count until their owner lets go of them, not until they are closed: a
	// peer that resets streams gets no more work done at a time.
	if uint32(c.streams.held) < c.cfg.Settings.MaxConcurrent {
		err = h.wholeRequest(c.cfg.Settings.ConnectProtocol, end)
	}
	if onItself {
		err = errDependency
	}
	if err != nil {
		return c.fault(id, err)
	}
	s := c.add(id)
	s.headIn, s.recvEnded, s.left = true, end, h.ContentLength
	if h.TooLarge {
		s.left = -1
		c.happens(EventTooLarge, s).End = end
		return nil
	}
	ev := c.happens(EventHead, s)
	ev.Header, ev.End = h, end
	return nil
}

// wholeRequest checks a request's head, if all of it is there.
func (h *Header) wholeRequest(connects, end bool) *Error {
	if h.TooLarge {
		return nil
	}
	if err := h.request(connects); err != nil {
		return err
	}
	if end && h.ContentLength > 0 {
		return errLengthUnlike
	}
	return nil
}

// response takes the head of a response, or an interim one.
func (c *Conn) response(s *Stream, end bool, h *Header) *Error {
	if err := h.response(); err != nil {
		return c.fault(s.ID, err)
	}
	if h.Status < 200 {
		if end {
			return c.fault(s.ID, errInterimEnd)
		}
		c.happens(EventInterim, s).Header = h
		return c.costs.frame(c.now)
	}
	s.headIn, s.left = true, h.ContentLength
	if s.bodiless || h.Status == 204 || h.Status == 304 {
		s.left = 0
	}
	c.happens(EventHead, s).Header = h
	return c.finish(s, end)
}

// trailers takes the fields after a body.
func (c *Conn) trailers(s *Stream, end bool, h *Header) *Error {
	if !end {
		return c.fault(s.ID, errTrailersEnd)
	}
	if err := h.trailers(); err != nil {
		return c.fault(s.ID, err)
	}
	c.happens(EventTrailers, s).Header = h
	return c.finish(s, true)
}

// finish ends the peer's side of a stream, if end, and marks the event that is about to
// be returned.
func (c *Conn) finish(s *Stream, end bool) *Error {
	if end {
		if s.left > 0 {
			return c.fault(s.ID, errLengthUnlike)
		}
		c.pool.event.End, s.recvEnded = true, true
		c.settle(s)
	}
	return nil
}
