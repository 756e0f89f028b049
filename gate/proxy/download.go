//go:build linux

package proxy

import (
	"golang.org/x/sys/unix"

	"dyno/gate/config"
	"dyno/gate/request"
	"dyno/nano/wire/http1"
)

// copied is up to which size a part of a body is copied behind the head, to be written
// as one piece.
const copied = 16 << 10

// download reads once what an upstream has sent and passes it on. The client has taken
// all before that, or it waits.
func (l *loop) download(k *backend) {
	c := k.client
	if c == nil || !k.readable || !k.up || !c.out.empty() || k.tunnel {
		return
	}
	b := l.scratch[:readBuffer-len("\r\n")] // there is room for the end of a chunk
	n, more, errno := k.receive(b, k.hungUp)
	switch {
	case errno == unix.EAGAIN:
		k.readable = false
		return
	case errno == unix.EINTR:
		l.laterBackend(k)
		return
	case errno != 0:
		l.lost(k)
		return
	case n == 0:
		l.ended(k)
		return
	}
	k.readable = more
	k.answered = true
	if c.x.hedge != nil {
		l.settle(c, k)
	}
	b = b[:n]
	if len(k.in) > 0 {
		k.in = append(k.in, b...)
		b, k.in = k.in, nil
	}
	l.response(k, b)
}

// ended deals with the end of what an upstream sends.
func (l *loop) ended(k *backend) {
	k.keep, k.readable = false, false
	if !k.headDone || !k.toEnd || k.cutOff() {
		l.lost(k)
		return
	}
	c := k.client
	l.out = l.out[:0]
	if c.x.rewrap {
		l.out = http1.AppendLastChunk(l.out)
	}
	l.complete(c, k)
	if errno := c.out.write(c.fd, l.out, nil); errno != 0 {
		l.clientGone(c)
		return
	}
	l.endOfResponse(c)
}

// response takes bytes of a response.
func (l *loop) response(k *backend, b []byte) {
	c := k.client
	x := &c.x
	l.out = l.out[:0]
	for !k.headDone {
		n, err := l.resp.Parse(b, x.method == head, &responseLimits)
		switch {
		case err != nil:
			l.failed(c, request.BadResponse)
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
			if x.minor > 0 { // HTTP/1.0 knows none (RFC 9110 15.2)
				l.out = append(l.responseHead(l.out, c, b[:n]), "\r\n"...)
			}
			b = b[n:]
			if len(b) == 0 {
				l.sendInterim(c)
				return
			}
			continue
		}
		if l.mayRetryStatus(x, l.resp.Status) {
			l.tried(x, l.resp.Status, request.OK)
			l.detach(c)
			x.uncount()
			l.retry(c)
			return
		}
		l.begins(c, k, b[:n])
		b = b[n:]
	}
	l.content(k, b)
}

// sendInterim sends the interim responses that were gathered. It reports whether the
// client is still there.
func (l *loop) sendInterim(c *client) bool {
	if len(l.out) == 0 {
		return true
	}
	errno := c.out.write(c.fd, l.out, nil)
	if l.out = l.out[:0]; errno != 0 {
		l.clientGone(c)
		return false
	}
	return true
}

// begins writes the final response's head into the loop's buffer.
func (l *loop) begins(c *client, k *backend, b []byte) {
	x, h := &c.x, &l.resp
	x.begun, k.headDone = true, true
	k.toEnd, k.keep = h.UntilClose, h.KeepAlive
	k.body.StartResponse(h)
	x.outcome.Status, x.outcome.Upstream, x.outcome.Answered = h.Status, true, l.now
	if x.upstream.Config.Balance.Kind == config.EWMA {
		x.endpoint.Took(l.now-x.tried, l.now)
	}
	l.out = l.framed(l.responseHead(l.out, c, b), c)
}

// content passes on what b has of the body, behind what is in the loop's buffer.
func (l *loop) content(k *backend, b []byte) {
	c := k.client
	x := &c.x
	used, data, wrong := len(b), len(b), error(nil)
	if !k.toEnd {
		used, data, wrong = k.body.Feed(b)
	}
	x.outcome.Sent += int64(data)
	done := k.body.Done() && wrong == nil
	if done && used < len(b) {
		k.keep = false // it says more than it was asked
	}
	piece := b[:data]
	if x.rewrap && data > 0 {
		l.out = http1.AppendChunkSize(l.out, data)
		piece = append(piece, "\r\n"...) // over framing that was read, or behind the buffer's end
	}
	if len(piece) <= copied {
		l.out = append(l.out, piece...)
		piece = nil
	}
	if done && x.rewrap && len(piece) == 0 {
		l.out = l.lastChunk(l.out, &k.body)
	}
	if done {
		l.complete(c, k)
	}
	if len(l.out)+len(piece) > 0 {
		errno := c.out.write(c.fd, l.out, piece)
		if errno == 0 && done && x.rewrap && len(piece) > 0 {
			l.out = l.lastChunk(l.out[:0], &k.body)
			errno = c.out.write(c.fd, l.out, nil)
		}
		if errno != 0 {
			l.clientGone(c)
			return
		}
	}
	switch {
	case wrong != nil:
		l.failed(c, request.BadResponse)
	case done:
		l.endOfResponse(c)
	default:
		l.await(c, phaseBody)
		if k.readable {
			l.laterBackend(k)
		}
	}
}

// lastChunk appends the end of a body in chunks, with its trailers.
func (l *loop) lastChunk(dst []byte, body *http1.Body) []byte {
	text, fields := body.Trailers()
	dst = append(dst, "0\r\n"...)
	for _, f := range fields {
		dst = append(append(dst, f.Name.Of(text)...), ": "...)
		dst = append(append(dst, f.Value.Of(text)...), "\r\n"...)
	}
	return append(dst, "\r\n"...)
}

// complete ends an exchange whose response is all read, before the client is given the
// end of it: who has a response and asks again finds that the first request is over.
func (l *loop) complete(c *client, k *backend) {
	x := &c.x
	if len(x.upstream.Detectors) > 0 {
		l.tried(x, x.outcome.Status, request.OK)
	}
	if !x.body.Done() {
		k.keep = false
	}
	x.back = nil
	k.client = nil
	l.release(k)
	l.end(c)
}
