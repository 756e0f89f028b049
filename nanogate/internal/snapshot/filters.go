package snapshot

import (
	"fmt"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/filters"
	"dyno.example/nanogate/internal/guard"
	"dyno.example/nanogate/internal/limit"
)

// kind is a kind of filter that a route may have.
type kind struct {
	name  string // as metrics and explain have it: mostly that of the field that asks for it
	phase filter.Phase

	// reveals says that it knows who asks, so that a response to a request that it let
	// pass may be for that client only.
	reveals bool

	// asked reports whether a route asks for it.
	asked func(c *config.Route, r *Route) bool
	// make makes it for a route that does; an error makes the route respond with 503. Most
	// kinds make one filter. nil: it isn't one that is only asked about the head of a
	// request, and the event loop carries it out.
	make func(c *config.Route, r *Route) ([]filter.Filter, error)

	// with is what has a hand in the exchange itself for it; the zero value: nothing does.
	with filter.Set
}

// kinds are all filters of routes, in the order in which requests meet them. Those that have a
// hand in the exchange itself stand in the order of [filter.ID], and responses meet them in the
// reverse order; middleware sees first what an upstream responds.
//
// Addresses come first, as they cost least; then what a browser may ask without credentials
// (Fetch standard 4.8), and what it mustn't ask with them for others; then who it is. Of the
// limits rates come first, as what a client may not ask at all shouldn't take a place from
// others; the breaker last, which counts only what is sent.
var kinds = []kind{
	{"access", filter.Access, false,
		func(c *config.Route, _ *Route) bool { return !c.Access.Empty() },
		func(c *config.Route, _ *Route) ([]filter.Filter, error) { return one(guard.NewAccess(c.Access), nil) }, 0},
	{"cors", filter.Access, false,
		func(c *config.Route, _ *Route) bool { return c.CORS != nil },
		func(c *config.Route, _ *Route) ([]filter.Filter, error) { return one(guard.NewCORS(c.CORS), nil) }, 0},
	{"rate", filter.Access, false,
		func(c *config.Route, _ *Route) bool { return hasRates(c, true) },
		func(c *config.Route, _ *Route) ([]filter.Filter, error) { return rates(c, true) }, 0},
	{"csrf", filter.Access, true,
		func(c *config.Route, _ *Route) bool { return c.CSRF != nil },
		func(c *config.Route, _ *Route) ([]filter.Filter, error) { return one(guard.NewCSRF(c.CSRF), nil) }, 0},

	{"mtls", filter.Identity, true,
		func(c *config.Route, _ *Route) bool { return c.MTLS != nil },
		func(c *config.Route, _ *Route) ([]filter.Filter, error) { return one(guard.NewMTLS(c.MTLS), nil) }, 0},
	{"keys", filter.Identity, true,
		func(c *config.Route, _ *Route) bool { return c.Keys != nil },
		func(c *config.Route, _ *Route) ([]filter.Filter, error) { return one(guard.NewKeys(c.Keys)) }, 0},
	{"basic", filter.Identity, true,
		func(c *config.Route, _ *Route) bool { return c.Basic != nil },
		func(c *config.Route, _ *Route) ([]filter.Filter, error) { return one(guard.NewBasic(c.Basic)) }, 0},
	{"jwt", filter.Identity, true,
		func(c *config.Route, _ *Route) bool { return c.JWT != nil },
		func(c *config.Route, _ *Route) ([]filter.Filter, error) { return one(guard.NewJWT(c.JWT)) }, 0},
	{"introspect", filter.Identity, true,
		func(c *config.Route, _ *Route) bool { return c.Introspect != nil },
		func(c *config.Route, r *Route) ([]filter.Filter, error) {
			return one(guard.NewIntrospect(c.Introspect, r.log))
		}, 0},
	{"oidc", filter.Identity, true,
		func(c *config.Route, _ *Route) bool { return c.OIDC != nil },
		func(c *config.Route, r *Route) ([]filter.Filter, error) {
			return one(guard.NewOIDC(c.OIDC, r.logins, r.log))
		}, 0},
	{"sessions", filter.Identity, false,
		func(c *config.Route, r *Route) bool { return r.hidesSessions(c) },
		func(_ *config.Route, r *Route) ([]filter.Filter, error) {
			return one(guard.NewSessions(r.sessions), nil)
		}, 0},

	{"rules", filter.Authorization, true, func(c *config.Route, _ *Route) bool { return len(c.Rules) > 0 }, rules, 0},
	{"use", filter.Middleware, true, func(_ *config.Route, r *Route) bool { return len(r.uses.all) > 0 }, hosts, 0},

	{"rate", filter.Limits, false,
		func(c *config.Route, _ *Route) bool { return hasRates(c, false) },
		func(c *config.Route, _ *Route) ([]filter.Filter, error) { return rates(c, false) }, 0},
	{"shed", filter.Limits, false,
		func(c *config.Route, _ *Route) bool { return c.Shed != nil },
		func(c *config.Route, _ *Route) ([]filter.Filter, error) { return one(limit.NewShed(c.Shed), nil) }, 0},
	{"concurrency", filter.Limits, false,
		func(c *config.Route, _ *Route) bool { return c.Concurrency != nil },
		func(c *config.Route, _ *Route) ([]filter.Filter, error) {
			return one(limit.NewConcurrency(c.Concurrency), nil)
		}, 0},
	{"breaker", filter.Limits, false,
		func(c *config.Route, _ *Route) bool { return c.Breaker != nil },
		func(c *config.Route, _ *Route) ([]filter.Filter, error) { return one(limit.NewBreaker(c.Breaker), nil) }, 0},

	{"grpc-web", filter.Content, false, func(c *config.Route, _ *Route) bool { return c.GRPCWeb }, nil, filter.SetOf(filter.GRPCWeb)},
	{"respond", filter.Content, false, func(c *config.Route, _ *Route) bool { return c.Respond != nil }, nil, filter.SetOf(filter.Respond)},
	{"redirect", filter.Content, false, func(c *config.Route, _ *Route) bool { return c.Redirect != nil }, nil, filter.SetOf(filter.Redirect)},
	{"grpc-json", filter.Content, false, func(c *config.Route, _ *Route) bool { return c.GRPCJSON != nil }, nil, filter.SetOf(filter.GRPCJSON)},
	{"cache", filter.Content, false, func(c *config.Route, _ *Route) bool { return c.Cache != nil }, nil, filter.SetOf(filter.Cache)},

	{"canary", filter.Forwarding, false, func(c *config.Route, _ *Route) bool { return c.Canary != nil }, nil, filter.SetOf(filter.Canary)},
	{"sticky", filter.Forwarding, false, func(c *config.Route, _ *Route) bool { return c.Sticky != nil }, nil, filter.SetOf(filter.Sticky)},
	{"mirror", filter.Forwarding, false, func(c *config.Route, _ *Route) bool { return c.Mirror != nil }, nil, filter.SetOf(filter.Mirror)},
	{"fault", filter.Forwarding, false, func(c *config.Route, _ *Route) bool { return c.Fault != nil }, nil, filter.SetOf(filter.Fault)},
	{"retry", filter.Forwarding, false, func(c *config.Route, _ *Route) bool { return c.Retry.Attempts > 1 }, nil, 0},
	{"hedge", filter.Forwarding, false, func(c *config.Route, _ *Route) bool { return c.Hedge != nil }, nil, 0},
}

