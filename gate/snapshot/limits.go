package snapshot

import (
	"dyno/gate/config"
	"dyno/gate/limit"
)

// limits makes a route's limits. Rates come first, as what a client may not ask at all
// shouldn't take a place from others; the breaker last, which counts only what is sent.
func limits(c *config.Route, r *Route) error {
	for _, rules := range c.Rates {
		r.Limits = append(r.Limits, limit.NewRate(rules))
	}
	if c.Concurrency != nil {
		r.Limits = append(r.Limits, limit.NewConcurrency(c.Concurrency))
	}
	if c.Breaker != nil {
		r.Limits = append(r.Limits, limit.NewBreaker(c.Breaker))
	}
	return nil
}
