package engine

import (
	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/internal/netconn"
	"dyno.example/nano/wire/http1"
	"dyno.example/nano/wire/http2"
)

// requestHTTP2 takes a request's head, and serves the request if it has no body.
func (l *h2streams) request(c *conn, ev *http2.Event) (mine bool) {
	t, hd := l.add(c, ev.Stream), ev.Header
	if c.requests++; !l.server.keeps(c) {
		c.h2.codec.Drain(l.now)
	}
	t.x.Tunnel = exchange.NoTunnel
	if !hd.Protocol.Empty() {
		if string(hd.Protocol.Of(hd.Bytes)) != "websocket" {
			l.refuse(c, t, 501, "no protocol but websocket is spoken on a stream") // RFC 9220 3
			return true
		}
		t.x.Tunnel = exchange.TunnelAsked
	}
	if err := http2.Compose(&t.x.Req, hd, !ev.End && hd.ContentLength < 0, l.requests.limits.URI); err != nil {
		status, detail := refusal(err)
		l.refuse(c, t, status, detail)
		return true
	}
	x := t.x
	x.Buf, x.Remote, x.Unnamed, x.TLS = hd.Bytes, c.remote, c.unnamed, c.secure.Connection()
	t.spawns = x.Owner.Find()
	t.found = true
	tunnel := x.Tunnel == exchange.TunnelAsked
	if tunnel { // what follows is read as it comes, also if it is here: it is no body
		t.in.ended = ev.End
	}
	t.suspendable = canSuspend && x.Owner.Suspends()
	if limit := x.Owner.BodyLimit(); t.suspendable && !x.Req.Expect100 && (limit < 0 || x.Req.ContentLength <= limit) {
		x.Body = exchange.Body{Ready: ev.End}
		t.keepHead()
		l.begin(c, t)
		return l.coroutines.begin(c, t)
	}
	if ev.End && !tunnel {
		x.Body = exchange.Body{Ready: true}
		return l.serve(c, t)
	}
	t.keepHead()
	if tunnel {
		l.serveWithBody(c, t)
		return true
	}
	l.collect(c, t)
	return true
}

// collect has the body come before the handler starts, unless it is too large for that.
func (l *h2streams) collect(c *conn, t *h2stream) {
	x := t.x
	t.collecting = true
	t.limit = x.Owner.BodyLimit()
	switch length := x.Req.ContentLength; {
	case t.limit >= 0 && length > t.limit:
		l.refuse(c, t, 413, exchange.BodyTooLarge)
		return
	case length > int64(l.config.Limits.BufferBody):
		l.serveWithBody(c, t)
	case length < 0 && !x.Owner.WholeBody():
		t.unsized = true
		c.h2.unsized++
	}
	if x.Req.Expect100 {
		t.mu.Lock()
		t.out.interim = append(t.out.interim, "100 Continue\r\n\r\n"...)
		t.mu.Unlock()
		c.h2.ready.Push(t, &t.queued)
	}
	if t.collecting {
		t.pace.Begin(netconn.RateGrace)
	}
}

// keepHead copies the request's head, which is the codec's until the next event.
func (t *h2stream) keepHead() {
	t.head = append(t.head[:0], t.x.Buf...)
	t.x.Buf = t.head
}

// bodyCame takes a part of a body, or what follows it.
func (l *h2streams) bodyCame(c *conn, t *h2stream, ev *http2.Event) (mine bool) {
	if ev.Kind == http2.EventTrailers {
		t.takeTrailers(ev.Header)
	}
	if !t.collecting {
		t.mu.Lock()
		wanted := t.running && !t.returned
		if wanted {
			t.in.data = append(t.in.data, ev.Data...)
			t.in.size += int64(len(ev.Data))
			t.in.ended = t.in.ended || ev.End
		}
		t.mu.Unlock()
		if !wanted {
			c.h2.codec.Consume(t.s, len(ev.Data))
		}
		if t.idle && !t.full {
			return l.coroutines.resume(c, t)
		}
		signal(t.readable)
		return true
	}
	t.body = append(t.body, ev.Data...)
	t.moved += int64(len(ev.Data))
	c.h2.codec.Consume(t.s, len(ev.Data))
	switch {
	case t.limit >= 0 && int64(len(t.body)) > t.limit:
		l.refuse(c, t, 413, exchange.BodyTooLarge)
	case ev.End:
		t.x.Body = exchange.Body{Whole: t.body, Ready: true}
		return l.serve(c, t)
	case len(t.body) > l.config.Limits.BufferBody:
		l.serveWithBody(c, t)
	}
	return true
}

// takeTrailers keeps the fields after a body (RFC 9110 6.5.1).
func (t *h2stream) takeTrailers(hd *http2.Header) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.in.trailers = append(t.in.trailers[:0], hd.Bytes...)
	t.in.fields = t.in.fields[:0]
	for _, f := range hd.Fields {
		if !http1.ForbiddenTrailer(f.Name.Of(hd.Bytes)) {
			t.in.fields = append(t.in.fields, http1.Field{Name: http1.Span(f.Name), Value: http1.Span(f.Value)})
		}
	}
}

// beginUnsized starts the handlers of requests whose body has no length and isn't in.
// The client may want a response before it goes on, as in gRPC, so the body isn't waited for.
func (l *h2streams) beginUnsized(c *conn) {
	for t := c.h2.streams; t != nil; t = t.next {
		if t.unsized {
			l.serveWithBody(c, t)
		}
	}
}

// serveWithBody starts the handler with a body that it reads as it comes.
func (l *h2streams) serveWithBody(c *conn, t *h2stream) {
	t.in.data = append(t.in.data[:0], t.body...)
	t.in.size = int64(len(t.body))
	t.in.done = -len(t.body) // the codec knows of them
	t.body = t.body[:0]
	t.x.Body = exchange.Body{}
	l.begin(c, t)
	l.handlers.spawnStream(t)
}

// serveStream runs the handler of a request that is all in.
func (l *h2streams) serve(c *conn, t *h2stream) (mine bool) {
	whole := t.collecting
	l.begin(c, t)
	if !t.spawns {
		return l.handlers.serveStreamInline(c, t)
	}
	if !whole {
		t.keepHead()
	}
	l.handlers.spawnStream(t)
	return true
}

// begin readies a stream for its handler.
func (l *h2streams) begin(c *conn, t *h2stream) {
	if t.unsized {
		t.unsized = false
		c.h2.unsized--
	}
	t.collecting, t.running = false, true
	t.pace, t.moved, t.still = netconn.Pace{}, 0, 0
	t.began = l.now
}

// refuse responds to a request that can't be served. The rest of its body isn't wanted.
func (l *h2streams) refuse(c *conn, t *h2stream, status int, detail string) {
	if t.unsized {
		t.unsized = false
		c.h2.unsized--
	}
	l.forgetRequest(t)
	t.collecting = false
	body := l.config.App.RefusalBody(status, detail, c.remote)
	t.mu.Lock()
	o := &t.out
	o.status, o.length, o.dated = status, int64(len(body)), false
	o.head = append(o.head[:0], "Content-Type: application/problem+json\r\n"...)
	o.data, o.ended = append(o.data[:0], body...), true
	t.mu.Unlock()
	c.h2.ready.Push(t, &t.queued)
}
