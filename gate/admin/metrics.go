//go:build linux

package admin

import (
	"strconv"
	"strings"
	"time"

	"dyno/gate"
	"dyno/gate/stats"
)

// Histograms are told at each power of two from lowestTold on: eighteen series a route,
// from 131 µs to 17 s, and none for routes that had no request.
const (
	lowestTold = 17 // 1<<17 ns
	mostTold   = 34
)

// exposition is what Prometheus reads (text format 0.0.4). Labels are of the
// configuration only, so there are never more series than that has routes and
// endpoints: nothing that clients send becomes one.
type exposition struct{ b []byte }

func (e *exposition) family(name, kind, help string) {
	e.b = append(e.b, "# HELP "+name+" "+help+"\n# TYPE "+name+" "+kind+"\n"...)
}

// sample writes a value; labels are name and value in turn.
func (e *exposition) sample(name string, value float64, labels ...string) {
	e.b = append(e.b, name...)
	for i := 0; i+1 < len(labels); i += 2 {
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		e.b = append(append(e.b, separator), labels[i]...)
		e.b = append(e.b, `="`...)
		e.b = append(e.b, escapeLabel.Replace(labels[i+1])...)
		e.b = append(e.b, '"')
	}
	if len(labels) > 0 {
		e.b = append(e.b, '}')
	}
	e.b = append(e.b, ' ')
	e.b = strconv.AppendFloat(e.b, value, 'g', -1, 64)
	e.b = append(e.b, '\n')
}

var escapeLabel = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// metrics writes all there is.
func metrics(g *gate.Gateway) []byte {
	var e exposition
	s := g.Snapshot()
	status := statusOf(g)
	e.family("nanogate_ready", "gauge", "Whether requests are taken: 0 while draining.")
	e.sample("nanogate_ready", truth(status.Ready))
	e.family("nanogate_clients", "gauge", "Open connections of clients.")
	e.sample("nanogate_clients", float64(status.Clients))
	e.family("nanogate_routes", "gauge", "Routes in the configuration.")
	e.sample("nanogate_routes", float64(status.Routes))
	e.family("nanogate_problems", "gauge", "Problems that keep routes from being served.")
	e.sample("nanogate_problems", float64(len(status.Problems)))
	routes := make([]labelled, 0, len(s.Routes))
	for _, r := range s.Routes {
		routes = append(routes, labelled{[]string{"route", r.Name}, r.Counters.Read()})
	}
	e.counts("nanogate_requests_total", "Requests that have ended, by the class of their response's status.", routes)
	e.failures("nanogate_failures_total", "Requests whose response didn't come whole, by reason.", routes)
	e.retries("nanogate_retries_total", "Requests that were sent again.", routes)
	e.histograms("nanogate_request_duration_seconds", "From a request's head to the end of its response.", routes)
	var endpoints []labelled
	e.family("nanogate_endpoint_up", "gauge", "Whether nothing speaks against an endpoint.")
	for _, u := range s.Upstreams {
		for _, p := range u.Set().All {
			labels := []string{"upstream", u.Name, "endpoint", p.Name}
			e.sample("nanogate_endpoint_up", truth(p.Usable()), labels...)
			endpoints = append(endpoints, labelled{labels, p.Counters.Read()})
		}
	}
	e.family("nanogate_endpoint_active", "gauge", "Requests under way to an endpoint.")
	for _, u := range s.Upstreams {
		for _, p := range u.Set().All {
			e.sample("nanogate_endpoint_active", float64(p.Under()), "upstream", u.Name, "endpoint", p.Name)
		}
	}
	e.counts("nanogate_endpoint_requests_total", "Requests that an endpoint had last, by the class of the status.", endpoints)
	return e.b
}

// labelled is figures with the labels of their series.
type labelled struct {
	labels  []string
	figures stats.Figures
}

func (l *labelled) with(name, value string) []string {
	return append(l.labels[:len(l.labels):len(l.labels)], name, value)
}

func (e *exposition) counts(name, help string, all []labelled) {
	e.family(name, "counter", help)
	for i := range all {
		for class, n := range all[i].figures.Status {
			if n > 0 {
				e.sample(name, float64(n), all[i].with("code", className(class))...)
			}
		}
	}
}

func (e *exposition) failures(name, help string, all []labelled) {
	e.family(name, "counter", help)
	for i := range all {
		for why, n := range all[i].figures.Failed {
			if n > 0 {
				e.sample(name, float64(n), all[i].with("reason", failureName(why))...)
			}
		}
	}
}

func (e *exposition) retries(name, help string, all []labelled) {
	e.family(name, "counter", help)
	for i := range all {
		if n := all[i].figures.Retried; n > 0 {
			e.sample(name, float64(n), all[i].labels...)
		}
	}
}

func (e *exposition) histograms(name, help string, all []labelled) {
	e.family(name, "histogram", help)
	for i := range all {
		h := &all[i].figures.Took
		count := h.Count()
		if count == 0 {
			continue
		}
		bucket, below := 0, uint64(0)
		for power := lowestTold; power <= mostTold; power++ {
			end := time.Duration(1) << power
			for bucket < len(h.Buckets) && stats.Upper(bucket) <= end {
				below += h.Buckets[bucket]
				bucket++
			}
			e.sample(name+"_bucket", float64(below), all[i].with("le", strconv.FormatFloat(end.Seconds(), 'g', -1, 64))...)
		}
		e.sample(name+"_bucket", float64(count), all[i].with("le", "+Inf")...)
		e.sample(name+"_sum", h.Sum.Seconds(), all[i].labels...)
		e.sample(name+"_count", float64(count), all[i].labels...)
	}
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
