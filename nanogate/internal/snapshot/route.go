package snapshot

import (
	"cmp"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"dyno.example/nanogate/internal/canary"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/guard"
	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/mirror"
	"dyno.example/nanogate/internal/observe"
	"dyno.example/nanogate/internal/oidc"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/schema"
	"dyno.example/nanogate/internal/stats"
	"dyno.example/nanogate/internal/upstream"
)

// Route is a route as it is carried out.
type Route struct {
	Name   string
	Config *config.Route
	Broken *request.Reply // to everything, if the route couldn't be built; else nil

	Observers []observe.Observer
	Chain     Chain
	Along     []Listed   // filters that go along with requests which the chain has let pass
	With      filter.Set // those of them, and others, that have a hand in exchanges

	Rules      *guard.Rules       // nil: it has none
	Middleware []*middleware.Host // in the chain, in their order
	Responders []*middleware.Host // of these middleware that looks at responses, in the order of requests

	Reply    *request.Reply // fixed; nil if there is none
	Redirect *Template      // nil if it is none
	Targets  []Target       // else
	Rewrite  *Template      // of the path; nil: as it is
	Request  Edit
	Response Edit
	Identity Identity
	Sticky   *Sticky        // nil: clients don't stay with an endpoint
	Canary   *canary.Canary // nil: none of its requests go elsewhere
	CanaryTo *upstream.Upstream
	Mirror   *mirror.Mirror // nil: nobody else is sent its requests
	Shadow   *Route         // as which mirrored requests are sent; nil without a mirror
	Schema   *schema.Source // of the services that its requests are made calls of; nil: they aren't
	Cache    *Caching       // nil: nothing is stored

	Counters *stats.Counters
	Timings  []*stats.Timing // of the filters in the chain
	Retries  []Allowance     // by loop
	Hedges   []Allowance     // by loop

	text     string
	topLevel topLevel
	uses     uses
	log      *slog.Logger  // of what goes wrong later
	logins   *oidc.Clients // that routes share

	sessionCookies []oidc.Cookies // of all logins, which upstreams aren't sent
	total          int            // of the targets' weights
}

// Target is where a share of requests goes.
type Target struct {
	Upstream *upstream.Upstream
	upto     int // of the weights, this one's included
}

// Edit is what is changed of a message's fields: those by names in Drop, in lower case,
// are removed, and Lines, each with its CRLF, are added.
type Edit struct {
	Drop  []string
	Lines []byte
}

// route makes a route, or takes over the one before.
func (m *making) route(c *config.Route, before *Route) *Route {
	if before != nil && before.Broken == nil && before.text == c.Text && before.topLevel == topLevelOf(m.s.Config, c) && m.sameTargets(c, before) {
		return before
	}
	r := &Route{Name: c.Name, Config: c, text: c.Text, topLevel: topLevelOf(m.s.Config, c), uses: usesOf(m.s.Config, c, m.s.offers), log: cmp.Or(m.b.Log, slog.Default()), logins: &m.b.logins, sessionCookies: m.sessionCookies}
	for i := range c.To {
		u, err := m.target(&c.To[i])
		if err != nil {
			return m.broken(r, c.To[i].At.Problem("", "%v", err), before)
		}
		r.total += c.To[i].Weight
		r.Targets = append(r.Targets, Target{u, r.total})
	}
	r.count(m, before)
	r.Observers = m.b.Telemetry.observers(r.topLevel, c, r.Counters)
	r.Retries, r.Hedges = make([]Allowance, m.loops()), make([]Allowance, m.loops())
	if problem := r.build(c); problem != nil {
		return m.broken(r, *problem, before)
	}
	if problem := m.canary(r, before); problem != nil {
		return m.broken(r, *problem, before)
	}
	m.mirror(r, before)
	r.Chain.start()
	r.timed(before)
	r.caches(m, before)
	r.sticks(m)
	return r
}

// direct reports whether it sends to an upstream without a name, or lacks a mirror that
// couldn't be made.
func (r *Route) direct() bool {
	return slices.ContainsFunc(r.Config.To, func(t config.Target) bool { return t.Direct != nil }) ||
		r.Config.Canary != nil && r.Config.Canary.To.Direct != nil ||
		r.Config.Mirror != nil && (r.Mirror == nil || r.Config.Mirror.To.Direct != nil)
}

