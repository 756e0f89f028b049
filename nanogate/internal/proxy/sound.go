//go:build linux

package proxy

import "fmt"

// What must hold of a loop between two steps.

// unsound says what doesn't; "" if all does.
func unsound(l *loop) string {
	pooled, carrying := map[*connection]bool{}, map[*mux]bool{}
	why := ""
	note := func(format string, args ...any) {
		if why == "" {
			why = fmt.Sprintf(format, args...)
		}
	}
	l.pools.everyPool(func(p *pool) {
		for _, k := range p.idle {
			if pooled[k] || !k.rests(p.endpoint) || k.hungUp || k.readable || k.broken || !k.out.empty() {
				note("a connection in the pool of %s isn't idle, or is there twice", p.endpoint.Name)
			}
			pooled[k] = true
		}
		for _, m := range p.muxes {
			if carrying[m] || m.closed || m.conn.fd < 0 || m.conn.mux != m || m.conn.endpoint != p.endpoint {
				note("a connection over HTTP/2 in the pool of %s is closed, or is there twice", p.endpoint.Name)
			}
			carrying[m] = true
		}
	})
	if len(pooled) != l.pools.idle || len(carrying) != l.multiplexed.upstreamMuxes {
		note("%d idle connections and %d over HTTP/2 are counted as %d and %d", len(pooled), len(carrying), l.pools.idle, l.multiplexed.upstreamMuxes)
	}
	l.connections.Each(func(k *connection) {
		if k.fd < 0 || k.connection != k {
			note("a connection that is closed has a place")
			return
		}
		if l.connections.At(k.id) != k {
			note("connection %d is in the place of another one", k.id)
		}
		has := 0
		for _, is := range [...]bool{pooled[k], k.mux != nil, k.client != nil, k.warming} {
			if is {
				has++
			}
		}
		if has != 1 {
			note("a connection to %s is of %d kinds: in the pool %t, over HTTP/2 %t, with a request %t, warming %t", k.endpoint.Name, has, pooled[k], k.mux != nil, k.client != nil, k.warming)
		}
		if odd := k.unattached(); odd != "" {
			note("%s", odd)
		}
	})
	for m := range carrying {
		n := 0
		for s := m.all; s != nil; s = s.after {
			n++
			if s.call == nil || s.call.on != m {
				note("a call is on a connection that isn't its own")
			} else if odd := s.call.unattached(); odd != "" {
				note("%s", odd)
			}
		}
		if n != m.streams {
			note("%d calls on a connection are counted as %d", n, m.streams)
		}
	}
	l.clients.Each(func(c *client) {
		x := &c.x
		for _, k := range x.backs() {
			if k != nil && k.client != c {
				note("a request is on what is another's")
			}
		}
		if x.undecided() && x.back == nil {
			note("a request has a second attempt and no first")
		}
		if x.back != nil && (x.route == nil || !c.state.busy()) {
			note("a request that is over is on a connection")
		}
	})
	return why
}

// unattached says what is wrong with whose it is.
func (k *backend) unattached() string {
	if c := k.client; c != nil && (c.fd < 0 || !c.x.isOn(k)) {
		return "a connection to " + k.endpoint.Name + " is of a request that isn't on it"
	}
	return ""
}
