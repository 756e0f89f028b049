//go:build linux

package proxy

import (
	"bytes"
	"encoding/binary"
	"math"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/http1"
	"dyno.example/nano/wire/websocket"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/upstream"
)

// switched makes a tunnel of an exchange whose upstream agreed to another protocol
// (RFC 9110 7.8). Not a byte of it has been sent on before that.
func (l *bodies) switched(c *client, k *backend, head, rest []byte) {
	x := &c.x
	if !x.upgrade {
		l.exchanges.failed(c, request.BadResponse)
		return
	}
	protocol := []byte(nil)
	for _, f := range l.resp.Fields {
		if http1.EqualFold(f.Name.Of(head), "upgrade") {
			protocol = f.Value.Of(head)
		}
	}
	if len(protocol) == 0 {
		l.exchanges.failed(c, request.BadResponse)
		return
	}
	if x.extended {
		if !l.accepts(x, head) {
			l.exchanges.failed(c, request.BadResponse)
			return
		}
		l.crossed(c, k, head, rest)
		return
	}
	l.seat(c)
	l.out = l.heads.responseHead(l.out, c, head)
	if e := x.explained(); e != nil {
		l.out = e.appendTo(l.out, x)
	}
	l.out = append(l.out, "Connection: Upgrade\r\nUpgrade: "...)
	l.out = append(append(l.out, protocol...), "\r\n\r\n"...)
	x.begun, x.keep, k.tunnel, k.keep = true, false, true, false
	x.outcome.Status, x.outcome.Upstream, x.outcome.Responded = 101, true, l.now
	l.deadlines.await(c, stateTunnel)
	if errno := c.out.write(l.Sys, c.fd, l.out, rest); errno != 0 {
		l.exchanges.clientGone(c)
		return
	}
	if in := c.in; len(in) > 0 { // what the client has sent already
		errno := k.out.write(l.Sys, k.fd, nil, in)
		if c.in = in[:0]; errno != 0 {
			l.endTunnel(c)
			return
		}
	}
	l.tunnel(c)
}

// tunnel passes bytes on in both directions, a buffer each, as far as the other side
// takes them.
func (l *bodies) tunnel(c *client) {
	k := c.x.back
	moved := false
	if c.readable && !c.ending && k.out.empty() {
		n, more, ok := l.pass(&c.socket, &k.socket, c.hungUp)
		if !ok {
			l.endTunnel(c)
			return
		}
		c.readable = more
		c.x.sent.taken += int64(max(n, 0))
		if moved = moved || n > 0; n == 0 {
			c.ending = true
			k.closeWrite(l.Sys)
		}
	}
	if k.readable && !k.toEnd && c.out.empty() {
		n, more, ok := l.pass(&k.socket, &c.socket, k.hungUp)
		if !ok {
			l.endTunnel(c)
			return
		}
		k.readable = more
		c.x.outcome.Sent += int64(max(n, 0))
		if moved = moved || n > 0; n == 0 {
			k.toEnd = true // the upstream has closed its side
			c.closeWrite(l.Sys)
		}
	}
	if c.ending && k.toEnd && c.out.empty() && k.out.empty() {
		l.endTunnel(c)
		return
	}
	if moved {
		l.deadlines.progress(c)
	}
	if c.readable && !c.ending && k.out.empty() || k.readable && !k.toEnd && c.out.empty() {
		l.later(c)
	}
}

// pass reads once from one side and sends it to the other. n is -1 if there was
// nothing, 0 at the end of what that side sends; more says that there may be more.
func (l *bodies) pass(from, to *socket, ending bool) (n int, more, ok bool) {
	n, more, errno := from.receive(l.Sys, l.scratch, ending)
	switch {
	case errno == unix.EAGAIN || errno == unix.EINTR:
		return -1, errno == unix.EINTR, true
	case errno != 0:
		return 0, false, false
	case n == 0:
		return 0, false, true
	}
	return n, more, to.out.write(l.Sys, to.fd, nil, l.scratch[:n]) == 0
}

// endTunnel closes both sides.
func (l *bodies) endTunnel(c *client) {
	l.attempts.giveUp(c)
	l.exchanges.end(c)
	l.exchanges.drop(c)
}

