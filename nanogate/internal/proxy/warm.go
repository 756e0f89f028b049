//go:build linux

package proxy

import (
	"time"

	"dyno.example/nano/wire/reactor"
	"dyno.example/nanogate/internal/upstream"
)

// Pools of upstreams that ask for it are kept warm: so many connections to each endpoint
// are there before they are needed, at each loop.

const (
	warmEvery = int64(time.Second)
	warmStep  = 8 // connections that are opened to an endpoint at a time
)

// warms notes which upstreams of the snapshot want warm pools.
func (l *pools) warms() {
	l.warm = l.warm[:0]
	for _, u := range l.snap.Upstreams {
		if u.Config.Pool.Warm > 0 {
			l.warm = append(l.warm, u.Upstream)
		}
	}
	l.warmAt = l.now
}

// warmUp opens what is missing, and gives up what doesn't get through.
func (l *pools) warmUp() {
	l.warmAt = l.now + warmEvery
	for i := len(l.warming) - 1; i >= 0; i-- {
		if k := l.warming[i]; l.now-k.born > int64(k.upstream.Config.Connect) {
			l.notWarming(k)
			l.closeConnection(k)
		}
	}
	if l.Draining() {
		return
	}
	for _, u := range l.warm {
		for _, e := range u.Set().Usable {
			if multiplexes(e) {
				l.warmUpstreamMux(e, u)
				continue
			}
			have := len(l.pool(e).idle)
			for _, k := range l.warming {
				if k.endpoint == e {
					have++
				}
			}
			for range min(warmStep, min(u.Config.Pool.Warm, u.Config.Pool.Connections)-have) {
				if !l.warmOne(e, u) {
					break
				}
			}
		}
	}
}

// warmUpstreamMux opens a connection over HTTP/2; one has room for many requests.
func (l *pools) warmUpstreamMux(e *upstream.Endpoint, u *upstream.Upstream) {
	if len(l.pool(e).muxes) == 0 && !l.server.files.Full() {
		_, _ = l.multiplexed.upstreamMuxTo(e, u) // it is tried again
	}
}

// warmOne opens one connection. It reports whether that may be tried again.
func (l *pools) warmOne(e *upstream.Endpoint, u *upstream.Upstream) bool {
	if l.server.files.Full() {
		return false
	}
	k, err := l.connect(e, u, false)
	if err != nil {
		return false
	}
	k.warming, k.keep = true, true
	l.warming = append(l.warming, k)
	if k.up {
		l.warmed(k)
	}
	return true
}

// warmedBy takes an event of a connection that is being opened for the pool.
func (l *pools) warmedBy(k *connection, e *reactor.Event) {
	if k.secure != nil {
		l.downstream.goOnShaking(k.secure)
		return
	}
	if !e.Writable() && !e.Failed() {
		return
	}
	if err := l.Sys.ConnectError(k.fd); err != nil || e.Failed() {
		l.notWarming(k)
		l.closeConnection(k)
		return
	}
	if config := k.upstream.TLS(k.endpoint); config != nil {
		l.downstream.shakeBackend(k, config)
		return
	}
	k.up = true
	l.warmed(k)
}

// warmed puts a connection that is up into its pool.
func (l *pools) warmed(k *connection) {
	l.notWarming(k)
	k.readable = false
	l.release(k)
}

// notWarming forgets a connection that was being opened.
func (l *pools) notWarming(k *connection) {
	k.warming = false
	for i, one := range l.warming {
		if one == k {
			l.warming = append(l.warming[:i], l.warming[i+1:]...)
			return
		}
	}
}
