//go:build linux

package proxy

import (
	"golang.org/x/sys/unix"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/request"
)

// bodies passes content on in both directions.
type bodies struct {
	*loop

	trail []byte // trailers as lines
	came  []byte // the head of a response as it came, until the next one
	told  []byte // the head of a response that says that there is a tunnel
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
		l.attempts.ends(k.client, k, loss{how: tryLost})
		return
	case n == 0:
		l.ended(k)
		return
	}
	k.readable = more
	k.begun = true
	l.attempts.responds(c, k)
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
		l.attempts.ends(k.client, k, loss{how: tryLost})
		return
	}
	l.out = l.out[:0]
	l.give(k.client, k, nil, true, k.client.x.with)
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
		if l.attempts.retriesFarewell(c, k, &l.resp) || l.attempts.retriesStatus(c, l.resp.Status) {
			return
		}
		l.came = b[:n]
		l.passHead(c, k, b[:n], b[n:], tail{}, x.with)
		return
	}
	l.content(k, b)
}

// passHead passes on the head of a response, and what came with it, when those among with
// have looked at it.
func (l *bodies) passHead(c *client, k *backend, text, rest []byte, end tail, with filter.Set) {
	if with != 0 {
		var ok bool
		if text, ok = l.throughHead(c, k, text, rest, end, with); !ok {
			return
		}
	}
	if k.call == nil {
		l.begins(c, k, text)
		l.content(k, rest)
		return
	}
	l.out = l.out[:0]
	l.begins(c, k, text)
	if end.graded {
		c.x.gradeAs(c, end.code)
	}
	l.give(c, k, nil, end.here, c.x.with)
}

// sendInterim sends the interim responses that were gathered. It reports whether the
// client is still there.
func (l *bodies) sendInterim(c *client) bool {
	return len(l.out) == 0 || c.to.send(c, nil, nil, false)
}

// begins writes the final response's head into the loop's buffer.
func (l *bodies) begins(c *client, k *backend, b []byte) {
	x, h := &c.x, &l.resp
	x.begun, k.headDone = true, true
	x.sent.forget(&l.buffers)
	k.toEnd, k.keep = h.UntilClose, h.KeepAlive
	k.body.StartResponse(h)
	x.outcome.Status = h.Status
	l.headCame(x)
	if !l.slots.begin.back(x, x.with, func(f atBegin) bool { return f.beginning(c, b) }) {
		l.out = l.heads.framed(l.heads.responseHead(l.out, c, b), c)
	}
}

// headCame notes that the head of a response is in.
func (l *bodies) headCame(x *exchange) {
	if x.outcome.Upstream = true; x.outcome.Responded == 0 { // else it has waited for a decision since
		x.outcome.Responded = l.now
	}
	if x.upstream.Config.Balance.Kind == config.EWMA {
		x.endpoint.Took(x.outcome.Responded-x.tried, l.now)
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
	if l.give(c, k, b[:data], done, c.x.with); wrong != nil && c.x.back == k {
		l.exchanges.failed(c, request.BadResponse)
	}
}

// give gives the client a piece of the response's content, behind what is in the loop's
// buffer, when those among with have taken it; done says that it is the last.
func (l *bodies) give(c *client, k *backend, piece []byte, done bool, with filter.Set) {
	x := &c.x
	if with != 0 {
		var ok bool
		if piece, ok = l.throughDownload(c, k, piece, done, with); !ok {
			return
		}
	}
	x.outcome.Sent += int64(len(piece))
	if len(l.out) > 0 {
		c.private = append(c.private[:0], k.private...)
	}
	var trailers []byte
	if done {
		trailers = l.responseTrailers(x, k)
		l.complete(c, k)
	}
	switch {
	case !c.to.send(c, piece, trailers, done):
	case done:
		l.exchanges.endOfResponse(c)
	default:
		l.deadlines.await(c, x.flowing())
		if k.readable {
			l.laterBackend(k)
		}
	}
}

// complete ends an exchange whose response is all read, before the client gets the end of
// it: a client that has a response and sends the next request finds the first one over.
func (l *bodies) complete(c *client, k *backend) {
	x := &c.x
	if len(x.upstream.Detectors) > 0 {
		l.attempts.told(x, x.outcome.Status, request.OK)
	}
	if !x.body.Done() {
		k.keep = false
	}
	l.exchanges.partFrom(c, k)
	l.exchanges.end(c)
}

// send implements [recipient].
func (l *downstream) send(c *client, piece, trailers []byte, last bool) bool {
	if errno := l.bodies.write(&c.socket, piece, trailers, c.x.rewrap, last); errno != 0 {
		l.exchanges.clientGone(c)
		return false
	}
	return true
}

// write sends what is in the loop's buffer, and a piece of content behind it: a chunk, if the
// content is chunked. last says that nothing follows but the trailers.
func (l *bodies) write(to *socket, piece, trailers []byte, chunked, last bool) (errno unix.Errno) {
	last = last && chunked
	l.out, piece = chunkOf(l.out, piece, chunked)
	if last && len(piece) == 0 {
		l.out = appendLastChunk(l.out, trailers)
	}
	if len(l.out)+len(piece) > 0 {
		errno = to.out.write(l.Sys, to.fd, l.out, piece)
	}
	if errno == 0 && last && len(piece) > 0 {
		errno = to.out.write(l.Sys, to.fd, appendLastChunk(l.out[:0], trailers), nil)
	}
	l.out = l.out[:0]
	return errno
}

// appendLastChunk appends the end of a body in chunks, with its trailers.
func appendLastChunk(dst, trailers []byte) []byte {
	dst = append(dst, "0\r\n"...)
	return append(append(dst, trailers...), "\r\n"...)
}
