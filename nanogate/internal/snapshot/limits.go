package snapshot

import (
	"strconv"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/fleet"
	"dyno.example/nanogate/internal/limit"
	"dyno.example/nanogate/internal/request"
)

// limits makes a route's limits. Rates come first, as what a client may not ask at all
// shouldn't take a place from others; the breaker last, which counts only what is sent.
func limits(c *config.Route, r *Route) error {
	for i := range c.Rates {
		if c.Rates[i].Early {
			continue
		}
		l, err := rateOf(c, i)
		if err != nil {
			return err
		}
		r.Limits = append(r.Limits, l)
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

// rateOf makes one of a route's rates.
func rateOf(c *config.Route, i int) (limit.Limit, error) {
	rules := &c.Rates[i]
	if rules.Redis == nil {
		return limit.NewRate(*rules), nil
	}
	name := c.Name + ":" + strconv.Itoa(i)
	ledger, err := fleet.NewRedis(name, rules)
	if err != nil {
		return nil, err
	}
	return limit.NewShared(name, *rules, ledger), nil
}

// early is a rate that is asked before the guards that find out who it is: a request takes
// its token whatever they say.
type early struct{ limit.Limit }

// Check takes a token, or says when there will be one.
func (e early) Check(r *request.Request) *request.Reply { return e.Admit(r) }

// Name is what it is called in metrics.
func (e early) Name() string { return nameOf(e.Limit) }

// Start has a rate that gateways share begin to settle.
func (e early) Start() {
	if s, ok := e.Limit.(limit.Starter); ok {
		s.Start()
	}
}

// Close ends that.
func (e early) Close() {
	if c, ok := e.Limit.(limit.Closer); ok {
		c.Close()
	}
}
