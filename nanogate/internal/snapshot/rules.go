package snapshot

import (
	"cmp"
	"log/slog"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/guard"
)

// rules makes a route's rules.
func rules(c *config.Route, r *Route) ([]filter.Filter, error) {
	r.Rules = guard.NewRules(c.Rules, c.Name, cmp.Or(r.log, slog.Default()))
	return []filter.Filter{r.Rules}, nil
}

// keepClaims has guards keep what they verify, if rules or middleware may ask for it.
func (r *Route) keepClaims(c *config.Route) {
	if len(c.Rules)+len(r.uses.all) == 0 {
		return
	}
	for i := range r.Chain {
		if keeper, ok := r.Chain[i].Filter.(guard.Keeper); ok {
			keeper.KeepClaims()
		}
	}
}
