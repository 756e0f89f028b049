//go:build linux

package admin

import (
	"dyno/gate"
	"dyno/gate/snapshot"
	"dyno/gate/stats"
)

// metrics writes all there is.
func metrics(g *gate.Gateway, open bool) []byte {
	e := exposition{open: open}
	e.gateway(g)
	e.looks(g.Looks())
	s := g.Snapshot()
	e.connections(g)
	routes := make([]labelled, 0, len(s.Routes)+1)
	for _, r := range append(s.Routes[:len(s.Routes):len(s.Routes)], s.Unrouted) {
		routes = append(routes, labelled{[]string{"route", r.Name}, r.Counters, r.Counters.Read()})
	}
	e.counts("nanogate_requests_total", "Requests that have ended, by the class of their response's status.", routes)
	e.failures("nanogate_failures_total", "Requests whose response didn't come whole, by reason.", routes)
	e.family("nanogate_retries_total", "counter", "Requests that were sent again.")
	for i := range routes {
		if n := routes[i].figures.Retried; n > 0 {
			e.sample("nanogate_retries_total", float64(n), routes[i].labels...)
		}
	}
	e.family("nanogate_request_duration_seconds", "histogram", "From a request's head to the end of its response.")
	for i := range routes {
		if r := &routes[i]; r.figures.Requests > 0 {
			e.histogram("nanogate_request_duration_seconds", &r.figures.Took, r.counters, r.labels)
		}
	}
	e.objectives(s, routes)
	e.checks(s)
	e.limits(s)
	e.endpoints(s)
	e.sources(s)
	e.mirrors(s)
	if open {
		e.b = append(e.b, "# EOF\n"...)
	}
	return e.b
}

// labelled is figures with the labels of their series.
type labelled struct {
	labels   []string
	counters *stats.Counters
	figures  stats.Figures
}

func (e *exposition) gateway(g *gate.Gateway) {
	status := statusOf(g)
	for _, gauge := range []struct {
		name, help string
		value      float64
	}{
		{"nanogate_ready", "Whether requests are taken: 0 while draining.", truth(status.Ready)},
		{"nanogate_clients", "Open connections of clients.", float64(status.Clients)},
		{"nanogate_routes", "Routes in the configuration.", float64(status.Routes)},
		{"nanogate_problems", "Problems that keep routes from being served.", float64(len(status.Problems))},
		{"nanogate_config_version", "The version that is served: 1 is what the gateway was started with.", float64(status.Version)},
	} {
		e.family(gauge.name, "gauge", gauge.help)
		e.sample(gauge.name, gauge.value)
	}
}

// looks writes what became of the access log's lines and of traces.
func (e *exposition) looks(l snapshot.Looks) {
	results := func(name, help string, values ...float64) {
		e.family(name, "counter", help)
		for i, result := range []string{"written", "dropped", "failed"} {
			e.sample(name, values[i], "result", result)
		}
	}
	if l.Log != nil {
		c := l.Log.Counts()
		results("nanogate_access_log_lines_total", "Lines of the access log: dropped when it was written too slowly, failed when it couldn't be.", float64(c.Written), float64(c.Dropped), float64(c.Failed))
	}
	if l.Tracer != nil {
		c := l.Tracer.Counts()
		results("nanogate_traces_total", "Requests that were sampled: dropped when the queue was full, failed when the collector didn't take them.", float64(c.Exported), float64(c.Dropped), float64(c.Failed))
	}
}

func (e *exposition) counts(name, help string, all []labelled) {
	e.family(name, "counter", help)
	for i := range all {
		for class, n := range all[i].figures.Status {
			if n > 0 {
				e.sample(name, float64(n), with(all[i].labels, "code", className(class))...)
			}
		}
	}
}

func (e *exposition) failures(name, help string, all []labelled) {
	e.family(name, "counter", help)
	for i := range all {
		for why, n := range all[i].figures.Failed {
			if n > 0 {
				e.sample(name, float64(n), with(all[i].labels, "reason", failureName(why))...)
			}
		}
	}
}

