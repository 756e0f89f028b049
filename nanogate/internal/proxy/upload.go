//go:build linux

package proxy

import (
	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/request"
)

// upload passes on what the client has sent of its request's body, once: what was read
// with the head first. The head goes with it, if it hasn't gone yet. It waits while the
// upstream hasn't taken what came before.
func (l *bodies) upload(c *client) {
	x := &c.x
	switch {
	case x.gathers():
		if x.body.Done() {
			l.gathered(c)
			return
		}
	case x.body.Done() || !l.caughtUp(c):
		return
	}
	if c.of != nil {
		l.streams.uploadStream(c)
		return
	}
	if len(c.in) > 0 {
		n, _ := l.passOn(c, c.in)
		if c.fd >= 0 && n <= len(c.in) { // it was the body's, whatever has become of that: no request begins there
			c.in = c.in[:copy(c.in, c.in[n:])]
		}
	} else if !l.readBody(c) {
		return
	}
	if c.fd >= 0 && c.state.busy() && !x.body.Done() && x.takes() && (c.readable || len(c.in) > 0) {
		l.later(c)
	}
}

// readBody reads a part of the body and passes it on. It reports whether there was one.
func (l *bodies) readBody(c *client) bool {
	x := &c.x
	n := 0
	if c.readable {
		b := l.scratch[:readBuffer-len("\r\n")]
		var more bool
		var errno unix.Errno
		n, more, errno = c.receive(l.Sys, b, c.hungUp)
		switch {
		case errno == unix.EAGAIN:
			c.readable = false
		case errno == unix.EINTR:
			l.later(c)
			return false
		case errno == 0 && n == 0 && x.tunnel: // it has closed its side
			c.readable, c.ending = false, true
			x.body = http1.Body{}
			l.sendPart(c, nil)
			return false
		case errno != 0 || n == 0: // it won't send the rest
			l.exchanges.clientGone(c)
			return false
		default:
			c.readable = more
		}
	}
	if n == 0 {
		if !x.headIn && !x.bodyFirst && !x.gathers() { // the client may wait for a response to its head: 100
			l.sendPart(c, nil)
		}
		return false
	}
	_, ok := l.passOn(c, l.scratch[:n])
	return ok
}

// passOn sends on what b has of the body. It returns how many bytes of b were the
// body's; ok is false when the exchange is over.
func (l *bodies) passOn(c *client, b []byte) (used int, ok bool) {
	x := &c.x
	used, data, wrong := x.body.Feed(b)
	if wrong != nil {
		l.badBody(c)
		return 0, false
	}
	if len(c.in) == 0 { // b is the loop's: what follows the body is kept before another one reads there
		c.in = append(c.in, b[used:]...)
	}
	return used, l.passContent(c, b[:data])
}

// passContent sends on content of the body, unless it is more than there may be. It
// reports whether the exchange goes on.
func (l *bodies) passContent(c *client, piece []byte) bool {
	x := &c.x
	x.came += int64(len(piece))
	if x.gathers() {
		return l.gatherPart(c, piece)
	}
	if x.with != 0 {
		var done, on bool
		if piece, done, on = l.throughUpload(c, piece); done {
			return on
		}
	}
	if most := l.exchanges.mostBody(x); most > 0 && !x.tunnel && !x.measured && x.sent.taken+int64(len(piece)) > most {
		c.unread, x.keep = true, false
		if x.begun {
			l.exchanges.cut(c)
		} else {
			l.heads.refuse(c, replyTooLarge)
		}
		return false
	}
	l.take(x, piece)
	return l.sendPart(c, piece)
}

