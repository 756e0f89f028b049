//go:build linux

package proxy

import (
	"dyno.example/nano/wire/http2"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/translate"
)

// How a response goes to a client over HTTP/2.

// send implements [recipient].
func (l *streams) send(c *client, piece, trailers []byte, last bool) bool {
	if len(l.out) > 0 {
		l.sendHeadOn(c, last && len(piece)+len(trailers) == 0)
	}
	if len(piece) > 0 || last {
		l.muxes.send(&c.sink, piece, last, trailers)
	}
	return true
}

// after implements [recipient].
func (l *streams) after(c *client) { l.exchanges.drop(c) }

// sendHeadOn sends the head that is in the loop's buffer, final or interim; end says that
// it is all.
func (l *streams) sendHeadOn(c *client, end bool) {
	m := c.sink.mux
	l.muxes.touch(m)
	translate.SendResponse(&m.codec, c.sink.stream, l.out, c.private, end)
	l.out = l.out[:0]
}

// cut implements [recipient]: a call ends with a status, if that is possible, else with a reset.
func (l *streams) cut(c *client) {
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
