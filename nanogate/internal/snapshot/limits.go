package snapshot

import (
	"slices"
	"strconv"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/fleet"
	"dyno.example/nanogate/internal/limit"
)

// hasRates reports whether a route has rates that are early: asked before the filters that
// find out who it is, so that a request takes its token whatever they say; or others.
func hasRates(c *config.Route, early bool) bool {
	return slices.ContainsFunc(c.Rates, func(r config.Rate) bool { return r.Early == early })
}

// rates makes them.
func rates(c *config.Route, early bool) (all []filter.Filter, err error) {
	for i := range c.Rates {
		if c.Rates[i].Early != early {
			continue
		}
		l, err := rateOf(c, i)
		if err != nil {
			return all, err
		}
		all = append(all, l)
	}
	return all, nil
}

// rateOf makes one of a route's rates.
func rateOf(c *config.Route, i int) (limit.Limit, error) {
	rules := &c.Rates[i]
	if rules.Redis == nil {
		return limit.NewRate(*rules), nil
	}
	name := c.Name + ":" + strconv.Itoa(i)
	ledger, err := fleet.Ledger(name, rules)
	if err != nil {
		return nil, err
	}
	return limit.NewShared(name, *rules, ledger), nil
}
