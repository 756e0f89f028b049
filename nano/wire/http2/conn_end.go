package http2

// Phases of a graceful end (RFC 9113 6.8).
const (
	drainNot   = iota
	drainFirst // GOAWAY was sent; streams that are under way to us are still taken
	drainLast  // a GOAWAY with the last stream was sent
)

// drain is how far a graceful end has come.
type drain struct {
	phase uint8
	at    int64 // when it began
}

// drainPing marks the PING after the first GOAWAY: when it comes back, whatever
// the peer sent before it knew is in.
var drainPing = [8]byte{'n', 'o', ' ', 'm', 'o', 'r', 'e', '.'}

// drainWait is for how long that PING is waited for, in ns.
const drainWait = 1e9

// closedConn is the end of a connection that this side has closed.
var closedConn = connError(NoError, "RFC 9113 5.4.1", "connection closed")

// settle closes a stream whose sides have both ended.
func (c *Conn) settle(s *Stream) {
	if s.recvEnded && s.sendEnded {
		c.close(s, byEnd)
	}
}

// close takes a stream out of use. Its owner still has it until Release.
func (c *Conn) close(s *Stream, how closedBy) {
	if s.closed {
		return
	}
	s.closed, s.recvEnded, s.sendEnded = true, true, true
	c.streams.remove(s)
	c.streams.gone.add(s.ID, how)
	if c.streams.mine(s.ID) {
		c.streams.open--
	}
	if s.in != nil {
		s.in.remove(s)
	}
	if c.body.stream == s {
		c.body.stream = nil
	}
	if how != byEnd {
		c.giveBack(int64(s.unread)) // it won't be read
		s.unread = 0
	}
}

// Release gives a stream back, which its owner must not use any more. One that is
// not closed is reset: with NO_ERROR if only the peer's body is missing that isn't
// wanted any more (RFC 9113 8.1), else with CANCEL.
func (c *Conn) Release(s *Stream) {
	if !s.closed {
		code := Cancel
		if c.cfg.Server && s.sendEnded {
			code = NoError
		}
		c.Reset(s, code)
	}
	c.giveBack(int64(s.unread))
	c.streams.held--
	c.pool.give(s)
}

// Reset ends a stream at once, unless it is closed.
func (c *Conn) Reset(s *Stream, code ErrCode) {
	if s.closed || c.dead != nil {
		c.close(s, byUs)
		return
	}
	c.Out = AppendRSTStream(c.Out, s.ID, code)
	c.close(s, byUs)
}

// Ping sends a PING, whose acknowledgement comes as EventPong.
func (c *Conn) Ping(data [8]byte) {
	if c.dead == nil {
		c.Out = AppendPing(c.Out, data, false)
	}
}

// Drain begins a graceful end: the peer opens no more streams, and those that are open
// go on to their end. A client is first sent a GOAWAY that announces the end, then one
// with the last stream, so that no request is lost on its way.
func (c *Conn) Drain(now int64) {
	if c.dead != nil || c.draining.phase != drainNot {
		return
	}
	c.draining = drain{drainFirst, now}
	if !c.cfg.Server {
		c.lastGoAway()
		return
	}
	c.Out = AppendGoAway(c.Out, 1<<31-1, NoError, "")
	c.Out = AppendPing(c.Out, drainPing, false)
}

// lastGoAway says which stream is the last.
func (c *Conn) lastGoAway() {
	c.draining.phase = drainLast
	c.Out = AppendGoAway(c.Out, c.streams.last, NoError, "")
}

// Drained reports whether a graceful end has come to it: the connection can be
// closed when Out is sent.
func (c *Conn) Drained() bool { return c.draining.phase == drainLast && c.streams.held == 0 }

// Close ends the connection at once, with a GOAWAY that says why. Streams that the
// owner has are its to release.
func (c *Conn) Close(code ErrCode) {
	if c.dead == nil {
		c.Out = AppendGoAway(c.Out, c.streams.last, code, "")
		c.dead = closedConn
	}
}

// Tick ends what has taken too long. Call it about once a second, again as long as it
// gives an event; an error is as one of [Conn.Next]. now is in ns.
func (c *Conn) Tick(now int64) (*Event, error) {
	c.now = now
	ev := &c.pool.event
	*ev = Event{}
	if c.dead != nil {
		return ev, c.dead
	}
	if c.unacked && now-c.sentAt > int64(c.cfg.Limits.SettingsWait) {
		c.fail(errNoAck)
		return ev, errNoAck
	}
	if c.draining.phase == drainFirst && now-c.draining.at > drainWait {
		c.lastGoAway()
	}
	for _, list := range []*streamList{&c.sending.waiting, &c.sending.waking} {
		for s := list.first; s != nil; s = s.after {
			if now-s.blockedAt > int64(c.cfg.Limits.StallWait) {
				if err := c.fault(s.ID, errStall); err != nil {
					c.fail(err)
					return ev, err
				}
				return ev, nil
			}
		}
	}
	return ev, nil
}
