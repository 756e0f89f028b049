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
	{name: "access", phase: filter.Access,
		asked: func(c *config.Route, _ *Route) bool { return !c.Access.Empty() },
		make:  func(c *config.Route, _ *Route) ([]filter.Filter, error) { return one(guard.NewAccess(c.Access), nil) }},
	{name: "cors", phase: filter.Access,
		asked: func(c *config.Route, _ *Route) bool { return c.CORS != nil },
		make:  func(c *config.Route, _ *Route) ([]filter.Filter, error) { return one(guard.NewCORS(c.CORS), nil) }},
	{name: "rate", phase: filter.Access,
		asked: func(c *config.Route, _ *Route) bool { return hasRates(c, true) },
		make:  func(c *config.Route, _ *Route) ([]filter.Filter, error) { return rates(c, true) }},
	{name: "csrf", phase: filter.Access, reveals: true,
		asked: func(c *config.Route, _ *Route) bool { return c.CSRF != nil },
		make:  func(c *config.Route, _ *Route) ([]filter.Filter, error) { return one(guard.NewCSRF(c.CSRF), nil) }},

	{name: "mtls", phase: filter.Identity, reveals: true,
		asked: func(c *config.Route, _ *Route) bool { return c.MTLS != nil },
		make:  func(c *config.Route, _ *Route) ([]filter.Filter, error) { return one(guard.NewMTLS(c.MTLS), nil) }},
	{name: "keys", phase: filter.Identity, reveals: true,
		asked: func(c *config.Route, _ *Route) bool { return c.Keys != nil },
		make:  func(c *config.Route, _ *Route) ([]filter.Filter, error) { return one(guard.NewKeys(c.Keys)) }},
	{name: "basic", phase: filter.Identity, reveals: true,
		asked: func(c *config.Route, _ *Route) bool { return c.Basic != nil },
		make:  func(c *config.Route, _ *Route) ([]filter.Filter, error) { return one(guard.NewBasic(c.Basic)) }},
	{name: "jwt", phase: filter.Identity, reveals: true,
		asked: func(c *config.Route, _ *Route) bool { return c.JWT != nil },
		make:  func(c *config.Route, _ *Route) ([]filter.Filter, error) { return one(guard.NewJWT(c.JWT)) }},
	{name: "introspect", phase: filter.Identity, reveals: true,
		asked: func(c *config.Route, _ *Route) bool { return c.Introspect != nil },
		make: func(c *config.Route, r *Route) ([]filter.Filter, error) {
			return one(guard.NewIntrospect(c.Introspect, r.log))
		}},
	{name: "oidc", phase: filter.Identity, reveals: true,
		asked: func(c *config.Route, _ *Route) bool { return c.OIDC != nil },
		make: func(c *config.Route, r *Route) ([]filter.Filter, error) {
			return one(guard.NewOIDC(c.OIDC, r.logins, r.log))
		}},
	{name: "sessions", phase: filter.Identity,
		asked: func(c *config.Route, r *Route) bool { return r.hidesSessionCookies(c) },
		make: func(_ *config.Route, r *Route) ([]filter.Filter, error) {
			return one(guard.NewSessionCookies(r.sessionCookies), nil)
		}},

	{name: "rules", phase: filter.Authorization, reveals: true,
		asked: func(c *config.Route, _ *Route) bool { return len(c.Rules) > 0 }, make: rules},
	{name: "use", phase: filter.Middleware, reveals: true,
		asked: func(_ *config.Route, r *Route) bool { return len(r.uses.all) > 0 }, make: hosts},

	{name: "rate", phase: filter.Limits,
		asked: func(c *config.Route, _ *Route) bool { return hasRates(c, false) },
		make:  func(c *config.Route, _ *Route) ([]filter.Filter, error) { return rates(c, false) }},
	{name: "shed", phase: filter.Limits,
		asked: func(c *config.Route, _ *Route) bool { return c.Shed != nil },
		make:  func(c *config.Route, _ *Route) ([]filter.Filter, error) { return one(limit.NewShed(c.Shed), nil) }},
	{name: "concurrency", phase: filter.Limits,
		asked: func(c *config.Route, _ *Route) bool { return c.Concurrency != nil },
		make: func(c *config.Route, _ *Route) ([]filter.Filter, error) {
			return one(limit.NewConcurrency(c.Concurrency), nil)
		}},
	{name: "breaker", phase: filter.Limits,
		asked: func(c *config.Route, _ *Route) bool { return c.Breaker != nil },
		make:  func(c *config.Route, _ *Route) ([]filter.Filter, error) { return one(limit.NewBreaker(c.Breaker), nil) }},

	{name: "grpc-web", phase: filter.Content,
		asked: func(c *config.Route, _ *Route) bool { return c.GRPCWeb }, with: filter.SetOf(filter.GRPCWeb)},
	{name: "respond", phase: filter.Content,
		asked: func(c *config.Route, _ *Route) bool { return c.Respond != nil }, with: filter.SetOf(filter.Respond)},
	{name: "redirect", phase: filter.Content,
		asked: func(c *config.Route, _ *Route) bool { return c.Redirect != nil }, with: filter.SetOf(filter.Redirect)},
	{name: "grpc-json", phase: filter.Content,
		asked: func(c *config.Route, _ *Route) bool { return c.GRPCJSON != nil }, with: filter.SetOf(filter.GRPCJSON)},
	{name: "cache", phase: filter.Content,
		asked: func(c *config.Route, _ *Route) bool { return c.Cache != nil }, with: filter.SetOf(filter.Cache)},

	{name: "canary", phase: filter.Forwarding,
		asked: func(c *config.Route, _ *Route) bool { return c.Canary != nil }, with: filter.SetOf(filter.Canary)},
	{name: "sticky", phase: filter.Forwarding,
		asked: func(c *config.Route, _ *Route) bool { return c.Sticky != nil }, with: filter.SetOf(filter.Sticky)},
	{name: "mirror", phase: filter.Forwarding,
		asked: func(c *config.Route, _ *Route) bool { return c.Mirror != nil }, with: filter.SetOf(filter.Mirror)},
	{name: "fault", phase: filter.Forwarding,
		asked: func(c *config.Route, _ *Route) bool { return c.Fault != nil }, with: filter.SetOf(filter.Fault)},
	{name: "retry", phase: filter.Forwarding,
		asked: func(c *config.Route, _ *Route) bool { return c.Retry.Attempts > 1 }},
	{name: "hedge", phase: filter.Forwarding,
		asked: func(c *config.Route, _ *Route) bool { return c.Hedge != nil }},
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
			r.Along = append(r.Along, Listed{Name: k.name, Phase: k.phase, With: k.with})
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
