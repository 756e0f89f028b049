package snapshot

import (
	"errors"
	"log/slog"
	"slices"

	"dyno.example/nanogate/internal/acme"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/discovery"
	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/oidc"
	"dyno.example/nanogate/internal/secure"
)

// Check makes all that a configuration asks for, and throws it away: what is wrong with
// files that it names is found out before it is served. Nothing is connected to. offers
// are the middleware that routes may use.
func Check(c *config.Config, offers middleware.Offers) (problems config.Problems) {
	problems = checkTelemetry(c)
	seen := map[*config.Upstream]bool{}
	check := func(u *config.Upstream) {
		if u == nil || seen[u] {
			return
		}
		seen[u] = true
		if _, err := partsOf(u); err != nil {
			problems = append(problems, u.At.Problem("", "%v", err))
		}
	}
	problems = append(problems, checkTLS(c)...)
	missing := Missing(c)
	problems = append(problems, missing...)
	problems = append(problems, discovery.CheckRoutes(c)...)
	offers, wrong := checkPlugins(c, offers)
	problems = append(problems, wrong...)
	for _, u := range c.Upstreams {
		check(u)
	}
	logins := oidc.Clients{Share: func(rules *config.OIDC, name string, most int) (oidc.LogoutBus, error) {
		return boardOf(rules, name, most, slog.New(slog.DiscardHandler))
	}}
	for _, route := range c.Routes {
		for i := range route.To {
			check(route.To[i].Direct)
		}
		if route.Canary != nil {
			check(route.Canary.To.Direct)
		}
		if route.Mirror != nil {
			check(route.Mirror.To.Direct)
		}
		r := &Route{Name: route.Name, Config: route, uses: usesOf(c, route, offers), log: slog.New(slog.DiscardHandler), logins: &logins}
		if problem := r.build(route); problem != nil && !slices.Contains(missing, *problem) {
			problems = append(problems, *problem)
		}
		r.close()
	}
	problems.Sort()
	return problems
}

// checkTLS makes the TLS of listeners.
func checkTLS(c *config.Config) (problems config.Problems) {
	seen := map[*config.TLS]bool{nil: true}
	for _, l := range c.Listen {
		if seen[l.TLS] {
			continue
		}
		seen[l.TLS] = true
		s, err := secure.NewServer(l.TLS, nil, slog.New(slog.DiscardHandler))
		if err == nil {
			err = errors.Join(s.Problem(), acme.Check(l.TLS.ACME))
			s.Close()
		}
		if err != nil {
			problems = append(problems, l.TLS.At.Problem("", "%v", err))
		}
	}
	return problems
}
