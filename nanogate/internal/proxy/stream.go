//go:build linux

package proxy

import (
	"strconv"

	"dyno.example/nano/wire/http1"
	"dyno.example/nano/wire/http2"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/translate"
)

// How a response goes to a client over HTTP/2.

// giveStream is give for a client over HTTP/2.
func (l *streams) giveStream(c *client, k *backend, piece []byte, done bool) {
	var trailers []byte
	if done {
		trailers = l.bodies.responseTrailers(&c.x, k)
		l.bodies.complete(c, k)
	}
	if len(l.out) > 0 {
		c.private = append(c.private[:0], k.private...)
		l.sendHeadOn(c, done && len(piece)+len(trailers) == 0)
	}
	if len(piece) > 0 || done {
		l.muxes.send(&c.sink, piece, done, trailers)
	}
	if done {
		l.exchanges.endOfResponse(c)
		return
	}
	l.deadlines.await(c, c.x.flowing())
	if k.readable {
		l.laterBackend(k)
	}
}

// sendHeadOn sends the head that is in the loop's buffer, final or interim; end says that
// it is all.
func (l *streams) sendHeadOn(c *client, end bool) {
	m := c.sink.mux
	l.muxes.touch(m)
	translate.SendResponse(&m.codec, c.sink.stream, l.out, c.private, end)
	l.out = l.out[:0]
}

// refuseStream gives a client over HTTP/2 an answer of the gateway's own.
func (l *streams) refuseStream(c *client, a *request.Reply) {
	if c.grpc {
		l.grpc.refuseCall(c, a)
		return
	}
	x := &c.x
	bodiless := a.Status == 204 || a.Status == 304
	out := append(l.out[:0], http1.StatusLine(a.Status)...)
	out = append(append(out, l.date...), a.Fields...)
	out = append(out, l.heads.addedFields(x)...)
	if !bodiless {
		out = append(out, "Content-Length: "...)
		out = append(strconv.AppendInt(out, int64(len(a.Body)), 10), "\r\n"...)
	}
	l.out = append(out, "\r\n"...)
	body := a.Body
	if bodiless || x.silent {
		body = nil
	}
	x.outcome.Sent = int64(len(body))
	l.exchanges.end(c)
	c.private = c.private[:0]
	l.sendHeadOn(c, len(body) == 0)
	if len(body) > 0 {
		l.muxes.send(&c.sink, body, true, nil)
	}
	l.exchanges.endOfResponse(c)
}

// cutStream ends a response that can't be completed: a call with a status, if that is
// possible, else with a reset.
func (l *streams) cutStream(c *client) {
	x := &c.x
	l.attempts.giveUp(c)
	if l.grpc.cutCall(c) {
		return
	}
	code := http2.InternalError
	switch {
	case x.wasReset && x.reset != http2.NoError:
		code = x.reset // the upstream's reason is the client's too
	case x.outcome.Failed == request.TimedOut || x.tunnel:
		code = http2.Cancel
	}
	l.muxes.touch(c.sink.mux)
	c.sink.mux.codec.Reset(c.sink.stream, code)
	l.exchanges.end(c)
	l.exchanges.drop(c)
}