// build makes what the route has of its own. Guards that can't be made make the route
// one that is broken.
func (r *Route) build(c *config.Route) *config.Problem {
	params := c.Match.Path.Params()
	r.Rewrite = templateOf(c.Rewrite, params)
	r.Identity = identityOf(c.Strip)
	r.Request, r.Response = editOf(&c.Request), editOf(&c.Response)
	if c.CORS != nil {
		r.Response.Drop = append(r.Response.Drop, guard.FieldsOfCORS...)
	}
	switch {
	case c.Redirect != nil:
		r.Redirect = templateOf(c.Redirect.To, params)
	case c.Respond != nil:
		fields := request.AppendField(nil, "Content-Type", c.Respond.Type)
		r.Reply = &request.Reply{Status: c.Respond.Status, Fields: fields, Body: []byte(c.Respond.Body)}
	}
	var err error
	if r.Sticky, err = sticky(c.Sticky); err == nil {
		err = r.filters(c)
	}
	if err != nil {
		problem := config.Problem{}
		if !errors.As(err, &problem) {
			problem = c.At.Problem("", "%v", err)
		}
		return &problem
	}
	return nil
}

// broken makes a route one that serves nothing.
func (m *making) broken(r *Route, problem config.Problem, before *Route) *Route {
	m.s.Problems = append(m.s.Problems, problem)
	r.close()
	r.Targets, r.Chain, r.Rules, r.Middleware, r.Responders, r.Mirror, r.With = nil, nil, nil, nil, nil, nil, 0
	r.Broken = request.Refuse(503, "this route is not available", "Retry-After: 30\r\n").For(request.RefusedBroken)
	r.count(m, before)
	r.Observers = m.b.Telemetry.observers(r.topLevel, r.Config, r.Counters)
	return r
}

// count takes over the counters of the route before: a route that was changed goes on
// being the same series.
func (r *Route) count(m *making, before *Route) {
	if before != nil {
		r.Counters = before.Counters
	} else if r.Counters == nil {
		r.Counters = stats.New(m.loops())
	}
	r.Counters.Aim(r.Config.Objective)
}

// loops is how many loops serve.
func (m *making) loops() int { return max(1, m.b.registry.Loops) }

// close ends what the route has of its own.
func (r *Route) close() {
	r.Chain.close()
	if r.Schema != nil {
		r.Schema.Close()
	}
	for _, o := range r.Observers {
		if c, ok := o.(observe.Closer); ok {
			c.Close()
		}
	}
	if r.Mirror != nil {
		r.Mirror.Close()
	}
}

// Target draws an upstream by weight.
func (r *Route) Target(l *upstream.Local) *upstream.Upstream {
	if len(r.Targets) == 1 {
		return r.Targets[0].Upstream
	}
	at := int((l.Random() >> 32) % uint64(r.total))
	for i := range r.Targets {
		if at < r.Targets[i].upto {
			return r.Targets[i].Upstream
		}
	}
	return r.Targets[0].Upstream
}

// sameTargets reports whether what the route sends to are the same objects as before.
func (m *making) sameTargets(c *config.Route, before *Route) bool {
	for i := range c.To {
		if u, err := m.target(&c.To[i]); err != nil || u != before.Targets[i].Upstream {
			return false
		}
	}
	if c.Canary != nil {
		if u, err := m.target(&c.Canary.To); err != nil || before.Canary == nil || u != before.CanaryTo {
			return false
		}
	}
	if c.Mirror == nil {
		return true
	}
	u, err := m.target(&c.Mirror.To)
	return err == nil && before.Mirror != nil && u == before.Mirror.Upstream
}

func editOf(h *config.Headers) (e Edit) {
	e.Drop = append(e.Drop, h.Remove...)
	for _, f := range h.Set {
		e.Drop = append(e.Drop, strings.ToLower(f.Name))
		e.Lines = request.AppendField(e.Lines, f.Name, f.Value)
	}
	for _, f := range h.Add {
		e.Lines = request.AppendField(e.Lines, f.Name, f.Value)
	}
	return e
}
