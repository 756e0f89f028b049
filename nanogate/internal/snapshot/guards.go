package snapshot

import (
	"log/slog"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/fleet"
	"dyno.example/nanogate/internal/guard"
	"dyno.example/nanogate/internal/oidc"
)

// boardOf opens what gateways tell each other of logouts by.
func boardOf(rules *config.OIDC, name string, most int, log *slog.Logger) (oidc.LogoutBus, error) {
	return fleet.NewLogouts(&rules.Redis, name, rules.Session+time.Hour, most, log)
}

// sessionsOf are the cookies of all logins of a configuration, as browsers send them to
// every route of a host.
func sessionsOf(c *config.Config) (all []oidc.Cookies) {
	for i := range c.Logins {
		all = append(all, oidc.CookiesOf(&c.Logins[i]))
	}
	return all
}

// guards makes a route's guards. Addresses come first, as they cost least; then what a
// browser may ask without credentials (Fetch standard 4.8), and what it mustn't ask with
// them for others; then who it is.
func guards(c *config.Route, r *Route) error {
	if !c.Access.Empty() {
		r.Guards = append(r.Guards, guard.NewAccess(c.Access))
	}
	if c.CORS != nil {
		r.Guards = append(r.Guards, guard.NewCORS(c.CORS))
	}
	for i := range c.Rates {
		if c.Rates[i].Early {
			l, err := rateOf(c, i)
			if err != nil {
				return err
			}
			r.Guards = append(r.Guards, early{l})
		}
	}
	if c.CSRF != nil {
		r.Guards = append(r.Guards, guard.NewCSRF(c.CSRF))
	}
	if c.MTLS != nil {
		r.Guards = append(r.Guards, guard.NewMTLS(c.MTLS))
	}
	if c.Keys != nil {
		g, err := guard.NewKeys(c.Keys)
		if err != nil {
			return err
		}
		r.Guards = append(r.Guards, g)
	}
	if c.Basic != nil {
		g, err := guard.NewBasic(c.Basic)
		if err != nil {
			return err
		}
		r.Guards = append(r.Guards, g)
	}
	if c.JWT != nil {
		g, err := guard.NewJWT(c.JWT)
		if err != nil {
			return err
		}
		r.Guards = append(r.Guards, g)
	}
	if c.Introspect != nil {
		g, err := guard.NewIntrospect(c.Introspect, r.log)
		if err != nil {
			return err
		}
		r.Guards = append(r.Guards, g)
	}
	if c.OIDC != nil {
		g, err := guard.NewOIDC(c.OIDC, r.logins, r.log)
		if err != nil {
			return err
		}
		r.Guards = append(r.Guards, g)
	}
	if own := c.OIDC != nil; len(r.sessions) > 1 || len(r.sessions) == 1 && !own { // the guard above has its own
		r.Guards = append(r.Guards, guard.NewSessions(r.sessions))
	}
	return nil
}
