//go:build linux

// Package metrics is the gateway's metrics: one list of all there are, which is exposed
// as text, or pushed to a collector.
//
// Labels are of the configuration only, so there are never more series than that has
// routes and endpoints: nothing that clients send becomes one.
package metrics

import (
	"strconv"
	"time"

	"dyno.example/nanogate/internal/acme"
	"dyno.example/nanogate/internal/proxy"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/snapshot"
	"dyno.example/nanogate/internal/stats"
	"dyno.example/nanogate/internal/upstream"
)

// Gateway is what is measured.
type Gateway interface {
	Snapshot() *snapshot.Snapshot
	Proxy() *proxy.Server
	Telemetry() snapshot.Telemetry
	Problems() []string             // that keep routes from being served
	Version() int                   // of the configuration that is served
	Expiries() map[string]time.Time // of certificates, by file
	Issued() []acme.State           // of certificates that the gateway gets by itself
	Started() time.Time
	Pushed() Counts
	RoutesFrom() (upstream.SourceStatus, bool) // of routes that stand elsewhere; false: none do
}

// encoder writes metrics in one format.
type encoder interface {
	// family begins a metric, whose series follow. Its name is Prometheus'.
	family(name string, k kind, help string)
	// level writes a gauge's value. Labels are name and value in turn.
	level(value float64, labels ...string)
	// count writes a counter's value, counted since a time.
	count(value float64, since time.Time, labels ...string)
	// histogram writes durations by bucket, with examples of them.
	histogram(h *stats.Histogram, of *stats.Counters, labels []string)
	// sums writes how many durations there are and their sum, of a summary.
	sums(h *stats.Histogram, count uint64, since time.Time, labels []string)
}

// kind is what a metric is.
type kind uint8

const (
	counter kind = iota
	gauge
	histogram
	summary
)

func (k kind) String() string { return [...]string{"counter", "gauge", "histogram", "summary"}[k] }

// report writes a gateway's metrics, as they are at one moment, to an encoder.
type report struct {
	encoder
	g Gateway
	s *snapshot.Snapshot
}

// write writes all there is.
func write(g Gateway, on encoder) {
	r := report{on, g, g.Snapshot()}
	r.process()
	r.gateway()
	r.looks()
	r.connections()
	r.routes()
	r.rules()
	r.middleware()
	r.limits()
	r.endpoints()
	r.sources()
	r.canaries()
	r.mirrors()
	r.cache()
	r.plugins()
}

// labelled is figures with the labels of their series.
type labelled struct {
	labels   []string
	counters *stats.Counters
	figures  stats.Figures
}

func (r *report) gateway() {
	draining := r.g.Proxy().Draining()
	for _, one := range []struct {
		name, help string
		value      float64
	}{
		{"nanogate_ready", "Whether the gateway accepts requests: 1, or 0 while draining.", truth(!draining)},
		{"nanogate_clients", "Open client connections.", float64(r.g.Proxy().Clients())},
		{"nanogate_routes", "Routes in the configuration.", float64(len(r.s.Routes))},
		{"nanogate_problems", "Problems that keep routes of the configuration from being served.", float64(len(r.g.Problems()))},
		{"nanogate_config_version", "Version of the configuration that is served; 1 is what the gateway was started with.", float64(r.g.Version())},
	} {
		r.family(one.name, gauge, one.help)
		r.level(one.value)
	}
}

// looks writes what became of the access log's lines, of traces, and of these figures.
func (r *report) looks() {
	results := func(name, help string, values ...float64) {
		r.family(name, counter, help)
		for i, result := range []string{"written", "dropped", "failed"} {
			r.count(values[i], r.g.Started(), "result", result)
		}
	}
	l := r.g.Telemetry()
	if l.Log != nil {
		c := l.Log.Counts()
		results("nanogate_access_log_lines_total", "Lines of the access log, by result: written, dropped because writing was too slow, or failed.", float64(c.Written), float64(c.Dropped), float64(c.Failed))
	}
	if l.Tracer != nil {
		c := l.Tracer.Counts()
		results("nanogate_traces_total", "Sampled requests, by whether their trace was exported, dropped because the queue was full, or failed.", float64(c.Exported), float64(c.Dropped), float64(c.Failed))
	}
	if c := r.g.Pushed(); c.On {
		r.family("nanogate_metrics_pushes_total", counter, "Pushes of metrics to a collector, by result.")
		r.count(float64(c.Written), r.g.Started(), "result", "written")
		r.count(float64(c.Failed), r.g.Started(), "result", "failed")
	}
}

