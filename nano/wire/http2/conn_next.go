package http2

// Violations of the order of frames.
var (
	errPreface    = connError(ProtocolError, "RFC 9113 3.4", "client doesn't start with the preface of HTTP/2")
	errFirst      = connError(ProtocolError, "RFC 9113 3.4", "first frame is not SETTINGS")
	errBetween    = connError(ProtocolError, "RFC 9113 6.2", "frame in the middle of a field block")
	errUnexpected = connError(ProtocolError, "RFC 9113 6.10", "CONTINUATION without a field block")
	errPush       = connError(ProtocolError, "RFC 9113 6.6", "PUSH_PROMISE, which was not allowed")
	errIdle       = connError(ProtocolError, "RFC 9113 5.1", "frame of a stream that is not open yet")
	errLate       = connError(StreamClosed, "RFC 9113 5.1", "frame of a stream that has ended")
	errLateReset  = streamError(StreamClosed, "RFC 9113 5.1", "frame of a stream that the peer has reset")
	errLateHalf   = streamError(StreamClosed, "RFC 9113 5.1", "frame of a stream that the peer has ended")
	errDependency = streamError(ProtocolError, "RFC 7540 5.3.1", "stream that depends on itself")
)

// Next reads b up to the next event: n bytes of it are done with. After the last
// event it gives More; what is left of b then is the start of a frame, of at most
// 16 KiB, that must be given again with more bytes after it. Views in an event are
// of b or of the pool's, and good until the next call.
//
// An error ends the connection: Out holds the GOAWAY, and nothing more is read. It
// is an *[Error] or the reason given to [Conn.Close]. now is in ns.
func (c *Conn) Next(b []byte, now int64) (n int, ev *Event, err error) {
	c.now = now
	ev = &c.pool.event
	*ev = Event{}
	for {
		if c.dead != nil {
			return n, ev, c.dead
		}
		if c.refuse || c.sending.waking.first != nil {
			if c.due(); ev.Kind != More {
				return n, ev, nil
			}
		}
		m, wrong := c.step(b[n:])
		n += m
		if wrong != nil {
			c.fail(wrong)
			*ev = Event{}
			return n, ev, wrong
		}
		if ev.Kind != More || m == 0 {
			return n, ev, nil
		}
	}
}

// happens sets what Next will give.
func (c *Conn) happens(kind EventKind, s *Stream) *Event {
	ev := &c.pool.event
	ev.Kind, ev.Stream = kind, s
	return ev
}

// due finds events that no bytes are needed for any more.
func (c *Conn) due() {
	if c.refuse {
		if s := c.streams.above(c.peerLast); s != nil {
			c.close(s, byPeer)
			c.happens(EventReset, s).Code = RefusedStream
			return
		}
		c.refuse = false
	}
	for c.sending.waking.first != nil && c.sending.window > 0 {
		s := c.sending.waking.first
		c.sending.waking.remove(s)
		if s.sendWindow > 0 {
			c.happens(EventWritable, s)
			return
		}
		c.sending.waiting.push(s)
	}
}

// step reads one frame, or a part of one of DATA. n is 0 when there is too little.
func (c *Conn) step(b []byte) (n int, err *Error) {
	if c.body.active {
		return c.readBody(b)
	}
	if c.preface > 0 {
		return c.preface.read(b)
	}
	if len(b) < FrameHeaderLen {
		return 0, nil
	}
	h := ParseFrameHeader(b)
	if err := h.Check(c.cfg.Settings.MaxFrame); err != nil {
		return c.wrongFrame(h, b, err)
	}
	if c.block.stream != 0 && (h.Type != FrameContinuation || h.Stream != c.block.stream) {
		return 0, errBetween
	}
	if !c.greeted && (h.Type != FrameSettings || h.Flags.Has(FlagAck)) {
		return 0, errFirst
	}
	if h.Type == FrameData {
		return c.beginBody(h, b[FrameHeaderLen:])
	}
	n = FrameHeaderLen + int(h.Length)
	if len(b) < n {
		return 0, nil
	}
	return n, c.frame(h, b[FrameHeaderLen:n])
}

