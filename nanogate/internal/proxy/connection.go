//go:build linux

package proxy

import (
	"errors"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/reactor"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/upstream"
)

// connection is a connection to an endpoint. Over HTTP/1.1 it carries one request after the
// other, and lies in its pool between them. Over HTTP/2 it is a [mux], and requests are calls
// on that: they are never on the connection itself.
type connection struct {
	backend
	idle    bool  // it is in its pool
	warming bool  // it is being opened for the pool
	single  bool  // HTTP/2 isn't to be spoken
	born    int64 // ns
	freed   int64 // when it was put into the pool, ns
	mux     *mux  // it speaks HTTP/2; nil: it doesn't
}

// connect begins a connection to an endpoint. single says that it is for one request at a
// time, whatever else the endpoint speaks.
func (l *pools) connect(e *upstream.Endpoint, u *upstream.Upstream, single bool) (*connection, error) {
	if !l.server.files.Take() && !l.makeRoom() {
		return nil, errNoRoom
	}
	fd, up, err := l.Sys.Dial(e.Sockaddr())
	if err != nil {
		l.server.files.Open.Add(-1)
		return nil, err
	}
	k, id := l.connections.Add()
	*k = connection{
		backend: backend{socket: socket{fd: fd, out: outbox{b: k.out.b[:0]}}, id: id, up: up, endpoint: e, upstream: u, in: k.in[:0]},
		born:    l.now, single: single,
	}
	k.connection = k
	if err := l.Poller.Add(fd, connectionEvent(id)); err != nil {
		l.closeConnection(k)
		return nil, err
	}
	if config := u.TLS(e); config != nil && up {
		k.up = false
		l.downstream.shakeBackend(k, config)
	}
	return k, nil
}

var errNoRoom = errors.New("no file can be opened for it")

// makeRoom closes idle connections of this loop for one that is needed, and takes its
// room.
func (l *pools) makeRoom() bool {
	l.closePools(false)
	if l.server.files.Take() {
		return true
	}
	l.server.files.Log.Warn(l.log(), l.now, "there is no room for another connection to an endpoint", "most files", l.server.files.Most)
	return false
}

// closeConnection closes a connection that no request is on any more.
func (l *pools) closeConnection(k *connection) {
	if k.fd < 0 {
		return
	}
	k.close(l.Sys, l.Poller)
	l.server.files.Open.Add(-1)
	l.server.acceptor.Resume()
	k.client = nil
	k.in, k.out.b, k.out.sent = nil, nil, 0
	l.connections.Remove(k.id)
}

// connectionEvent takes an event of a connection to an endpoint.
func (l *pools) connectionEvent(k *connection, e *reactor.Event) {
	if k.mux != nil {
		l.multiplexed.upstreamMuxReady(k, e)
		return
	}
	k.readable = k.readable || e.Readable()
	k.hungUp = k.hungUp || e.Ending()
	switch {
	case k.idle:
		if e.Readable() && (k.secure == nil || !l.downstream.quiet(k)) { // it was closed, or sends what was not requested
			l.unpool(k)
			l.closeConnection(k)
		}
		return
	case k.warming:
		l.warmedBy(k, e)
		return
	case k.client == nil:
		l.closeConnection(k)
		return
	case !k.up:
		l.connected(k, e)
		return
	}
	if !k.out.empty() && e.Writable() {
		if errno := k.out.flush(l.Sys, k.fd); errno != 0 && errno != unix.EAGAIN {
			l.attempts.ends(k.client, &k.backend, loss{how: tryLost})
			return
		}
	}
	c := k.client
	if k.tunnel {
		l.bodies.tunnel(c)
		return
	}
	if k.readable && c.x.background {
		l.laterBackend(&k.backend) // those that somebody waits for come first
	} else if k.readable {
		l.bodies.download(&k.backend)
	}
	if c.x.back == &k.backend && k.client == c && k.out.empty() && !c.x.body.Done() {
		l.bodies.upload(c)
	}
}

// connected goes on when a connection is up, or has failed.
func (l *pools) connected(k *connection, e *reactor.Event) {
	if k.secure != nil {
		l.downstream.goOnShaking(k.secure)
		return
	}
	if !e.Writable() {
		return
	}
	if err := l.Sys.ConnectError(k.fd); err != nil || e.Failed() {
		l.attempts.ends(k.client, &k.backend, loss{why: request.ConnectFailed})
		return
	}
	if config := k.upstream.TLS(k.endpoint); config != nil {
		l.downstream.shakeBackend(k, config)
		return
	}
	l.usable(k)
}

// usable sends the request on a connection that has come up.
func (l *pools) usable(k *connection) {
	k.up, k.readable = true, false
	l.attempts.up(&k.backend)
}
