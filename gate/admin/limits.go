//go:build linux

package admin

import "dyno/gate/snapshot"

// limits writes how the limits of routes and upstreams are. Two of a kind at one place
// are one series, the first.
func (e *exposition) limits(s *snapshot.Snapshot) {
	const name = "nanogate_limit_state"
	e.family(name, "gauge", "States of limits: places that there are and that are taken, breakers that are open, stores that are away, gateways that share a rate.")
	write := func(gauges []snapshot.Gauge, at, of string) {
		seen := map[[2]string]bool{}
		for _, g := range gauges {
			if key := [2]string{g.Limit, g.Name}; !seen[key] {
				seen[key] = true
				e.sample(name, g.Value, at, of, "limit", g.Limit, "state", g.Name)
			}
		}
	}
	for _, r := range s.Routes {
		write(snapshot.GaugesOf(r.Limits), "route", r.Name)
	}
	for _, u := range s.Upstreams {
		write(snapshot.GaugesOf(u.Limits), "upstream", u.Name)
	}
}
