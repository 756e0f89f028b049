//go:build linux

package metrics

import (
	"strconv"

	"dyno.example/nanogate/internal/middleware"
)

// rules writes what routes' rules refused.
func (r *report) rules() {
	r.family("nanogate_rule_refusals_total", counter, "Requests that a rule of a route refused; the reason failed means that it couldn't be evaluated.")
	for _, route := range r.s.Routes {
		if route.Rules == nil {
			continue
		}
		for i, c := range route.Rules.Counts() {
			rule := strconv.Itoa(i + 1)
			r.count(float64(c.Refused), route.Rules.Made, "route", route.Name, "rule", rule, "reason", "refused")
			r.count(float64(c.Failed), route.Rules.Made, "route", route.Name, "rule", rule, "reason", "failed")
		}
	}
}

// middleware writes what went wrong in middleware.
func (r *report) middleware() {
	r.family("nanogate_middleware_failures_total", counter, "Calls of middleware that panicked, responded with something invalid, or didn't decide in time.")
	seen := map[*middleware.Counts]bool{}
	for _, route := range r.s.Routes {
		for _, m := range route.Middleware {
			c := m.Counts()
			if seen[c] {
				continue
			}
			seen[c] = true
			since := c.Made
			if since.IsZero() {
				since = r.g.Started()
			}
			r.count(float64(c.Panics.Load()), since, "middleware", m.Name(), "reason", "panic")
			r.count(float64(c.Wrong.Load()), since, "middleware", m.Name(), "reason", "wrong-response")
			r.count(float64(c.Undecided.Load()), since, "middleware", m.Name(), "reason", "undecided")
		}
	}
}
