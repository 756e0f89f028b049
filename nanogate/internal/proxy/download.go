//go:build linux

package proxy

import (
	"golang.org/x/sys/unix"

	"dyno.example/nanogate/internal/request"
)

// bodies passes content on in both directions.
type bodies struct {
	*loop

	trail []byte // trailers as lines
}

// copied is up to which size a part of a body is copied behind the head, to be written
// as one piece.
const copied = 16 << 10

// download reads once what an upstream has sent and passes it on. The client has taken
// all before that, or it waits.
func (l *bodies) download(k *backend) {
	c := k.client
	if c == nil || !k.readable || !k.up || !c.out.empty() || k.tunnel || k.held {
		return
	}
	if k.call != nil {
		l.multiplexed.passHeld(k.call)
		return
	}
	b := l.scratch[:readBuffer-len("\r\n")] // there is room for the end of a chunk
	n, more, errno := k.receive(l.Sys, b, k.hungUp)
	switch {
	case errno == unix.EAGAIN:
		k.readable = false
		return
	case errno == unix.EINTR:
		l.laterBackend(k)
		return
	case errno != 0:
		l.exchanges.lost(k)
		return
	case n == 0:
		l.ended(k)
		return
	}
	k.readable = more
	k.answered = true
	if c.x.hedge != nil {
		l.hedging.settle(c, k)
	}
	b = b[:n]
	if len(k.in) > 0 {
		k.in = append(k.in, b...)
		b, k.in = k.in, nil
	}
	l.response(k, b)
}

// ended deals with the end of what an upstream sends.
func (l *bodies) ended(k *backend) {
	k.keep, k.readable = false, false
	if !k.headDone || !k.toEnd || k.cut || k.cutOff() {
		l.exchanges.lost(k)
		return
	}
	l.out = l.out[:0]
	l.give(k.client, k, nil, true)
}

// response takes bytes of a response.
func (l *bodies) response(k *backend, b []byte) {
	c := k.client
	x := &c.x
	l.out = l.out[:0]
	for !k.headDone {
		n, err := l.resp.Parse(b, x.method == head, &responseLimits)
		switch {
		case err != nil:
			l.exchanges.failed(c, request.BadResponse)
			return
		case n == 0:
			if !l.sendInterim(c) {
				return
			}
			k.in = append(k.in[:0], b...)
			if k.readable {
				l.laterBackend(k)
			}
			return
		case l.resp.Status == 101:
			l.switched(c, k, b[:n], b[n:])
			return
		case l.resp.Status < 200:
			if k.interims++; k.interims > mostInterims {
				l.exchanges.failed(c, request.BadResponse)
				return
			}
			if x.minor > 0 { // HTTP/1.0 knows none (RFC 9110 15.2)
				l.out = append(l.heads.responseHead(l.out, c, b[:n]), "\r\n"...)
			}
			b = b[n:]
			if c.of != nil || len(b) == 0 {
				l.sendInterim(c)
			}
			if len(b) == 0 {
				if k.readable { // the end may have come with it
					l.laterBackend(k)
				}
				return
			}
			continue
		}
		if l.exchanges.retriesStatus(c, l.resp.Status) {
			return
		}
		if x.web != nil { // there is no gRPC over HTTP/1.1
			l.exchanges.failed(c, request.BadResponse)
			return
		}
		if text, ok := l.responders.responded(c, k, b[:n], b[n:], tail{}); ok {
			l.accepted(c, k, text, b[n:])
		}
		return
	}
	l.content(k, b)
}

// accepted passes on a response whose head has been looked at, and what followed it.
func (l *bodies) accepted(c *client, k *backend, text, rest []byte) {
	if c.x.asking != nil && l.caching.spared(c, k, text, len(rest) > 0) {
		return
	}
	l.begins(c, k, text)
	l.content(k, rest)
}

// sendInterim sends the interim responses that were gathered. It reports whether the
// client is still there.
func (l *bodies) sendInterim(c *client) bool {
	if len(l.out) == 0 {
		return true
	}
	if c.of != nil {
		l.streams.sendHeadOn(c, false)
		return true
	}
	if c.background {
		l.out = l.out[:0]
		return true
	}
	errno := c.out.write(l.Sys, c.fd, l.out, nil)
	if l.out = l.out[:0]; errno != 0 {
		l.exchanges.clientGone(c)
		return false
	}
	return true
}

