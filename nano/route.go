package nano

import (
	"strings"
	"sync/atomic"
	"time"

	"dyno/nano/internal/exchange"
	"dyno/nano/internal/router"
	"dyno/nano/wire/clock"
)

// Route is one registered method and pattern. It doesn't change once the app
// serves.
type Route struct {
	method       string // "" answers every method
	host         string // "" answers every host
	pattern      string // the path as registered, with the prefixes of its groups
	name         string
	placement    Placement
	limits       RouteLimits
	descriptions []any
	where        string

	parsed *router.Pattern

	layers  []layer // outermost first
	handler Handler // as registered
	serve   Handler // with all middleware around it
	times   atomic.Pointer[routeTimes]
	history exchange.History
}

// layer is one middleware of a route.
type layer struct {
	name     string
	wrap     Middleware
	wrapTime time.Duration // what the call took that made its handler
}

// Method returns the route's method; "" stands for all.
func (r *Route) Method() string { return r.method }

// Host returns the host the route is for; "" stands for all.
func (r *Route) Host() string { return r.host }

// Pattern returns the path's pattern as registered, with the prefixes of its
// groups.
func (r *Route) Pattern() string { return r.pattern }

// Templates returns the pattern with nothing but names in its braces, as OpenAPI
// and URI templates have them: /users/{id} for /users/{id:int}. A pattern with
// optional parameters has one template for each number of them, the longest first.
func (r *Route) Templates() []string { return r.parsed.Templates() }

// Name returns the route's name, or "METHOD host/pattern" if it was given none.
func (r *Route) Name() string {
	if r.name != "" {
		return r.name
	}
	return r.String()
}

// String returns "METHOD host/pattern".
func (r *Route) String() string {
	if r.method == "" {
		return r.host + r.pattern
	}
	return r.method + " " + r.host + r.pattern
}

// Params returns the names of the parameters, in the order of the pattern.
func (r *Route) Params() []string { return append([]string(nil), r.parsed.Params...) }

// Placement returns where the handler runs.
func (r *Route) Placement() Placement { return r.placement }

// Where returns the file and line that registered the route.
func (r *Route) Where() string { return r.where }

// Descriptions returns what [Describe] said of the route, that of its groups
// first.
func (r *Route) Descriptions() []any { return append([]any(nil), r.descriptions...) }

// Middleware returns the names of the middleware around the handler, outermost
// first.
func (r *Route) Middleware() []string {
	names := make([]string, len(r.layers))
	for i, l := range r.layers {
		names[i] = l.name
	}
	return names
}

// describe names the route for messages about its registration.
func (r *Route) describe() string {
	return "route " + r.String() + " (registered at " + r.where + ")"
}

// parse reads the pattern.
func (r *Route) parse() {
	p, err := router.Parse(r.method, r.host, r.pattern)
	if err != nil {
		panic("nano: pattern " + strings.TrimSpace(r.String()) + " (registered at " + r.where + "): " + err.Error())
	}
	r.parsed = p
}

// compile wraps the handler in its middleware once, so that a request runs
// through plain function calls.
func (r *Route) compile() {
	r.serve = r.handler
	for i := len(r.layers) - 1; i >= 0; i-- {
		l := &r.layers[i]
		from := clock.Now()
		r.serve = l.wrap(r.serve)
		l.wrapTime = time.Duration(clock.Now() - from)
	}
}

// wrap puts layers around a handler.
func wrap(layers []layer, h Handler) Handler {
	for i := len(layers) - 1; i >= 0; i-- {
		h = layers[i].wrap(h)
	}
	return h
}
