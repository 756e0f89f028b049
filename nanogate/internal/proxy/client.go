//go:build linux

package proxy

import (
	"bytes"
	"crypto/x509"
	"net/netip"

	"golang.org/x/sys/unix"

	eventloop "dyno.example/nano/wire/loop"
	"dyno.example/nano/wire/reactor"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/secure"
	"dyno.example/nanogate/internal/snapshot"
)

// client is the connection of a client, or one of the requests on a connection over
// HTTP/2. It belongs to a loop.
type client struct {
	socket
	id       int32
	port     uint16 // of the gateway's address that it came to; 0 for unix sockets
	state    state
	readable bool   // the kernel may have more to read
	hungUp   bool   // the client has closed its side; what it sent may not be read yet
	ending   bool   // it has, and everything it sent was read
	closing  bool   // close once out is sent
	unread   bool   // it sent more than was read: see retire
	queued   bool   // it is among loop.again
	requests int32  // served so far
	serial   uint32 // of the request that is under way, among all of this client's place
	drained  int    // bytes thrown away while lingering
	stalled  int64  // since when it hasn't taken all there was, ns; 0: it has

	in []byte // what was read and not looked at: the start of a head, a body's first bytes, requests that wait

	greeting    *secure.Server       // what its handshake is done with; nil: it has no TLS
	protocol    string               // that the handshake agreed on (ALPN); "": none
	certificate *request.Certificate // the client's, verified; nil: none
	shown       []*x509.Certificate  // it, and those that it came with
	vouching    *x509.CertPool       // the authorities that it was verified by
	greeted     int64                // when the handshake was done

	peer       netip.AddrPort
	forwards   []byte             // the fields that say who it is, for the snapshot they were made for
	forwardsOf *snapshot.Snapshot //
	trusted    bool               // it is a proxy whose forwarding fields are believed

	x  exchange
	to recipient // of its response

	mux *mux // its connection speaks HTTP/2; the fields below are then unused

	of       *client // on whose connection it is a request; nil: it is a connection
	sink     sink    // of the response
	trailers []byte  // of the request, as lines
	private  []byte  // names of fields that aren't to be compressed
	ended    bool    // the request is all in
	grpc     bool    // it is a call over gRPC
}

// conn is the connection of a client that may be a request on it.
func (c *client) conn() *client {
	if c.of != nil {
		return c.of
	}
	return c
}

func (c *client) begin(to recipient, fd int, id int32, from netip.AddrPort) {
	in, out, forwards, serial, m := c.in[:0], c.out.b[:0], c.forwards[:0], c.serial+1, c.x.memory()
	*c = client{}
	c.to, c.fd, c.id, c.serial, c.peer, c.readable = to, fd, id, serial, from, true
	c.in, c.out.b, c.forwards = in, out, forwards
	c.x.have(m)
}

// clientEvent takes an event of a client.
func (l *downstream) clientEvent(c *client, e *reactor.Event) {
	if c.mux != nil {
		l.streams.http2Ready(c, e)
		return
	}
	c.readable = c.readable || e.Readable()
	if c.state >= stateHello {
		l.helloEvent(c, e)
		return
	}
	if e.Ending() {
		// Epoll repeats with each event that the client had closed its side with the
		// request already: it may still be reading. Nor is one gone that has sent its
		// next request, or of which a body is still to be read.
		asks := c.state.busy() && c.state != stateTunnel // others read what came before the end, and the end
		first := asks && !c.hungUp && c.x.body.Done() && len(c.in) == 0 && !l.hasMore(c)
		c.hungUp = true
		if asks && (first || e.Failed()) {
			l.exchanges.clientGone(c)
			return
		}
	}
	if e.Failed() && (c.state == stateWrite || c.state == stateLinger) {
		l.exchanges.drop(c)
		return
	}
	if !c.out.empty() {
		if !e.Writable() {
			return
		}
		if !l.flushClient(c) {
			return
		}
	}
	l.proceed(c)
}

// hasMore reports whether there is something to read of what a client sent before it
// closed its side.
func (l *downstream) hasMore(c *client) bool {
	if c.secure != nil {
		return l.hasMoreSecured(c)
	}
	return eventloop.Says(l.Sys, c.fd)
}