// routes writes what there is of routes.
func (r *report) routes() {
	all := make([]labelled, 0, len(r.s.Routes)+1)
	for _, one := range append(r.s.Routes[:len(r.s.Routes):len(r.s.Routes)], r.s.Unrouted) {
		all = append(all, labelled{[]string{"route", one.Name}, one.Counters, one.Counters.Read()})
	}
	r.counts("nanogate_requests_total", "Finished requests, by the class of the response's status.", all)
	r.failures("nanogate_failures_total", "Requests without a complete response from the upstream, by reason.", all)
	r.refusals(all)
	r.family("nanogate_retries_total", counter, "Retries of requests.")
	for i := range all {
		if n := all[i].figures.Retried; n > 0 {
			r.count(float64(n), all[i].counters.Since(), all[i].labels...)
		}
	}
	r.family("nanogate_request_duration_seconds", histogram, "Time from a request's head to the end of its response.")
	for i := range all {
		if one := &all[i]; one.figures.Requests > 0 {
			r.histogram(&one.figures.Took, one.counters, one.labels)
		}
	}
	r.objectives(all)
	r.checks()
}

func (r *report) counts(name, help string, all []labelled) {
	r.family(name, counter, help)
	for i := range all {
		for class, n := range all[i].figures.Status {
			if n > 0 {
				r.count(float64(n), all[i].counters.Since(), with(all[i].labels, "code", className(class))...)
			}
		}
	}
}

func (r *report) failures(name, help string, all []labelled) {
	r.family(name, counter, help)
	for i := range all {
		for why, n := range all[i].figures.Failed {
			if n > 0 {
				r.count(float64(n), all[i].counters.Since(), with(all[i].labels, "reason", request.Failure(why).String())...)
			}
		}
	}
}

// refusals writes what the gateway has refused itself.
func (r *report) refusals(all []labelled) {
	r.family("nanogate_refused_total", counter, "Requests that the gateway refused itself, by reason.")
	for i := range all {
		for why, n := range all[i].figures.Refused {
			if n > 0 {
				r.count(float64(n), all[i].counters.Since(), with(all[i].labels, "reason", request.Refusal(why).String())...)
			}
		}
	}
}

// objectives writes what missed the objectives of routes that have one.
func (r *report) objectives(all []labelled) {
	aimed := func(write func(i int)) {
		for i, one := range r.s.Routes {
			if one.Config.Objective > 0 {
				write(i)
			}
		}
	}
	r.family("nanogate_objective_seconds", gauge, "Time within which a route's responses should be complete.")
	aimed(func(i int) { r.level(r.s.Routes[i].Config.Objective.Seconds(), all[i].labels...) })
	r.family("nanogate_objective_requests_total", counter, "Requests of routes with an objective, without those whose client hung up.")
	aimed(func(i int) { r.count(float64(all[i].figures.Aimed), all[i].counters.Since(), all[i].labels...) })
	r.family("nanogate_objective_missed_total", counter, "Requests of routes with an objective that took longer, or got 5xx or no response.")
	aimed(func(i int) { r.count(float64(all[i].figures.Missed), all[i].counters.Since(), all[i].labels...) })
}

// checks writes how long filters take.
func (r *report) checks() {
	r.family("nanogate_check_duration_seconds", summary, "Duration of filters, measured for one request in 64.")
	for _, route := range r.s.Routes {
		for _, t := range route.Timings {
			h, _ := t.Read()
			if n := h.Count(); n > 0 {
				r.sums(&h, n, t.Made, []string{"route", route.Name, "check", t.Name})
			}
		}
	}
}

