package snapshot

import (
	"strconv"

	"dyno/gate/config"
	"dyno/gate/fleet"
	"dyno/gate/limit"
)

// limits makes a route's limits. Rates come first, as what a client may not ask at all
// shouldn't take a place from others; the breaker last, which counts only what is sent.
func limits(c *config.Route, r *Route) error {
	for i := range c.Rates {
		rules := &c.Rates[i]
		if rules.Redis == nil {
			r.Limits = append(r.Limits, limit.NewRate(*rules))
			continue
		}
		name := c.Name + ":" + strconv.Itoa(i)
		ledger, err := fleet.NewRedis(name, rules)
		if err != nil {
			return err
		}
		r.Limits = append(r.Limits, limit.NewShared(name, *rules, ledger))
	}
	if c.Shed != nil {
		r.Limits = append(r.Limits, limit.NewShed(c.Shed))
	}
	if c.Concurrency != nil {
		r.Limits = append(r.Limits, limit.NewConcurrency(c.Concurrency))
	}
	if c.Breaker != nil {
		r.Limits = append(r.Limits, limit.NewBreaker(c.Breaker))
	}
	return nil
}
