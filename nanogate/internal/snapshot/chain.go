package snapshot

import (
	"slices"
	"time"

	"dyno.example/nano/wire/clock"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/limit"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/stats"
)

// Chain is a route's filters that are asked about the heads of requests, in their order. It
// doesn't change while the route is served.
type Chain []Step

// Step is one of them.
type Step struct {
	Name   string
	Phase  filter.Phase
	Filter filter.Filter

	timing  *stats.Timing // nil: it isn't timed
	reveals bool          // see kind
}

// Check asks the filter about a request, and times it for a sample of the requests.
func (s *Step) Check(r *request.Request) *request.Reply {
	if s.timing == nil || !stats.Sampled(r) {
		return s.Filter.Check(r)
	}
	began := clock.Now()
	defer s.timing.Since(began)
	return s.Filter.Check(r)
}

// Done tells the filters of the end of a request that all of them have let pass.
func (c Chain) Done(o *request.Outcome) {
	for i := range c {
		if e, ok := c[i].Filter.(filter.Ender); ok {
			e.Done(o)
		}
	}
}

// start has the filters begin to ask others for what they need.
func (c Chain) start() {
	for i := range c {
		if s, ok := c[i].Filter.(filter.Starter); ok {
			s.Start()
		}
	}
}

func (c Chain) close() {
	for i := range c {
		if f, ok := c[i].Filter.(filter.Closer); ok {
			f.Close()
		}
	}
}

// Insert puts a filter behind the others of its phase and of those before it.
func (c *Chain) Insert(phase filter.Phase, name string, f filter.Filter) {
	c.insert(Step{Name: name, Phase: phase, Filter: f})
}

func (c *Chain) insert(s Step) {
	at := 0
	for at < len(*c) && (*c)[at].Phase <= s.Phase {
		at++
	}
	*c = slices.Insert(*c, at, s)
}

// timed has each of the route's filters timed. A timing goes on when its route is changed
// and has a filter of that name still.
func (r *Route) timed(before *Route) {
	for i := range r.Chain {
		r.Chain[i].timing = r.timing(r.Chain[i].Name, before)
	}
}

func (r *Route) timing(name string, before *Route) *stats.Timing {
	named := func(t *stats.Timing) bool { return t.Name == name }
	if i := slices.IndexFunc(r.Timings, named); i >= 0 { // two of a kind: they are one series
		return r.Timings[i]
	}
	t := &stats.Timing{Name: name, Made: time.Now()}
	if before != nil {
		if i := slices.IndexFunc(before.Timings, named); i >= 0 {
			t = before.Timings[i]
		}
	}
	r.Timings = append(r.Timings, t)
	return t
}

// stepName is what a filter is called in metrics: its own name, such as that of a
// middleware, or its kind's.
func stepName(k *kind, f filter.Filter) string {
	if named, ok := f.(interface{ Name() string }); ok {
		return named.Name()
	}
	return k.name
}

// Limits are the limits of the route, in their order.
func (r *Route) Limits() (all []limit.Limit) {
	for i := range r.Chain {
		if l, ok := r.Chain[i].Filter.(limit.Limit); ok {
			all = append(all, l)
		}
	}
	return all
}

// Gauge is a figure of the state of a limit.
type Gauge struct {
	Limit string // its kind, such as "shed"
	limit.Gauge
}

// GaugesOf are the figures of limits, of a route or of an upstream.
func GaugesOf(limits []limit.Limit) (all []Gauge) {
	for _, l := range limits {
		if g, ok := l.(limit.Gauged); ok {
			for _, one := range g.Gauges() {
				all = append(all, Gauge{g.Name(), one})
			}
		}
	}
	return all
}
