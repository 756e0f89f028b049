package snapshot

import (
	"cmp"
	"log/slog"
	"strings"

	"dyno.example/internal/spelling"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/middleware"
)

// uses is the middleware that a route's requests pass through: what it asks for, and what
// there is to ask for.
type uses struct {
	all    []config.Use // in the order of requests
	offers middleware.Offers
}

// usesOf are what is for all routes, then those of the file as a whole, then the route's own.
func usesOf(c *config.Config, r *config.Route, offers middleware.Offers) uses {
	u := uses{offers: offers}
	for i := range offers {
		if offers[i].Everywhere {
			u.all = append(u.all, config.Use{At: r.At, Name: offers[i].Name})
		}
	}
	u.all = append(append(u.all, c.Use...), r.Use...)
	return u
}

// hosts makes a route's middleware. It comes after all guards, so it sees only requests that
// they let pass.
func hosts(_ *config.Route, r *Route) (all []filter.Filter, err error) {
	log := cmp.Or(r.log, slog.Default())
	for _, use := range r.uses.all {
		offer := r.uses.offers.Find(use.Name)
		if offer == nil {
			return all, use.At.Problem(hintOf(use.Name, r.uses.offers.Names()), "there is no middleware %q", use.Name)
		}
		m, err := offer.Make(use.Settings)
		if err != nil {
			return all, use.At.Problem("", "the middleware %q can't be made: %v", use.Name, err)
		}
		host := middleware.NewHost(use.Name, m, offer.Counts, log)
		all, r.Middleware = append(all, host), append(r.Middleware, host)
		if host.HandlesResponses() {
			r.Responders = append(r.Responders, host)
		}
	}
	return all, nil
}

// hintOf says what a name may have been meant to be.
func hintOf(name string, names []string) string {
	if nearest, ok := spelling.Nearest(name, names); ok {
		return "did you mean " + nearest + "?"
	}
	if len(names) == 0 {
		return "this program has none compiled in: see \"Plug-ins in Go\" in nanogate/docs/configuration.md"
	}
	return "there are " + strings.Join(names, ", ")
}
