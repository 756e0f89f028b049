//go:build linux

package simulator

import (
	"strconv"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/websocket"
	"dyno.example/nanogate/internal/payload"
)

// Tunnels are what requests for WebSocket become, over either version on either side: the
// client sends its body, the endpoint its content, and who is first to end is followed by the
// other one. An endpoint ends first when it has got all: what ends a WebSocket is no half-close.

// tunnels reports whether its requests ask for one.
func (r *Route) tunnels() bool { return r.Kind == "ws" }

// endsFirst is whether its client ends a tunnel before the endpoint does.
func (r *Request) endsFirst() bool { return r.ID%2 == 0 }

func (r *Request) key() [24]byte { return websocket.Key([16]byte{byte(r.ID), byte(r.ID >> 8)}) }

// askTunnel writes the head that asks for one.
func (p *client1) askTunnel(x *exchange) {
	key := x.key()
	p.Out = append(append(append(p.Out, "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "...), key[:]...), "\r\n\r\n"...)
	p.rest = x.body
}

// tunnelBegins is when it is there.
func (p *client1) tunnelBegins(x *exchange, accept []byte) {
	want := websocket.Accept(keyOf(x))
	if string(accept) != string(want[:]) {
		p.w.violate("wrong-accept", "%q to %s", accept, x)
	}
	p.tunnel, p.inBody = true, true
}

func keyOf(x *exchange) []byte { key := x.key(); return key[:] }

// passTunnel takes what has come through the tunnel, and sends what there is.
func (p *client1) passTunnel(b []byte, errno unix.Errno) {
	x := p.under[0]
	switch {
	case len(b) > 0:
		p.j.take(b)
	case errno == 0:
		p.ended = true
	case errno != unix.EAGAIN:
		p.leave(errno.Error())
		return
	}
	for p.Flush() {
		if n := min(len(p.rest), 1+p.Random.Below(20000)); n > 0 {
			p.Out = append(p.Out, p.rest[:n]...)
			p.rest = p.rest[n:]
			continue
		}
		if !x.sent && (x.endsFirst() || p.ended) {
			x.sent = true
			p.Socket.CloseWrite()
		}
		break
	}
	if p.Broken {
		p.leave("it can't be written to")
		return
	}
	if x.sent && p.ended {
		p.j.tunnelEnded()
		p.under = nil
		p.leave("done")
	}
}

// tunnelEnded is told when both sides have ended it.
func (j *judge) tunnelEnded() {
	if wrong := j.content.Ended(); wrong != "" && !j.own {
		if j.content.Wrong != "" {
			j.w.violate("response-body", "%s, by %s: %s", wrong, j.by.Name, j.x)
		}
		j.cut("its end")
		return
	}
	j.w.finishes(j.x)
	j.w.count("tunnel")
}

// beginTunnel begins one at an endpoint.
func (p *server1) beginTunnel(x *exchange, key []byte) {
	c := p.cur
	c.start()
	accept := websocket.Accept(key)
	p.Out = append(append(append(p.Out, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: "...), accept[:]...), "\r\n"...)
	for _, f := range c.fields {
		p.Out = append(append(append(append(p.Out, f[0]...), ": "...), f[1]...), "\r\n"...)
	}
	p.Out = append(p.Out, "\r\n"...)
	p.tunnel = true
}

// passTunnel takes what has come through it, and sends what there is.
func (p *server1) passTunnel(b []byte, errno unix.Errno) {
	c := p.cur
	switch {
	case len(b) > 0:
		if !p.w.readBody(c.x, c.one, &c.follow, b) {
			p.end("reset")
			return
		}
	case errno == 0:
		p.ended = true
	case errno != unix.EAGAIN:
		p.giveUp()
		return
	}
	for p.Flush() {
		if kind := c.one.fault.Kind; (kind == "cut-response" || kind == "close-response") && c.at >= c.one.fault.At {
			p.fails("")
			return
		}
		if n := min(len(c.content)-c.at, 1+p.Random.Below(20000)); n > 0 {
			p.Out = append(p.Out, c.content[c.at:c.at+n]...)
			c.at += n
			continue
		}
		if !c.done && (p.ended || !c.x.endsFirst() && c.follow.At == len(c.x.body)) {
			c.done = true
			p.Socket.CloseWrite()
		}
		break
	}
	switch {
	case p.Broken:
		p.giveUp()
	case c.done && p.ended:
		p.w.tunnelEnded(c.x, c.one, &c.follow)
		p.end("close")
	}
}

// tunnelEnded is told when both sides have ended a tunnel, as the endpoint sees it.
func (w *world) tunnelEnded(x *exchange, one *run, f *payload.Follower) {
	one.responded = true
	if wrong := f.Ended(); wrong != "" && x.sent && !w.troubled(x) && len(x.runs) == 1 {
		w.violate("tunnel", "%s got it %s: %s", one.endpoint.Name, wrong, x)
	}
}

// ask asks for one over HTTP/2 (RFC 8441).
func (t *stream2) ask() {
	c := &t.p.Conn
	c.Connect(t.s, []byte("websocket"), []byte("http"), []byte("world.example"), []byte(t.x.Path))
	c.Field([]byte("x-token"), strconv.AppendInt(nil, int64(t.x.ID), 10))
	for _, f := range t.p.w.fields(t.x) {
		c.Field([]byte(f[0]), []byte(f[1]))
	}
	c.Field([]byte("sec-websocket-version"), []byte("13"))
	c.EndHeaders(false)
	t.ends = true
}

// mayEnd reports whether this side of a tunnel may end now; others may whenever they have said
// all.
func (t *stream2) mayEnd() bool { return !t.x.Route.tunnels() || t.x.endsFirst() || t.ended }
func (c *serving2) mayEnd() bool {
	return !c.x.Route.tunnels() || c.ended || c.status == 500 || !c.x.endsFirst() && c.follow.At == len(c.x.body)
}