// one is a kind's only filter.
func one[T filter.Filter](f T, err error) ([]filter.Filter, error) {
	if err != nil {
		return nil, err
	}
	return []filter.Filter{f}, nil
}

// filters makes the route's chain, and what else its configuration needs before it is served.
func (r *Route) filters(c *config.Route) error {
	for i := range kinds {
		k := &kinds[i]
		switch {
		case !k.asked(c, r):
			continue
		case k.make == nil:
			r.With |= k.with
			r.Along = append(r.Along, Listed{Name: k.name, Phase: k.phase})
			continue
		}
		made, err := k.make(c, r)
		for _, f := range made {
			r.Chain = append(r.Chain, Step{Name: stepName(k, f), Phase: k.phase, Filter: f, reveals: k.reveals})
		}
		if err != nil {
			return err
		}
	}
	for i := range filters.All {
		k := &filters.All[i]
		f := c.FilterOf(k)
		if f == nil {
			continue
		}
		made, err := f.Make()
		if err != nil {
			return fmt.Errorf("%s: %w", k.Name, err)
		}
		r.Chain.insert(Step{Name: k.Name, Phase: k.Phase, Filter: made, reveals: k.Reveals})
	}
	if idle, because, ok := r.With.Idle(); ok {
		return fmt.Errorf("%s would never see a request, as the route responds to all of them by %s: remove one of the two", idle, because)
	}
	if len(r.Responders) > 0 { // of all routes' middleware, it may be: then it has nothing to look at here
		r.With = r.With.With(filter.Responses)
	}
	r.keepClaims(c)
	if err := r.storable(c); err != nil {
		return err
	}
	return grpcJSON(c, r)
}

// storable refuses to store what a filter may have let one client see only. The reader of
// the file has said so already of those that it knows.
func (r *Route) storable(c *config.Route) error {
	if c.Cache == nil || c.Cache.Shared {
		return nil
	}
	for i := range r.Chain {
		if s := &r.Chain[i]; s.reveals {
			return fmt.Errorf("the guard %s knows who asks, and what is stored is given to everybody: say cache: {shared: true} if all get the same", s.Name)
		}
	}
	return nil
}
