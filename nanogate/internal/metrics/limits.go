//go:build linux

package metrics

import (
	"dyno.example/nanogate/internal/limit"
	"dyno.example/nanogate/internal/snapshot"
)

// limits writes how the limits of routes and upstreams are. Two of a kind at one place
// are one series, the first.
func (r *report) limits() {
	r.family("nanogate_limit_state", gauge, "State of a limit: its places, those taken and waiting, whether a breaker is open or the shared store unavailable, and how many gateways share a rate.")
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
		write(snapshot.GaugesOf(one.Limits()), "route", one.Name)
	}
	for _, u := range r.s.Upstreams {
		write(snapshot.GaugesOf(u.Limits), "upstream", u.Name)
	}
	r.queues()
}

// queues writes what became of requests that came to the queues of limits.
func (r *report) queues() {
	each := func(write func(w limit.Waits, labels ...string)) {
		of := func(limits []limit.Limit, labels ...string) {
			for _, l := range limits {
				if q, ok := l.(limit.Queued); ok {
					if w, ok := q.Waits(); ok {
						write(w, labels...)
						return // there is one at most
					}
				}
			}
		}
		for _, one := range r.s.Routes {
			of(one.Limits(), "route", one.Name)
		}
		for _, u := range r.s.Upstreams {
			of(u.Limits, "upstream", u.Name)
		}
	}
	started := r.g.Started()
	r.family("nanogate_queue_requests_total", counter, "Requests that had to wait for a place, by result: admitted, late (waited too long), full (no room in the queue), or gone (the client left).")
	each(func(w limit.Waits, labels ...string) {
		r.count(float64(w.Admitted), started, with(labels, "result", "admitted")...)
		r.count(float64(w.Late), started, with(labels, "result", "late")...)
		r.count(float64(w.Full), started, with(labels, "result", "full")...)
		r.count(float64(w.Gone), started, with(labels, "result", "gone")...)
	})
	r.family("nanogate_queue_wait_seconds_total", counter, "Total time that admitted requests waited in a queue.")
	each(func(w limit.Waits, labels ...string) { r.count(w.Waited.Seconds(), started, labels...) })
}
