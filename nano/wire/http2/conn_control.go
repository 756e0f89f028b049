package http2

var (
	errWindowOver       = connError(FlowControlError, "RFC 9113 6.9.1", "connection's window above 2^31-1")
	errStreamWindowOver = streamError(FlowControlError, "RFC 9113 6.9.1", "stream's window above 2^31-1")
	errWindowsOver      = connError(FlowControlError, "RFC 9113 6.9.2", "SETTINGS_INITIAL_WINDOW_SIZE makes a stream's window larger than 2^31-1")
)

// readSettings takes the peer's settings, or that it has taken ours (RFC 9113 6.5).
func (c *Conn) readSettings(h FrameHeader, payload []byte) *Error {
	if h.Flags.Has(FlagAck) {
		if !c.unacked {
			return c.costs.frame(c.now)
		}
		c.acknowledged()
		return nil
	}
	if !c.costs.setting(c.now) {
		return errSettings
	}
	if err := c.costs.reply(); err != nil {
		return err
	}
	was := c.peer.InitialWindow
	if err := c.peer.Apply(payload, !c.cfg.Server); err != nil {
		return err
	}
	c.greeted = true
	c.enc.Allow(c.peer.HeaderTable)
	if err := c.shiftWindows(int64(c.peer.InitialWindow) - int64(was)); err != nil {
		return err
	}
	c.Out = AppendSettingsAck(c.Out)
	c.happens(EventSettings, nil)
	return nil
}

// acknowledged makes our settings hold for the peer.
func (c *Conn) acknowledged() {
	more := int32(c.cfg.Settings.InitialWindow) - defaultWindow
	c.streams.each(func(s *Stream) { s.recvWindow += more })
	c.unacked = false
	c.dec.Allow(c.cfg.Settings.HeaderTable)
}

// shiftWindows changes the windows of all streams, which may go below 0 (RFC 9113
// 6.9.2).
func (c *Conn) shiftWindows(by int64) *Error {
	if by == 0 {
		return nil
	}
	over := false
	c.streams.each(func(s *Stream) {
		window := int64(s.sendWindow) + by
		over = over || window > maxWindow
		s.sendWindow = int32(min(window, maxWindow))
	})
	if over {
		return errWindowsOver
	}
	c.sending.wake()
	return nil
}

// readWindowUpdate opens a window (RFC 9113 6.9).
func (c *Conn) readWindowUpdate(h FrameHeader, payload []byte) *Error {
	n, err := h.ParseIncrement(payload)
	if h.Stream == 0 {
		if err != nil {
			return err
		}
		if c.sending.window += int64(n); c.sending.window > maxWindow {
			return errWindowOver
		}
		c.sending.wake()
		return c.costs.frame(c.now)
	}
	s := c.streams.find(h.Stream)
	switch {
	case s == nil && c.streams.idle(h.Stream):
		return c.late(h.Stream)
	case err != nil:
		return c.fault(h.Stream, err)
	case s == nil:
		return c.costs.frame(c.now)
	case int64(s.sendWindow)+int64(n) > maxWindow:
		return c.fault(h.Stream, errStreamWindowOver)
	}
	s.sendWindow += int32(n)
	if s.in == &c.sending.waiting && s.sendWindow > 0 {
		c.sending.waiting.remove(s)
		c.sending.waking.push(s)
	}
	return c.costs.frame(c.now)
}

// readReset ends a stream (RFC 9113 6.4).
func (c *Conn) readReset(h FrameHeader, payload []byte) *Error {
	s := c.streams.find(h.Stream)
	if s == nil {
		if c.streams.idle(h.Stream) {
			return c.late(h.Stream)
		}
		return c.costs.frame(c.now)
	}
	if c.cfg.Server && !c.costs.reset(c.now) {
		return errResets
	}
	c.close(s, byPeer)
	c.happens(EventReset, s).Code = ParseCode(payload)
	return nil
}

// readPing acknowledges a PING, or takes the acknowledgement of one (RFC 9113 6.7).
func (c *Conn) readPing(h FrameHeader, payload []byte) *Error {
	if err := c.costs.frame(c.now); err != nil {
		return err
	}
	if !h.Flags.Has(FlagAck) {
		c.Out = AppendPing(c.Out, [8]byte(payload), true)
		return c.costs.reply()
	}
	if c.draining.phase == drainFirst && [8]byte(payload) == drainPing {
		c.lastGoAway()
		return nil
	}
	c.happens(EventPong, nil).Data = payload
	return nil
}

// readGoAway learns that the peer takes no more streams (RFC 9113 6.8).
func (c *Conn) readGoAway(payload []byte) *Error {
	if err := c.costs.frame(c.now); err != nil {
		return err
	}
	last, code, debug := ParseGoAway(payload)
	c.goneAway, c.peerLast, c.refuse = true, last, true
	ev := c.happens(EventGoAway, nil)
	ev.Code, ev.Data = code, debug
	return nil
}
