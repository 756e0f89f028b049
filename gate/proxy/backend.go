//go:build linux

package proxy

import (
	"errors"

	"golang.org/x/sys/unix"

	"dyno/gate/request"
	"dyno/gate/upstream"
	"dyno/nano/wire/http1"
	"dyno/nano/wire/reactor"
)

// backend is a connection to an endpoint, or a stream of one. It belongs to a loop, and to
// one request at a time.
type backend struct {
	socket
	id       int32
	up       bool // the connection is made
	idle     bool // it is in its pool
	reused   bool // it has carried a request before
	readable bool // the kernel may have more to read
	hungUp   bool // the endpoint has closed its side; what it sent may not be read yet
	queued   bool // it is among loop.again
	answered bool // a byte of the response has come
	headDone bool // the final response's head has been read
	toEnd    bool // its body ends with the connection
	keep     bool // another request may follow
	tunnel   bool
	warming  bool // it is being opened for the pool
	single   bool // HTTP/2 isn't to be spoken
	broken   bool // it takes no more; what it said may not be read yet

	endpoint *upstream.Endpoint
	upstream *upstream.Upstream
	client   *client // whose request it carries; nil: none
	born     int64   // ns
	freed    int64   // when it was put into the pool, ns

	in   []byte     // the start of a head
	body http1.Body // of the response

	mux *mux // it speaks HTTP/2; what follows is nobody's then

	on       *mux   // the connection that it is a stream of; nil: it is a connection
	sink     sink   // of the request
	trailers []byte // of the response, as lines
	private  []byte // names of its fields that aren't to be compressed
	ended    bool   // the response is all in
	refused  bool   // there was no room for it after all
	held     bool   // its response waits for a decision: nothing of it goes on
	interims int    // responses that were not the final one
}

// connect begins a connection to an endpoint. single says that it is for one request at a
// time, whatever else the endpoint speaks.
func (l *loop) connect(e *upstream.Endpoint, u *upstream.Upstream, single bool) (*backend, error) {
	if !l.server.files.Take() && !l.makeRoom() {
		return nil, errNoRoom
	}
	d := reactor.Dialer{To: e.Sockaddr()}
	fd, up, err := d.Dial()
	if err != nil {
		l.server.files.Open.Add(-1)
		return nil, err
	}
	k, id := l.backends.add()
	in, out := k.in[:0], k.out.b[:0]
	*k = backend{socket: socket{fd: fd}, id: id, up: up, endpoint: e, upstream: u, born: l.now, in: in, single: single}
	k.out.b = out
	if err := l.poller.Add(fd, backendEvent(id)); err != nil {
		l.closeBackend(k)
		return nil, err
	}
	if config := u.TLS(e); config != nil && up {
		k.up = false
		l.shakeBackend(k, config)
	}
	return k, nil
}

var errNoRoom = errors.New("no file can be opened for it")

// makeRoom closes idle connections of this loop for one that is needed, and takes its
// room.
func (l *loop) makeRoom() bool {
	l.closePools(false)
	if l.server.files.Take() {
		return true
	}
	l.server.files.Told.Warn(l.log(), l.now, "there is no room for another connection to an endpoint", "most files", l.server.files.Most)
	return false
}

// closeBackend closes a connection that no request is on any more.
func (l *loop) closeBackend(k *backend) {
	if k.fd < 0 {
		return
	}
	if k.on != nil {
		l.hangUp(k)
		return
	}
	k.close(l.poller)
	l.server.files.Open.Add(-1)
	l.readmit()
	k.client = nil
	k.in, k.out.b, k.out.sent = nil, nil, 0
	l.backends.remove(k.id)
}

// backendEvent takes an event of a connection to an endpoint.
func (l *loop) backendEvent(k *backend, e *reactor.Event) {
	if k.mux != nil {
		l.carrierReady(k, e)
		return
	}
	k.readable = k.readable || e.Readable()
	k.hungUp = k.hungUp || e.Ending()
	switch {
	case k.idle:
		if e.Readable() && (k.secure == nil || !l.quiet(k)) { // it was closed, or says what nobody asked for
			l.unpool(k)
			l.closeBackend(k)
		}
		return
	case k.warming:
		l.warmedBy(k, e)
		return
	case k.client == nil:
		l.closeBackend(k)
		return
	case !k.up:
		l.connected(k, e)
		return
	}
	if !k.out.empty() && e.Writable() {
		if errno := k.out.flush(k.fd); errno != 0 && errno != unix.EAGAIN {
			l.lost(k)
			return
		}
	}
	c := k.client
	if k.tunnel {
		l.tunnel(c)
		return
	}
	if k.readable && c.alone {
		l.laterBackend(k) // those that somebody waits for come first
	} else if k.readable {
		l.download(k)
	}
	if c.x.back == k && k.client == c && k.out.empty() && !c.x.body.Done() {
		l.upload(c)
	}
}

// connected goes on when a connection is up, or has failed.
func (l *loop) connected(k *backend, e *reactor.Event) {
	if k.secure != nil {
		l.goOnShaking(k.secure)
		return
	}
	if !e.Writable() {
		return
	}
	c := k.client
	if err := reactor.ConnectError(k.fd); err != nil || e.Failed() {
		if c.x.hedge != nil {
			l.unhedge(c, k)
			return
		}
		l.failed(c, request.ConnectFailed)
		return
	}
	if config := k.upstream.TLS(k.endpoint); config != nil {
		l.shakeBackend(k, config)
		return
	}
	l.usable(k)
}

// usable sends the request on a connection that has come up.
func (l *loop) usable(k *backend) {
	k.up, k.readable = true, false
	l.isUp(k)
}

// isUp sends the request on a connection that is up.
func (l *loop) isUp(k *backend) {
	c := k.client
	if k == c.x.hedge {
		l.sendHedge(c, k)
		return
	}
	l.sendHead(c)
	if c.phase == phaseRequest && c.x.back == k {
		l.upload(c)
	}
}

// lost deals with a connection that ended before its response did.
func (l *loop) lost(k *backend) {
	c := k.client
	if c == nil {
		l.closeBackend(k)
		return
	}
	x := &c.x
	if x.hedge != nil {
		l.unhedge(c, k)
		return
	}
	stale := k.reused && !k.answered && x.again() && !x.stale
	if stale && (x.method != other || !x.headIn) {
		// The endpoint closed the connection while it was idle, most likely, and never
		// saw the request; at worst it sees it twice, which is the same as once
		// (RFC 9112 9.3.1).
		x.stale = true
		l.detach(c)
		x.outcome.Tries--
		l.tryAnew(c)
		return
	}
	l.failed(c, request.UpstreamGone)
}

// tryAnew sends the request on a new connection to the same endpoint.
func (l *loop) tryAnew(c *client) {
	x := &c.x
	x.headIn = false
	x.outcome.Tries++
	l.dial(c)
	if c.fd >= 0 && c.phase == phaseRequest {
		l.upload(c)
	}
}

// detach takes a request from its connection, which can't be used any more.
func (l *loop) detach(c *client) {
	if k := c.x.hedge; k != nil {
		l.unhedge(c, k)
	}
	if k := c.x.back; k != nil {
		if w := c.x.waits; w != nil && w.of == k { // for what becomes of its response
			l.unsuspend(&c.x)
		}
		c.x.back = nil
		k.client = nil
		l.closeBackend(k)
	}
}