// begins writes the final response's head into the loop's buffer.
func (l *bodies) begins(c *client, k *backend, b []byte) {
	x, h := &c.x, &l.resp
	x.begun, k.headDone = true, true
	l.forgetSent(x)
	k.toEnd, k.keep = h.UntilClose, h.KeepAlive
	k.body.StartResponse(h)
	x.outcome.Status = h.Status
	l.transcoding.answered(x)
	if x.passage == nil { // else it has been mirrored as it came
		l.copyHead(x, b)
	}
	if x.changes {
		l.caching.invalidate(x, b)
	}
	if x.asking != nil {
		if l.caching.keep(x, b); x.asking.muted {
			l.caching.notModified(c)
			return
		}
	}
	l.out = l.heads.framed(l.heads.responseHead(l.out, c, b), c)
}

// copyHead mirrors the head of a response.
func (l *bodies) copyHead(x *exchange, b []byte) {
	switch {
	case x.copy == nil:
	case x.web != nil:
		x.copy.Response(l.resp.Status, l.web) // what b was translated from
	default:
		x.copy.Response(l.resp.Status, b)
	}
}

// content passes on what b has of the body, behind what is in the loop's buffer.
func (l *bodies) content(k *backend, b []byte) {
	c := k.client
	used, data, wrong := len(b), len(b), error(nil)
	if !k.toEnd {
		used, data, wrong = k.body.Feed(b)
	}
	done := k.body.Done() && wrong == nil
	if done && used < len(b) {
		k.keep = false // it says more than it was asked
	}
	if l.give(c, k, b[:data], done); wrong != nil && c.x.back == k {
		l.exchanges.failed(c, request.BadResponse)
	}
}

// give gives the client a piece of the response's content, behind what is in the loop's
// buffer; done says that it is the last.
func (l *bodies) give(c *client, k *backend, piece []byte, done bool) {
	if c.x.copy != nil {
		c.x.copy.Content(piece)
	}
	if w := c.x.waits; w != nil && w.of == k && w.gathers != nil {
		l.responders.gatherContent(c, k, piece, done)
		return
	}
	if c.x.json != nil {
		l.transcoding.giveCall(c, k, piece, done)
		return
	}
	l.giveContent(c, k, piece, done)
}

// giveContent is give for content as the client gets it.
func (l *bodies) giveContent(c *client, k *backend, piece []byte, done bool) {
	x := &c.x
	if x.asking != nil {
		piece = l.caching.keepPiece(x, k, piece, done)
	}
	x.outcome.Sent += int64(len(piece))
	if x.web != nil {
		piece = l.grpc.webPart(x, k, piece, done)
	}
	if c.background {
		l.caching.giveNobody(c, k, done)
		return
	}
	if c.of != nil {
		l.streams.giveStream(c, k, piece, done)
		return
	}
	l.out, piece = chunkOf(l.out, piece, x.rewrap)
	var trailers []byte
	if done && x.rewrap {
		if trailers = l.responseTrailers(x, k); len(piece) == 0 {
			l.out = l.lastChunk(l.out, trailers)
		}
	}
	if done {
		l.complete(c, k)
	}
	if len(l.out)+len(piece) > 0 {
		errno := c.out.write(l.Sys, c.fd, l.out, piece)
		if errno == 0 && done && x.rewrap && len(piece) > 0 {
			l.out = l.lastChunk(l.out[:0], trailers)
			errno = c.out.write(l.Sys, c.fd, l.out, nil)
		}
		if errno != 0 {
			l.exchanges.clientGone(c)
			return
		}
	}
	switch {
	case done:
		l.exchanges.endOfResponse(c)
	default:
		l.deadlines.await(c, x.flowing())
		if k.readable {
			l.laterBackend(k)
		}
	}
}

// lastChunk appends the end of a body in chunks, with its trailers.
func (l *bodies) lastChunk(dst, trailers []byte) []byte {
	dst = append(dst, "0\r\n"...)
	return append(append(dst, trailers...), "\r\n"...)
}

// complete ends an exchange whose response is all read, before the client is given the
// end of it: who has a response and asks again finds that the first request is over.
func (l *bodies) complete(c *client, k *backend) {
	x := &c.x
	if len(x.upstream.Detectors) > 0 {
		l.exchanges.tried(x, x.outcome.Status, request.OK)
	}
	if !x.body.Done() {
		k.keep = false
	}
	l.exchanges.partFrom(c, k)
	l.exchanges.end(c)
}
