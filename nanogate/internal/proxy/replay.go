//go:build linux

package proxy

// A request may have to be sent again: its endpoint refuses to look at it, its connection is
// lost, there is no place for it after all. Then it goes from its head on and with all that
// was taken of its body, or not at all. There is one rule for that: as long as the head of a
// try hasn't been sent, what has been taken of the body is kept, however much that is, and
// nothing more is taken; with the head goes all of it.

// mostReplay is how many bytes of a request's body are kept for another try once they have
// been sent.
const mostReplay = 64 << 10

// again reports whether the request can be sent once more as far as it is concerned: what
// has been taken of its body is kept, and nothing of a response has been sent on.
func (x *exchange) again() bool {
	return x.sent == int64(len(x.replay)) && !x.begun && len(x.head) > 0
}

// takes reports whether the upstream takes a part of the request's body now.
func (x *exchange) takes() bool {
	k := x.back
	return x.gathers() || k != nil && k.up && k.out.empty() && !k.tunnel && !k.broken && (k.call == nil || !k.call.refused)
}

// caughtUp sends what was taken of the body before this try. It reports whether more may be
// taken now.
func (l *bodies) caughtUp(c *client) bool {
	x := &c.x
	switch {
	case !x.takes():
		return false
	case x.headIn || len(x.replay) == 0 || x.gathers():
		return true
	}
	return l.sendPart(c, nil) && c.fd >= 0 && c.state.busy() && x.takes()
}

// keepSent keeps what is sent of a request's body until its response begins, as the
// endpoint may not look at it.
func (l *bodies) keepSent(x *exchange, piece []byte) {
	if int64(len(x.replay)) != x.sent || x.begun || len(piece) == 0 {
		return
	}
	if x.headIn && len(x.replay)+len(piece) > mostReplay {
		l.forgetSent(x) // what is too long is not sent twice
		return
	}
	if x.replay == nil {
		x.replay = l.buffers.Take()
	}
	x.replay = append(x.replay, piece...)
}

// sentWhole is what goes with the head of a try: all that was taken of the body, the last of
// which is piece. ok is false if some of it is gone.
func (x *exchange) sentWhole(piece []byte) (all []byte, ok bool) {
	if len(x.replay) > 0 {
		return x.replay, int64(len(x.replay)) == x.sent
	}
	return piece, int64(len(piece)) == x.sent
}

func (l *bodies) forgetSent(x *exchange) {
	if x.replay != nil {
		l.buffers.Give(x.replay)
		x.replay = nil
	}
}