// wrongFrame ends a connection or, once the frame is in, a stream.
func (c *Conn) wrongFrame(h FrameHeader, b []byte, err *Error) (n int, _ *Error) {
	n = FrameHeaderLen + int(h.Length)
	if !err.Stream || c.block.stream != 0 || !c.greeted {
		return 0, err
	}
	if len(b) < n {
		return 0, nil
	}
	return n, c.fault(h.Stream, err)
}

// preface is how many bytes of what a client sends first are still to come.
type preface int

// read passes over them.
func (p *preface) read(b []byte) (n int, _ *Error) {
	rest := Preface[len(Preface)-int(*p):]
	n = min(len(b), len(rest))
	if string(b[:n]) != rest[:n] {
		return 0, errPreface
	}
	*p -= preface(n)
	return n, nil
}

// frame acts upon a frame other than DATA.
func (c *Conn) frame(h FrameHeader, payload []byte) *Error {
	switch h.Type {
	case FrameHeaders:
		return c.readHeaders(h, payload)
	case FrameContinuation:
		return c.readContinuation(h, payload)
	case FrameWindowUpdate:
		return c.readWindowUpdate(h, payload)
	case FrameRSTStream:
		return c.readReset(h, payload)
	case FrameSettings:
		return c.readSettings(h, payload)
	case FramePing:
		return c.readPing(h, payload)
	case FrameGoAway:
		return c.readGoAway(payload)
	case FramePushPromise:
		return errPush
	case FramePriority:
		if DependsOn(payload) == h.Stream {
			return c.fault(h.Stream, errDependency)
		}
	case FramePriorityUpdate:
		if err := CheckPriorityUpdate(payload); err != nil {
			return err
		}
	}
	return c.costs.frame(c.now)
}

// late judges a frame of a stream that is not in the table: nil if it is to be
// ignored.
func (c *Conn) late(id uint32) *Error {
	if c.streams.idle(id) {
		if c.draining.phase == drainLast && !c.streams.mine(id) {
			return c.costs.frame(c.now) // our GOAWAY said that we won't process it
		}
		return errIdle
	}
	switch c.streams.gone.find(id) {
	case byPeer:
		return errLateReset
	case byEnd:
		return errLate
	}
	return c.costs.frame(c.now)
}

// fault ends a stream for a violation; the owner, if it knows the stream, gets an
// event.
func (c *Conn) fault(id uint32, err *Error) *Error {
	c.Out = AppendRSTStream(c.Out, id, err.Code)
	if c.cfg.Server && !c.costs.reset(c.now) {
		return errResets
	}
	if err := c.costs.reply(); err != nil {
		return err
	}
	s := c.streams.find(id)
	if s == nil {
		if !c.streams.idle(id) && c.streams.gone.find(id) == byNobody {
			c.streams.gone.add(id, byUs)
		}
		if err.Code != RefusedStream { // which the client may not have known
			c.unreported.n++
			c.unreported.last = err
		}
		return nil
	}
	c.close(s, byUs)
	ev := c.happens(EventReset, s)
	*ev = Event{Kind: EventReset, Stream: s, Code: err.Code, Err: err}
	return nil
}

// faults are violations that ended streams.
type faults struct {
	n    int
	last *Error
}

// Faults returns how many streams this side has ended for a violation without an event,
// as the owner doesn't know them, and the last of these errors, since the last call. A
// request whose head is malformed is one.
func (c *Conn) Faults() (n int, last *Error) {
	f := c.unreported
	c.unreported = faults{}
	return f.n, f.last
}

// fail ends the connection.
func (c *Conn) fail(err *Error) {
	if c.dead == nil {
		c.dead = err
		c.Out = AppendGoAway(c.Out, c.streams.last, err.Code, err.Message)
	}
}
