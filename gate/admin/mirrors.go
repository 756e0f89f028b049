//go:build linux

package admin

import (
	"maps"
	"slices"
	"time"

	"dyno/gate/mirror"
	"dyno/gate/snapshot"
)

// Mirror is what mirroring a route has come to.
type Mirror struct {
	Route       string            `json:"route"`
	To          string            `json:"to"`
	Share       float64           `json:"share"`
	Same        uint64            `json:"same"` // responses in which all that is compared was the same
	Different   uint64            `json:"different"`
	Failed      uint64            `json:"failed"`            // there was no whole response in time
	Unread      uint64            `json:"unread,omitempty"`  // of same and different, those whose bodies couldn't be compared
	Dropped     map[string]uint64 `json:"dropped,omitempty"` // requests that weren't mirrored, by reason
	Differences []mirror.Differed `json:"differences"`       // by what is compared
	Mean        float64           `json:"mean_ms"`           // response time of the route's own upstream, of same and different
	ShadowMean  float64           `json:"shadow_mean_ms"`    // and of the other
}

// Samples are the requests of a route that were answered differently last.
type Samples struct {
	Route   string          `json:"route"`
	Samples []mirror.Sample `json:"samples"`
}

// mirrorsOf looks at the routes that are mirrored, in the order of the file.
func mirrorsOf(s *snapshot.Snapshot) []Mirror {
	all := []Mirror{}
	for _, r := range s.Routes {
		if r.Mirror == nil {
			continue
		}
		c := r.Mirror.Record.Read()
		v := Mirror{Route: r.Name, To: targetName(&r.Mirror.Config.To), Share: r.Mirror.Config.Share, Same: c.Same, Different: c.Different, Failed: c.Failed,
			Unread: c.Unread, Dropped: map[string]uint64{}, Differences: c.Differed}
		for why, n := range c.Dropped {
			v.Dropped[why.String()] = n
		}
		if n := c.Same + c.Different; n > 0 {
			v.Mean, v.ShadowMean = ms(c.First/time.Duration(n)), ms(c.Second/time.Duration(n))
		}
		all = append(all, v)
	}
	return all
}

// samplesOf returns what is kept of differences, the newest first.
func samplesOf(s *snapshot.Snapshot) []Samples {
	all := []Samples{}
	for _, r := range s.Routes {
		if r.Mirror != nil {
			all = append(all, Samples{r.Name, r.Mirror.Record.Samples()})
		}
	}
	return all
}

// mirrors writes the counts of mirrored requests.
func (e *exposition) mirrors(s *snapshot.Snapshot) {
	routes := slices.DeleteFunc(slices.Clone(s.Routes), func(r *snapshot.Route) bool { return r.Mirror == nil })
	if len(routes) == 0 {
		return
	}
	counts := make([]mirror.Counts, len(routes))
	for i, r := range routes {
		counts[i] = r.Mirror.Record.Read()
	}
	e.family("nanogate_mirror_requests_total", "counter", "Mirrored requests, by whether the second response was the same as the first in what is compared, different, or failed.")
	for i, r := range routes {
		c := &counts[i]
		e.sample("nanogate_mirror_requests_total", float64(c.Same), "route", r.Name, "result", "same")
		e.sample("nanogate_mirror_requests_total", float64(c.Different), "route", r.Name, "result", "different")
		e.sample("nanogate_mirror_requests_total", float64(c.Failed), "route", r.Name, "result", "failed")
	}
	e.family("nanogate_mirror_differences_total", "counter", "Responses that were different, by what was: a field is a header field or a JSONPath of the configuration.")
	for i, r := range routes {
		for _, d := range counts[i].Differed {
			e.sample("nanogate_mirror_differences_total", float64(d.Count), "route", r.Name, "kind", d.Kind, "field", d.Field)
		}
	}
	e.family("nanogate_mirror_unread_total", "counter", "Responses whose bodies were to be compared and couldn't be.")
	for i, r := range routes {
		e.sample("nanogate_mirror_unread_total", float64(counts[i].Unread), "route", r.Name)
	}
	e.family("nanogate_mirror_dropped_total", "counter", "Requests that should have been mirrored and weren't, by reason.")
	for i, r := range routes {
		for _, why := range slices.Sorted(maps.Keys(counts[i].Dropped)) {
			e.sample("nanogate_mirror_dropped_total", float64(counts[i].Dropped[why]), "route", r.Name, "reason", why.String())
		}
	}
	e.family("nanogate_mirror_duration_seconds", "summary", "How long responses took that were compared: of the route's own upstream and of the one that is mirrored to.")
	for i, r := range routes {
		c := &counts[i]
		for _, side := range []struct {
			name string
			sum  time.Duration
		}{{"first", c.First}, {"shadow", c.Second}} {
			e.sample("nanogate_mirror_duration_seconds_sum", side.sum.Seconds(), "route", r.Name, "side", side.name)
			e.sample("nanogate_mirror_duration_seconds_count", float64(c.Same+c.Different), "route", r.Name, "side", side.name)
		}
	}
}
