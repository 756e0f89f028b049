//go:build linux

package metrics

import (
	"maps"
	"slices"
	"time"

	"dyno.example/nanogate/internal/mirror"
	"dyno.example/nanogate/internal/snapshot"
	"dyno.example/nanogate/internal/stats"
)

// mirrors writes the counts of mirrored requests.
func (r *report) mirrors() {
	routes := slices.DeleteFunc(slices.Clone(r.s.Routes), func(one *snapshot.Route) bool { return one.Mirror == nil })
	if len(routes) == 0 {
		return
	}
	counts := make([]mirror.Counts, len(routes))
	for i, one := range routes {
		counts[i] = one.Mirror.Record.Read()
	}
	started := r.g.Started()
	r.family("nanogate_mirror_requests_total", counter, "Mirrored requests, by whether the second response was the same as the first, different, or failed.")
	for i, one := range routes {
		c := &counts[i]
		r.count(float64(c.Same), started, "route", one.Name, "result", "same")
		r.count(float64(c.Different), started, "route", one.Name, "result", "different")
		r.count(float64(c.Failed), started, "route", one.Name, "result", "failed")
	}
	r.family("nanogate_mirror_differences_total", counter, "Mirrored responses that differed, by what did: field is a header field or a JSONPath of the configuration.")
	for i, one := range routes {
		for _, d := range counts[i].Differed {
			r.count(float64(d.Count), started, "route", one.Name, "kind", d.Kind, "field", d.Field)
		}
	}
	r.family("nanogate_mirror_unread_total", counter, "Mirrored responses whose bodies couldn't be compared.")
	for i, one := range routes {
		r.count(float64(counts[i].Unread), started, "route", one.Name)
	}
	r.family("nanogate_mirror_dropped_total", counter, "Requests that weren't mirrored although they were selected, by reason.")
	for i, one := range routes {
		for _, why := range slices.Sorted(maps.Keys(counts[i].Dropped)) {
			r.count(float64(counts[i].Dropped[why]), started, "route", one.Name, "reason", why.String())
		}
	}
	r.family("nanogate_mirror_duration_seconds", summary, "Duration of compared responses: first is the route's own upstream, shadow the mirror.")
	for i, one := range routes {
		c := &counts[i]
		for _, side := range []struct {
			name string
			sum  time.Duration
		}{{"first", c.First}, {"shadow", c.Second}} {
			r.sums(&stats.Histogram{Sum: side.sum}, c.Same+c.Different, started, []string{"route", one.Name, "side", side.name})
		}
	}
}