// flushClient sends what the client hasn't taken yet. It reports whether all is sent
// and the connection still open.
func (l *downstream) flushClient(c *client) bool {
	switch errno := c.out.flush(l.Sys, c.fd); {
	case errno == unix.EAGAIN:
		l.deadlines.progress(c)
		return false
	case errno != 0:
		l.exchanges.clientGone(c)
		return false
	}
	c.stalled = 0
	return true
}

// proceed does what can be done for a client.
func (l *downstream) proceed(c *client) {
	if c.mux != nil {
		l.streams.readHTTP2(c)
		return
	}
	if !c.out.empty() {
		return // not before it has taken what there is
	}
	state := c.state
	if state == stateTunnel && c.x.tunnel {
		state = stateBody
	}
	switch state {
	case stateIdle, stateHead:
		l.readHead(c)
	case stateRequest, stateResponse, stateBody:
		if k := c.x.back; k != nil && k.readable {
			l.bodies.download(k)
		}
		if c.fd >= 0 && c.state.busy() {
			l.bodies.upload(c)
		}
	case stateStored:
		l.out = l.out[:0]
		l.caching.giveRest(c)
	case stateTunnel:
		l.bodies.tunnel(c)
	case stateWrite:
		l.exchanges.endOfResponse(c)
	case stateLinger:
		l.exchanges.linger(c)
	}
}

// readHead reads the next request's head and begins it.
func (l *downstream) readHead(c *client) {
	if len(c.in) > 0 && c.state == stateIdle { // requests that waited for their turn
		l.deadlines.await(c, stateHead)
		if l.serve(c, c.in, true) {
			return
		}
	}
	if !c.readable {
		return
	}
	n, ok := l.readClient(c, l.scratch)
	switch {
	case !ok:
		return
	case n == 0:
		l.exchanges.drop(c) // between requests, or in the middle of one that will never end
		return
	}
	b := l.scratch[:n]
	if len(c.in) == 0 {
		l.serve(c, b, false)
		return
	}
	line := bytes.IndexByte(b, '\n') >= 0
	if c.in = append(c.in, b...); line || len(c.in) > l.limits.Head || len(c.in) > l.limits.URI {
		l.serve(c, c.in, true)
		return
	}
	l.moreHead(c)
}

// readClient reads once. ok is false if there is nothing, or the connection is gone
// and dealt with; 0 bytes are the end of what the client sends.
func (l *downstream) readClient(c *client, b []byte) (n int, ok bool) {
	n, more, errno := c.receive(l.Sys, b, c.hungUp)
	switch {
	case errno == unix.EAGAIN:
		c.readable = false
		return 0, false
	case errno == unix.EINTR:
		l.later(c)
		return 0, false
	case errno != 0:
		l.exchanges.clientGone(c)
		return 0, false
	}
	c.readable = more
	c.ending = c.ending || n == 0
	return n, true
}

// serve looks at what may be a whole head. held says that b is c.in. It reports whether
// it was one, or an error.
func (l *downstream) serve(c *client, b []byte, held bool) bool {
	l.take() // also within a batch: a request that comes after a change is served by it
	if c.requests == 0 && c.speaksHTTP2(b) {
		l.streams.beginHTTP2(c, b)
		return true
	}
	l.head.Reset()
	n, err := l.head.Parse(b, &l.limits)
	switch {
	case err != nil:
		l.heads.refuseHead(c, err)
		return true
	case n == 0:
		if !held {
			c.in = append(c.in[:0], b...)
		}
		l.moreHead(c)
		return false
	}
	// What follows the head is put in its place first: the request may go as far as that its
	// body is read, when a connection is up, or can't be made, at once.
	if held {
		c.in = l.buffers.Take()
	}
	c.in = append(c.in[:0], b[n:]...)
	l.exchanges.request(c, b[:n])
	if held {
		if c.fd >= 0 && len(c.in) == 0 { // it keeps the memory that it had
			b, c.in = c.in, b[:0]
		}
		l.buffers.Give(b)
	}
	if c.fd < 0 || c.state == stateLinger { // what follows is nobody's
		return true
	}
	if c.state == stateRequest || len(c.in) > 0 || c.readable {
		l.proceed(c)
	}
	return true
}

// moreHead waits for the rest of a head.
func (l *downstream) moreHead(c *client) {
	if c.state != stateHead {
		l.deadlines.await(c, stateHead)
	}
	if c.readable {
		l.later(c)
	}
}