// sendPart sends content of the request's body, behind its head if that hasn't been
// sent, and the end of the body if this is it.
func (l *bodies) sendPart(c *client, piece []byte) bool {
	x := &c.x
	k := x.back
	if !x.headIn {
		whole, ok := x.sent.with(piece)
		if piece = whole; !ok {
			l.exchanges.failed(c, request.UpstreamGone)
			return false
		}
	}
	if k.call != nil {
		if !l.multiplexed.sendCall(c, k.call, piece) {
			return false
		}
		l.sentOn(c)
		return true
	}
	l.out = l.out[:0]
	if !x.headIn {
		x.headIn = true
		l.out = append(l.out, x.head...)
	}
	var trailers []byte
	if x.chunked && x.body.Done() {
		trailers = l.requestTrailers(c)
	}
	if errno := l.write(&k.socket, piece, trailers, x.chunked, x.body.Done()); errno != 0 {
		// It may have responded before it closed, which says more.
		k.out.reset()
		k.broken, k.cut = true, errno == unix.ECONNRESET
		if k.readable = true; k.client == c {
			l.download(k)
		}
		return false
	}
	if x.tunnel && x.body.Done() {
		k.closeWrite(l.Sys)
	}
	l.sentOn(c)
	return true
}

// sentOn waits for what comes next, when something of the request has been sent on.
func (l *bodies) sentOn(c *client) {
	x := &c.x
	switch {
	case x.begun:
		l.deadlines.await(c, x.flowing())
	case x.waits != nil && x.waits.gathers != nil: // the response comes in as a whole first, and its end may wait for more of the request
		l.deadlines.await(c, stateBody)
	case x.waits != nil: // the response waits for a decision
		l.deadlines.await(c, stateCheck)
	case x.body.Done():
		l.deadlines.await(c, stateResponse)
	default:
		l.deadlines.await(c, stateRequest)
	}
}

// chunkOf appends a piece of content to dst, as a chunk if it is to be one, or gives it
// back to be written behind dst if it is large.
func chunkOf(dst, piece []byte, chunked bool) (head, rest []byte) {
	chunked = chunked && len(piece) > 0
	if chunked {
		dst = http1.AppendChunkSize(dst, len(piece))
	}
	if len(piece) > copied {
		if chunked {
			piece = append(piece, "\r\n"...) // over framing that was read, or behind the buffer's end
		}
		return dst, piece
	}
	dst = append(dst, piece...)
	if chunked {
		dst = append(dst, "\r\n"...)
	}
	return dst, nil
}

// badBody deals with a body that is framed wrongly: what follows it can't be found.
func (l *bodies) badBody(c *client) {
	c.unread = true
	c.x.outcome.Failed = request.ClientGone
	if c.x.begun {
		l.exchanges.cut(c)
		return
	}
	l.heads.refuse(c, replyDeclined)
}

// A request whose body somebody is to see as a whole, before it is sent on, waits until it is
// in. It is kept as what is sent twice is, and goes on with its head.

// gathers reports whether the request's body is awaited as a whole.
func (x *exchange) gathers() bool {
	return x.waits != nil && x.waits.gathers != nil && x.waits.of == nil
}

// gather reads the body for the work that a reply has deferred.
func (l *bodies) gather(c *client, reply *request.Reply) {
	if !l.transcoding.invite(c) {
		reply.Deferred.End()
		return
	}
	c.x.heldBy(0, "")
	s := l.suspensions.sleep(&c.x, l.req.Buf)
	s.gathers, s.cancel = reply, reply.Deferred.End
	l.deadlines.await(c, stateRequest)
	l.later(c)
}

// gatherPart takes content of the body. It reports whether the exchange goes on.
func (l *bodies) gatherPart(c *client, piece []byte) bool {
	x := &c.x
	most := int64(x.waits.gathers.Deferred.Most)
	if own := l.exchanges.mostBody(x); own > 0 && own < most {
		most = own
	}
	if x.sent.take(&l.buffers, piece); x.sent.taken > most {
		c.unread, x.keep = true, false
		l.heads.refuse(c, replyTooLarge)
		return false
	}
	l.deadlines.await(c, stateRequest)
	if x.body.Done() {
		l.later(c) // what was read of the next request is put in its place first
	}
	return true
}

// gathered goes on when the body is in.
func (l *bodies) gathered(c *client) {
	reply, asked := c.x.waits.gathers, false
	l.suspensions.wakeUp(c, nil, func(*request.Request) *request.Reply {
		asked = true
		return reply
	})
	if !asked {
		reply.Deferred.End()
	}
}

// refill replaces the rest of the request's body with another one, all of which is there.
func (l *bodies) refill(x *exchange, body []byte) {
	x.sent.set(&l.buffers, body)
	x.body, x.chunked = http1.Body{}, false // the head says how long it is
}
