//go:build linux

package proxy

import (
	"dyno.example/nanogate/internal/upstream"
)

// pools is a loop's connections to endpoints: those in use, those that are idle, and those that
// are opened before they are needed.
type pools struct {
	*loop

	bySlot  []*pool              // by the slots of endpoints
	idle    int                  // connections in pools
	sweep   int64                // when pools are looked through next
	warm    []*upstream.Upstream // of snap, whose pools are kept warm
	warming []*connection        // connections that are being opened for that
	warmAt  int64                // when pools are warmed next
}

// pool is a loop's connections to one endpoint that requests can be sent on: over HTTP/1.1
// those that are idle, the one used last at the end: it is taken first, so that the others
// become idle enough to be closed; over HTTP/2 all.
type pool struct {
	endpoint *upstream.Endpoint
	idle     []*connection
	muxes    []*mux // connections over HTTP/2
	streams  int    // that the endpoint takes on one of them, as it said last; 0: it hasn't
	next     *pool  // of another endpoint in the same slot, which this one took over or which it is left by
}

// poolOf finds an endpoint's pool; nil: it has none.
func (l *pools) poolOf(e *upstream.Endpoint) *pool {
	if e.Slot >= len(l.bySlot) {
		return nil
	}
	for p := l.bySlot[e.Slot]; p != nil; p = p.next {
		if p.endpoint == e {
			return p
		}
	}
	return nil
}

// pool returns an endpoint's pool. Endpoints that are gone leave their slots to others, and
// have their own pools until all that is under way to them is over.
func (l *pools) pool(e *upstream.Endpoint) *pool {
	if p := l.poolOf(e); p != nil {
		return p
	}
	for e.Slot >= len(l.bySlot) {
		l.bySlot = append(l.bySlot, nil)
	}
	p := &pool{endpoint: e, next: l.bySlot[e.Slot]}
	l.bySlot[e.Slot] = p
	return p
}

// pooledOf takes an idle connection to an endpoint out of its pool; nil if there is none
// that may be used. twice says that the request may be sent twice, should the connection
// turn out to be closed: otherwise it is looked at before.
func (l *pools) pooledOf(e *upstream.Endpoint, twice bool) *connection {
	p := l.poolOf(e)
	if p == nil {
		return nil
	}
	for n := len(p.idle); n > 0; n = len(p.idle) {
		k := p.idle[n-1]
		p.idle = p.idle[:n-1]
		l.idle--
		if !k.rests(e) {
			l.violated("a connection in a pool isn't idle", "endpoint", e.Name)
			continue // it is somebody else's
		}
		k.idle = false
		if l.now-k.freed > int64(k.upstream.Config.Pool.Idle) || !twice && l.closed(k) {
			l.closeConnection(k)
			continue
		}
		k.renew()
		k.reused = true
		return k
	}
	return nil
}

// rests reports whether a connection is what a pool may give out: open, to that endpoint, over
// HTTP/1.1, and not in use.
func (k *connection) rests(e *upstream.Endpoint) bool {
	return k.idle && k.fd >= 0 && k.up && k.endpoint == e && k.mux == nil && k.client == nil
}

// closed reports whether an endpoint has closed a connection, or sent what was not
// requested. A request that may not be sent twice is worth the look.
func (l *pools) closed(k *connection) bool {
	if k.secure != nil {
		return !l.downstream.quiet(k)
	}
	ended, says := l.Sys.Ended(k.fd)
	return ended || says
}

// release puts a connection whose response is over into its pool, or closes it.
func (l *pools) release(k *connection) {
	limits := &k.upstream.Config.Pool
	if !k.keep || k.broken || k.hungUp || k.readable || !k.out.empty() || k.endpoint.Gone() || l.Draining() ||
		limits.Age > 0 && l.now-k.born > int64(limits.Age) {
		l.closeConnection(k)
		return
	}
	p := l.pool(k.endpoint)
	if len(p.idle) >= limits.Connections {
		l.closeConnection(k)
		return
	}
	k.client, k.idle, k.freed = nil, true, l.now
	p.idle = append(p.idle, k)
	if l.idle++; l.idle == 1 {
		l.sweep = l.now + sweepEvery
	}
}

// unpool takes a connection out of its pool.
func (l *pools) unpool(k *connection) {
	p := l.pool(k.endpoint)
	for i, other := range p.idle {
		if other == k {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			l.idle--
			break
		}
	}
	k.idle = false
}

// everyPool calls f for each pool, and forgets those of endpoints that are gone when they are
// empty.
func (l *pools) everyPool(f func(p *pool)) {
	for slot := range l.bySlot {
		for at := &l.bySlot[slot]; *at != nil; {
			p := *at
			f(p)
			if p.endpoint.Gone() && len(p.idle)+len(p.muxes) == 0 {
				*at = p.next
				continue
			}
			at = &p.next
		}
	}
}

// sweepPools closes what has been idle for too long, and what leads to endpoints that
// are gone.
func (l *pools) sweepPools() {
	l.sweep = l.now + sweepEvery
	l.everyPool(l.sweepPool)
}

func (l *pools) sweepPool(p *pool) {
	old := 0
	for old < len(p.idle) && (p.endpoint.Gone() || l.now-p.idle[old].freed > int64(p.idle[old].upstream.Config.Pool.Idle)) {
		old++
	}
	l.drain(p, old)
}

// drain closes the first n connections of a pool.
func (l *pools) drain(p *pool, n int) {
	for _, k := range p.idle[:n] {
		k.idle = false
		l.closeConnection(k)
	}
	l.idle -= n
	p.idle = append(p.idle[:0], p.idle[n:]...)
}

// closePools closes all idle connections; over says that the others are idle too.
func (l *pools) closePools(over bool) {
	l.everyPool(func(p *pool) {
		l.drain(p, len(p.idle))
		l.multiplexed.closeUpstreamMuxes(p, over)
	})
}
