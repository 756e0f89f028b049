package snapshot

import (
	"cmp"
	"log/slog"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/guard"
)

// rules makes a route's rules, which come after the guards that find out who it is.
func rules(c *config.Route, r *Route) error {
	if len(c.Rules)+len(r.uses.all) > 0 {
		for _, g := range r.Guards {
			if keeper, ok := g.(guard.Keeper); ok {
				keeper.KeepClaims()
			}
		}
	}
	if len(c.Rules) > 0 {
		r.Rules = guard.NewRules(c.Rules, c.Name, cmp.Or(r.log, slog.Default()))
		r.Guards = append(r.Guards, r.Rules)
	}
	return nil
}
