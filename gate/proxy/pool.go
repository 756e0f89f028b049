//go:build linux

package proxy

import (
	"time"

	"dyno/gate/upstream"
	"dyno/nano/wire/reactor"
)

// pool is a loop's idle connections to one endpoint, the one used last at the end: it
// is taken first, so that the others become idle enough to be closed.
type pool struct {
	endpoint *upstream.Endpoint
	idle     []*backend
	carriers []*mux // connections over HTTP/2
	streams  int    // that the endpoint takes on one of them, as it said last; 0: it hasn't
}

// pooledOf takes an idle connection to an endpoint out of its pool; nil if there is none
// that may be used. twice says that the request may be sent twice, should the connection
// turn out to be closed: otherwise it is looked at before.
func (l *loop) pooledOf(e *upstream.Endpoint, twice bool) *backend {
	if e.Slot >= len(l.pools) || l.pools[e.Slot] == nil || l.pools[e.Slot].endpoint != e {
		return nil
	}
	p := l.pools[e.Slot]
	for n := len(p.idle); n > 0; n = len(p.idle) {
		k := p.idle[n-1]
		p.idle = p.idle[:n-1]
		l.idle--
		k.idle = false
		if l.now-k.freed > int64(k.upstream.Config.Pool.Idle) || !twice && l.closed(k) {
			l.closeBackend(k)
			continue
		}
		k.reused = true
		return k
	}
	return nil
}

// closed reports whether an endpoint has closed a connection, or sent what nobody asked
// for. A request that may not be sent twice is worth the look.
func (l *loop) closed(k *backend) bool {
	if k.secure != nil {
		return !l.quiet(k)
	}
	ended, says := reactor.Ended(k.fd)
	return ended || says
}

// release puts a connection whose response is over into its pool, or closes it.
func (l *loop) release(k *backend) {
	if k.on != nil {
		l.closeBackend(k)
		return
	}
	limits := &k.upstream.Config.Pool
	if !k.keep || k.broken || k.hungUp || k.readable || !k.out.empty() || k.endpoint.Gone() || l.grace != 0 ||
		limits.Age > 0 && l.now-k.born > int64(limits.Age) {
		l.closeBackend(k)
		return
	}
	p := l.pool(k.endpoint)
	if len(p.idle) >= limits.Connections {
		l.closeBackend(k)
		return
	}
	k.client, k.idle, k.freed = nil, true, l.now
	k.answered, k.headDone, k.toEnd = false, false, false
	p.idle = append(p.idle, k)
	if l.idle++; l.idle == 1 {
		l.sweep = l.now + sweepEvery
	}
}

// pool returns an endpoint's pool. Another endpoint, which had its slot before, has
// none any more.
func (l *loop) pool(e *upstream.Endpoint) *pool {
	for e.Slot >= len(l.pools) {
		l.pools = append(l.pools, nil)
	}
	p := l.pools[e.Slot]
	if p == nil {
		p = &pool{endpoint: e}
		l.pools[e.Slot] = p
	} else if p.endpoint != e {
		l.drain(p, len(p.idle))
		for _, m := range p.carriers {
			m.going = true
			l.touch(m)
		}
		p.endpoint = e
	}
	return p
}

// unpool takes a connection out of its pool.
func (l *loop) unpool(k *backend) {
	p := l.pools[k.endpoint.Slot]
	for i, other := range p.idle {
		if other == k {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			l.idle--
			break
		}
	}
	k.idle = false
}

// sweepPools closes what has been idle for too long, and what leads to endpoints that
// are gone.
func (l *loop) sweepPools() {
	l.sweep = l.now + sweepEvery
	for _, p := range l.pools {
		if p == nil {
			continue
		}
		if p.endpoint.Gone() {
			l.drain(p, len(p.idle))
			continue
		}
		old := 0
		for old < len(p.idle) && l.now-p.idle[old].freed > int64(p.idle[old].upstream.Config.Pool.Idle) {
			old++
		}
		l.drain(p, old)
	}
}

// drain closes the first n connections of a pool.
func (l *loop) drain(p *pool, n int) {
	for _, k := range p.idle[:n] {
		k.idle = false
		l.closeBackend(k)
	}
	l.idle -= n
	p.idle = append(p.idle[:0], p.idle[n:]...)
}

// closePools closes all idle connections; over says that the others are idle too.
func (l *loop) closePools(over bool) {
	for _, p := range l.pools {
		if p != nil {
			l.drain(p, len(p.idle))
			l.closeCarriers(p, over)
		}
	}
}

// Pools of upstreams that ask for it are kept warm: so many connections to each endpoint
// are there before anybody needs them, at each loop.

const (
	warmEvery = int64(time.Second)
	warmStep  = 8 // connections that are opened to an endpoint at a time
)

// warms notes which upstreams of the snapshot want warm pools.
func (l *loop) warms() {
	l.warm = l.warm[:0]
	for _, u := range l.snap.Upstreams {
		if u.Config.Pool.Warm > 0 {
			l.warm = append(l.warm, u.Upstream)
		}
	}
	l.warmAt = l.now
}

// warmUp opens what is missing, and gives up what doesn't get through.
func (l *loop) warmUp() {
	l.warmAt = l.now + warmEvery
	for i := len(l.warming) - 1; i >= 0; i-- {
		if k := l.warming[i]; l.now-k.born > int64(k.upstream.Config.Connect) {
			l.notWarming(k)
			l.closeBackend(k)
		}
	}
	if l.grace != 0 {
		return
	}
	for _, u := range l.warm {
		for _, e := range u.Set().Usable {
			if multiplexes(e) {
				l.warmCarrier(e, u)
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

// warmCarrier opens a connection over HTTP/2, of which one has room for many requests.
func (l *loop) warmCarrier(e *upstream.Endpoint, u *upstream.Upstream) {
	if len(l.pool(e).carriers) == 0 && !l.server.files.Full() {
		_, _ = l.carrierTo(e, u) // it is tried again
	}
}

// warmOne opens one connection. It reports whether that may be tried again.
func (l *loop) warmOne(e *upstream.Endpoint, u *upstream.Upstream) bool {
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
func (l *loop) warmedBy(k *backend, e *reactor.Event) {
	if k.secure != nil {
		l.goOnShaking(k.secure)
		return
	}
	if !e.Writable() && !e.Failed() {
		return
	}
	if err := reactor.ConnectError(k.fd); err != nil || e.Failed() {
		l.notWarming(k)
		l.closeBackend(k)
		return
	}
	if config := k.upstream.TLS(k.endpoint); config != nil {
		l.shakeBackend(k, config)
		return
	}
	k.up = true
	l.warmed(k)
}

// warmed puts a connection that is up into its pool.
func (l *loop) warmed(k *backend) {
	l.notWarming(k)
	k.readable = false
	l.release(k)
}

// notWarming forgets a connection that was being opened.
func (l *loop) notWarming(k *backend) {
	k.warming = false
	for i, one := range l.warming {
		if one == k {
			l.warming = append(l.warming[:i], l.warming[i+1:]...)
			return
		}
	}
}