// WebSocket over HTTP/2 is extended CONNECT (RFC 8441). Packages above see an upgrade of
// HTTP/1.1, whichever side speaks which version. A tunnel with a stream on either side has
// no loop of its own: to the rest its bytes are those of two bodies.

// flowing is the state in which a response's bytes are passed on.
func (x *exchange) flowing() state {
	if x.tunnel {
		return stateTunnel
	}
	return stateBody
}

// giveKey gives an upgrade the key that HTTP/1.1 has and HTTP/2 has not.
func (l *bodies) giveKey(r *request.Request) {
	var random [16]byte
	binary.LittleEndian.PutUint64(random[:8], l.local.Random())
	binary.LittleEndian.PutUint64(random[8:], l.local.Random())
	key := websocket.Key(random)
	r.Forward("sec-websocket-key", key[:])
}

// accepts reports whether an upstream's 101 is the right one for the key that it was sent.
func (l *bodies) accepts(x *exchange, head []byte) bool {
	key, _ := l.heads.reread(x).Header("sec-websocket-key")
	want := websocket.Accept(key)
	for _, f := range l.resp.Fields {
		if http1.EqualFold(f.Name.Of(head), "sec-websocket-accept") {
			return string(f.Value.Of(head)) == string(want[:])
		}
	}
	return false
}

// offersTunnels reports whether an endpoint is known to take extended CONNECT.
func (l *bodies) offersTunnels(e *upstream.Endpoint) bool {
	for _, m := range l.pools.pool(e).muxes {
		if m.codec.Peer().ConnectProtocol && l.multiplexed.hasRoom(m) {
			return true
		}
	}
	return false
}

// askTunnel asks an endpoint over HTTP/2 for WebSocket, if it takes that. A client that
// could do without gets a response without.
func (l *bodies) askTunnel(c *client, k *call) bool {
	x := &c.x
	protocol, _ := l.heads.reread(x).Header("upgrade")
	switch {
	case k.on.codec.Peer().ConnectProtocol && http1.EqualFold(protocol, "websocket"):
		k.tunnel = true
	case x.extended:
		l.heads.refuse(c, replyNoTunnel)
		return false
	default:
		x.upgrade = false
	}
	return l.multiplexed.sendCall(c, k, nil)
}

// seat has the client of a tunnel stay with its endpoint, if its route says so.
func (l *bodies) seat(c *client) {
	if c.x.with.Has(filter.Sticky) {
		sticking{l.loop}.beginning(c, nil)
	}
}

// crossed makes a tunnel of an exchange whose upstream has agreed to it, with a stream on
// a side at least.
func (l *bodies) crossed(c *client, k *backend, head, rest []byte) {
	x := &c.x
	status, line := 200, "HTTP/1.1 200 OK\r\n"
	if c.of == nil {
		status, line = 101, "HTTP/1.1 101 Switching Protocols\r\n"
	}
	l.seat(c)
	l.told = l.heads.responseHead(l.told[:0], c, head)
	l.out = append(append(l.out[:0], line...), l.told[bytes.IndexByte(l.told, '\n')+1:]...)
	if c.of == nil {
		key, _ := l.heads.reread(x).Header("sec-websocket-key")
		accept := websocket.Accept(key)
		l.out = append(append(l.out, "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: "...), accept[:]...)
		l.out = append(l.out, "\r\n"...)
	}
	if e := x.explained(); e != nil {
		l.out = e.appendTo(l.out, x)
	}
	l.out = append(l.out, "\r\n"...)
	x.sent.forget(&l.buffers)
	x.begun, x.tunnel, x.keep, x.deadline = true, true, false, 0
	endless := http1.Request{ContentLength: math.MaxInt64}
	x.body.Start(&endless)
	k.body.Start(&endless)
	k.headDone, k.toEnd, k.keep = true, true, false
	x.outcome.Status, x.outcome.Upstream, x.outcome.Responded = status, true, l.now
	l.give(c, k, rest, false, x.with)
	if c.fd >= 0 && x.back == k {
		l.upload(c)
	}
}
