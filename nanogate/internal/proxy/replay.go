//go:build linux

package proxy

import eventloop "dyno.example/nano/wire/loop"

// A request may have to be sent again: its endpoint refuses to look at it, its connection is
// lost, there is no place for it after all. Then it goes from its head on and with all that
// was taken of its body, or not at all. There is one rule for that: as long as the head of a
// try hasn't been sent, what has been taken of the body is kept, however much that is, and
// nothing more is taken; with the head goes all of it.

// mostReplay is how many bytes of a request's body are kept for another try once they have
// been sent.
const mostReplay = 64 << 10

// content is what was taken of a request's body, as it is sent on: all that keeps it for
// another try goes by its rule.
type content struct {
	taken int64  // bytes
	kept  []byte // all of them, or none; from the loop's buffers
}

// whole reports whether all that was taken is kept.
func (t *content) whole() bool { return t.taken == int64(len(t.kept)) }

// with is the part of the body that goes with the head of a try: all that was taken, ending in piece. ok
// is false if some of it is gone.
func (t *content) with(piece []byte) (all []byte, ok bool) {
	if len(t.kept) > 0 {
		return t.kept, t.whole()
	}
	return piece, int64(len(piece)) == t.taken
}

// take counts a piece, and keeps it, too, if what came before it is kept.
func (t *content) take(b *eventloop.Buffers, piece []byte) {
	if t.whole() && len(piece) > 0 {
		if t.kept == nil {
			t.kept = b.Take()
		}
		t.kept = append(t.kept, piece...)
	}
	t.taken += int64(len(piece))
}

// set replaces it with other content, all of which is there.
func (t *content) set(b *eventloop.Buffers, all []byte) {
	if t.kept == nil {
		t.kept = b.Take()
	}
	t.kept = append(t.kept[:0], all...)
	t.taken = int64(len(t.kept))
}

// forget gives up what is kept: it isn't sent again.
func (t *content) forget(b *eventloop.Buffers) {
	if t.kept != nil {
		b.Give(t.kept)
		t.kept = nil
	}
}

// again reports whether the request can be sent once more as far as it is concerned: what
// has been taken of its body is kept, and nothing of a response has been sent on.
func (x *exchange) again() bool { return x.sent.whole() && !x.begun && len(x.head) > 0 }

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
	case x.headIn || len(x.sent.kept) == 0 || x.gathers():
		return true
	}
	return l.sendPart(c, nil) && c.fd >= 0 && c.state.busy() && x.takes()
}

// take counts what is about to be sent of a request's body. Over HTTP/2 it is kept until the
// response begins, as the endpoint may not look at it.
func (l *bodies) take(x *exchange, piece []byte) {
	t := &x.sent
	switch {
	case x.back.call == nil || x.begun:
		t.taken += int64(len(piece))
		return
	case x.headIn && t.whole() && len(t.kept)+len(piece) > mostReplay:
		t.forget(&l.buffers) // what is too long is not sent twice
		t.taken += int64(len(piece))
		return
	}
	t.take(&l.buffers, piece)
}
