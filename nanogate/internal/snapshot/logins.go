package snapshot

import (
	"log/slog"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/fleet"
	"dyno.example/nanogate/internal/oidc"
)

// boardOf opens what gateways tell each other of logouts by.
func boardOf(rules *config.OIDC, name string, most int, log *slog.Logger) (oidc.LogoutBus, error) {
	return fleet.Logouts(rules, name, rules.Session+time.Hour, most, log)
}

// sessionCookiesOf are the cookies of all logins of a configuration, as browsers send them to
// every route of a host.
func sessionCookiesOf(c *config.Config) (all []oidc.Cookies) {
	for i := range c.Logins {
		all = append(all, oidc.CookiesOf(&c.Logins[i]))
	}
	return all
}

// hidesSessionCookies reports whether the route keeps cookies of logins from its upstream: those
// of other routes, as the login of its own takes out its own.
func (r *Route) hidesSessionCookies(c *config.Route) bool {
	return len(r.sessionCookies) > 1 || len(r.sessionCookies) == 1 && c.OIDC == nil
}
