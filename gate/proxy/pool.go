//go:build linux

package proxy

import (
	"dyno/gate/upstream"
	"dyno/nano/wire/reactor"
)

// pool is a loop's idle connections to one endpoint, the one used last at the end: it
// is taken first, so that the others become idle enough to be closed.
type pool struct {
	endpoint *upstream.Endpoint
	idle     []*backend
	carriers []*mux // connections over HTTP/2
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
	limits := &k.upstream.Config.Pool
	if !k.keep || k.hungUp || k.readable || !k.out.empty() || k.endpoint.Gone() || l.grace != 0 ||
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
