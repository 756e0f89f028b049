//go:build linux

package metrics

import "dyno/gate/snapshot"

// limits writes how the limits of routes and upstreams are. Two of a kind at one place
// are one series, the first.
func (r *report) limits() {
	r.family("nanogate_limit_state", gauge, "States of limits: places that there are and that are taken, breakers that are open, stores that are away, gateways that share a rate.")
	write := func(gauges []snapshot.Gauge, at, of string) {
		seen := map[[2]string]bool{}
		for _, g := range gauges {
			if key := [2]string{g.Limit, g.Name}; !seen[key] {
				seen[key] = true
				r.level(g.Value, at, of, "limit", g.Limit, "state", g.Name)
			}
		}
	}
	for _, one := range r.s.Routes {
		write(snapshot.GaugesOf(one.Limits), "route", one.Name)
	}
	for _, u := range r.s.Upstreams {
		write(snapshot.GaugesOf(u.Limits), "upstream", u.Name)
	}
}