// objectives writes what missed the objectives of routes that have one.
func (e *exposition) objectives(s *snapshot.Snapshot, routes []labelled) {
	for _, one := range []struct {
		name, kind, help string
		value            func(i int) float64
	}{
		{"nanogate_objective_seconds", "gauge", "The time that a route's responses are to be in within.", func(i int) float64 { return s.Routes[i].Config.Objective.Seconds() }},
		{"nanogate_objective_requests_total", "counter", "Requests of routes that have an objective, clients that hung up not counted.", func(i int) float64 { return float64(routes[i].figures.Aimed) }},
		{"nanogate_objective_missed_total", "counter", "Of these, what took longer, got 5xx or no response.", func(i int) float64 { return float64(routes[i].figures.Missed) }},
	} {
		e.family(one.name, one.kind, one.help)
		for i, r := range s.Routes {
			if r.Config.Objective > 0 {
				e.sample(one.name, one.value(i), routes[i].labels...)
			}
		}
	}
}

// checks writes how long guards and limits take.
func (e *exposition) checks(s *snapshot.Snapshot) {
	const name = "nanogate_check_duration_seconds"
	e.family(name, "summary", "How long guards and limits of routes take, of one request in 64.")
	for _, r := range s.Routes {
		for _, t := range r.Timings {
			h, _ := t.Read()
			if count := h.Count(); count > 0 {
				e.sums(name, &h, count, []string{"route", r.Name, "check", t.Name})
			}
		}
	}
}

// endpoints writes what there is of upstreams.
func (e *exposition) endpoints(s *snapshot.Snapshot) {
	var all []labelled
	e.family("nanogate_endpoint_up", "gauge", "Whether nothing speaks against an endpoint.")
	for _, u := range s.Upstreams {
		for _, p := range u.Set().All {
			labels := []string{"upstream", u.Name, "endpoint", p.Name}
			e.sample("nanogate_endpoint_up", truth(p.Usable()), labels...)
			all = append(all, labelled{labels, p.Counters, p.Counters.Read()})
		}
	}
	e.family("nanogate_endpoint_active", "gauge", "Requests under way to an endpoint.")
	for _, u := range s.Upstreams {
		for _, p := range u.Set().All {
			e.sample("nanogate_endpoint_active", float64(p.Under()), "upstream", u.Name, "endpoint", p.Name)
		}
	}
	e.family("nanogate_upstream_endpoints", "gauge", "Endpoints of an upstream, by whether they may be asked.")
	for _, u := range s.Upstreams {
		up, down := 0, 0
		for _, p := range u.Set().All {
			if p.Usable() {
				up++
			} else {
				down++
			}
		}
		e.sample("nanogate_upstream_endpoints", float64(up), "upstream", u.Name, "state", "up")
		e.sample("nanogate_upstream_endpoints", float64(down), "upstream", u.Name, "state", "down")
	}
	e.counts("nanogate_endpoint_requests_total", "Requests that an endpoint had last, by the class of the status.", all)
	e.failures("nanogate_endpoint_failures_total", "Of these, those whose response didn't come whole, by reason.", all)
	e.family("nanogate_endpoint_duration_seconds", "summary", "From a request's head to the end of its response, by the endpoint that it had last.")
	for i := range all {
		if n := all[i].figures.Took.Count(); n > 0 {
			e.sums("nanogate_endpoint_duration_seconds", &all[i].figures.Took, n, all[i].labels)
		}
	}
}

// sources tells how what finds endpoints is doing.
func (e *exposition) sources(s *snapshot.Snapshot) {
	e.family("nanogate_source_live", "gauge", "Whether what a source says of an upstream's endpoints is so now: 0 while it can't be read.")
	for _, u := range s.Upstreams {
		for _, source := range sourcesOf(u.Upstream) {
			e.sample("nanogate_source_live", truth(source.Live), "upstream", u.Name)
		}
	}
	e.family("nanogate_source_wrong", "gauge", "Values that a source has found and that are no endpoints.")
	for _, u := range s.Upstreams {
		for _, source := range sourcesOf(u.Upstream) {
			e.sample("nanogate_source_wrong", float64(len(source.Wrong)), "upstream", u.Name)
		}
	}
}