// endpoints writes what there is of upstreams.
func (r *report) endpoints() {
	var all []labelled
	r.family("nanogate_endpoint_up", gauge, "Whether an endpoint is up: 1, or 0 if health checks or outlier detection took it out.")
	for _, u := range r.s.Upstreams {
		for _, p := range u.Set().All {
			labels := []string{"upstream", u.Name, "endpoint", p.Name}
			r.level(truth(p.Usable()), labels...)
			all = append(all, labelled{labels, p.Counters, p.Counters.Read()})
		}
	}
	r.family("nanogate_endpoint_active", gauge, "Requests in flight to an endpoint.")
	for _, u := range r.s.Upstreams {
		for _, p := range u.Set().All {
			r.level(float64(p.Under()), "upstream", u.Name, "endpoint", p.Name)
		}
	}
	r.family("nanogate_upstream_endpoints", gauge, "Endpoints of an upstream, by state: up or down.")
	for _, u := range r.s.Upstreams {
		up, down := 0, 0
		for _, p := range u.Set().All {
			if p.Usable() {
				up++
			} else {
				down++
			}
		}
		r.level(float64(up), "upstream", u.Name, "state", "up")
		r.level(float64(down), "upstream", u.Name, "state", "down")
	}
	r.counts("nanogate_endpoint_requests_total", "Requests by the endpoint that was tried last and the class of the response's status.", all)
	r.failures("nanogate_endpoint_failures_total", "Requests without a complete response, by the endpoint that was tried last and the reason.", all)
	r.family("nanogate_endpoint_duration_seconds", summary, "Time from a request's head to the end of its response, by the endpoint that was tried last.")
	for i := range all {
		if n := all[i].figures.Took.Count(); n > 0 {
			r.sums(&all[i].figures.Took, n, all[i].counters.Since(), all[i].labels)
		}
	}
}

// sources writes the state of the upstreams' sources.
func (r *report) sources() {
	reports := func(write func(u *snapshot.Upstream, s upstream.SourceStatus)) {
		for _, u := range r.s.Upstreams {
			for _, s := range u.Statuses() {
				write(u, s)
			}
		}
	}
	r.family("nanogate_source_live", gauge, "Whether the source of an upstream's endpoints is being watched: 1, or 0 while it can't be read.")
	reports(func(u *snapshot.Upstream, s upstream.SourceStatus) { r.level(truth(s.Live), "upstream", u.Name) })
	r.family("nanogate_source_since_timestamp_seconds", gauge, "When nanogate_source_live last changed, in seconds since 1970.")
	reports(func(u *snapshot.Upstream, s upstream.SourceStatus) {
		r.level(float64(s.Since.UnixMilli())/1000, "upstream", u.Name)
	})
	r.family("nanogate_source_stored_timestamp_seconds", gauge, "When an upstream's endpoints were read by an earlier run, in seconds since 1970; only while this run hasn't read them.")
	reports(func(u *snapshot.Upstream, s upstream.SourceStatus) {
		if s.Stored {
			r.level(float64(s.Read.UnixMilli())/1000, "upstream", u.Name)
		}
	})
	r.family("nanogate_source_wrong", gauge, "Entries of a source that aren't valid endpoints.")
	reports(func(u *snapshot.Upstream, s upstream.SourceStatus) {
		r.level(float64(len(s.Wrong)), "upstream", u.Name)
	})
	if s, ok := r.g.RoutesFrom(); ok {
		r.family("nanogate_routes_live", gauge, "Whether routes are being watched in Kubernetes: 1, or 0 while it can't be read.")
		r.level(truth(s.Live))
		r.family("nanogate_routes_since_timestamp_seconds", gauge, "When nanogate_routes_live last changed, in seconds since 1970.")
		r.level(float64(s.Since.UnixMilli()) / 1000)
		if s.Stored {
			r.family("nanogate_routes_stored_timestamp_seconds", gauge, "When the served routes were read by an earlier run, in seconds since 1970; only while this run hasn't read them.")
			r.level(float64(s.Read.UnixMilli()) / 1000)
		}
	}
}

// className names the hundreds of a status.
func className(class int) string {
	if class == 0 {
		return "none"
	}
	return strconv.Itoa(class) + "xx"
}

func with(labels []string, name, value string) []string {
	return append(labels[:len(labels):len(labels)], name, value)
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
