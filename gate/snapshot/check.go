package snapshot

import (
	"log/slog"

	"dyno/gate/config"
	"dyno/gate/secure"
)

// Check makes all that a configuration asks for, and throws it away: what is wrong with
// files that it names is found out before it is served. Nothing is connected to.
func Check(c *config.Config) (problems config.Problems) {
	problems = checkLooks(c)
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
	for _, u := range c.Upstreams {
		check(u)
	}
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
		r := &Route{Name: route.Name, Config: route}
		if problem := r.build(route); problem != nil {
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
		s, err := secure.NewServer(l.TLS, slog.New(slog.DiscardHandler))
		if err == nil {
			err = s.Problem()
			s.Close()
		}
		if err != nil {
			problems = append(problems, l.TLS.At.Problem("", "%v", err))
		}
	}
	return problems
}
