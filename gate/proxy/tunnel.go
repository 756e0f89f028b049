//go:build linux

package proxy

import (
	"golang.org/x/sys/unix"

	"dyno/gate/request"
	"dyno/nano/wire/http1"
)

// switched makes a tunnel of an exchange whose upstream agreed to another protocol
// (RFC 9110 7.8). Not a byte of it has been sent on before that.
func (l *loop) switched(c *client, k *backend, head, rest []byte) {
	x := &c.x
	if !x.upgrade {
		l.failed(c, request.BadResponse)
		return
	}
	protocol := []byte(nil)
	for _, f := range l.resp.Fields {
		if http1.EqualFold(f.Name.Of(head), "upgrade") {
			protocol = f.Value.Of(head)
		}
	}
	if len(protocol) == 0 {
		l.failed(c, request.BadResponse)
		return
	}
	l.out = append(l.responseHead(l.out, c, head), "Connection: Upgrade\r\nUpgrade: "...)
	l.out = append(append(l.out, protocol...), "\r\n\r\n"...)
	x.begun, x.keep, k.tunnel, k.keep = true, false, true, false
	x.outcome.Status, x.outcome.Upstream, x.outcome.Answered = 101, true, l.now
	l.await(c, phaseTunnel)
	if errno := c.out.write(c.fd, l.out, rest); errno != 0 {
		l.clientGone(c)
		return
	}
	if in := c.in; len(in) > 0 { // what the client has sent already
		errno := k.out.write(k.fd, nil, in)
		if c.in = in[:0]; errno != 0 {
			l.endTunnel(c)
			return
		}
	}
	l.tunnel(c)
}

// tunnel passes bytes on in both directions, a buffer each, as far as the other side
// takes them.
func (l *loop) tunnel(c *client) {
	k := c.x.back
	moved := false
	if c.readable && !c.ending && k.out.empty() {
		n, more, ok := l.pass(&c.socket, &k.socket, c.hungUp)
		if !ok {
			l.endTunnel(c)
			return
		}
		c.readable = more
		c.x.sent += int64(max(n, 0))
		if moved = moved || n > 0; n == 0 {
			c.ending = true
			k.closeWrite()
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
			c.closeWrite()
		}
	}
	if c.ending && k.toEnd && c.out.empty() && k.out.empty() {
		l.endTunnel(c)
		return
	}
	if moved {
		l.progress(c)
	}
	if c.readable && !c.ending && k.out.empty() || k.readable && !k.toEnd && c.out.empty() {
		l.later(c)
	}
}

// pass reads once from one side and sends it to the other. n is -1 if there was
// nothing, 0 at the end of what that side sends; more says that there may be more.
func (l *loop) pass(from, to *socket, ending bool) (n int, more, ok bool) {
	n, more, errno := from.receive(l.scratch, ending)
	switch {
	case errno == unix.EAGAIN || errno == unix.EINTR:
		return -1, errno == unix.EINTR, true
	case errno != 0:
		return 0, false, false
	case n == 0:
		return 0, false, true
	}
	return n, more, to.out.write(to.fd, nil, l.scratch[:n]) == 0
}

// endTunnel closes both sides.
func (l *loop) endTunnel(c *client) {
	l.detach(c)
	l.end(c)
	l.drop(c)
}
