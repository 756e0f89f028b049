package nano

import (
	"cmp"
	"errors"
	"strings"

	"dyno.example/nano/internal/router"
)

// Group registers routes under a prefix, with middleware and options around
// them.
//
// Patterns are those of net/http's ServeMux, and match what they match there,
// with these differences:
//   - A path is matched as it was sent: "%2F" is a letter of its segment, not a
//     slash, and [Ctx.Param] decodes. The response to a wrong escape is 400.
//   - Patterns that overlap without one being more specific are taken; of two
//     that match, the one with the first static segment wins. Only patterns that
//     match the same requests conflict.
//   - A path with //, . or .. segments, in escapes too, is redirected to the
//     clean path, and one with a slash too many or too few to the one there is,
//     as [Config.TrailingSlash] says.
//   - Paths without a route for OPTIONS respond to it with their methods.
//   - A parameter may have a constraint, {id:int} or {year:[0-9]{4}}: the route
//     matches only values that fit. There are bool, uuid, date (2006-01-02), uint,
//     int, float, hex, alpha and alnum (ASCII), the former first where several fit,
//     and regular expressions of [regexp], which must match the whole value. Those
//     that can match the same as another constraint in the same place conflict.
//   - A segment may hold text as well as parameters: v{version}, {name}.json,
//     {from:int}-{to:int}. Each takes as little as it can, but something. Of two such
//     segments the one with more text at its start goes first, then with more at
//     its end, then with more in all; then the first constraint decides.
//   - {name?}, or {name?:int}, at the end is optional: /users/{id?} is /users and
//     /users/{id}.
//   - What is a parameter in other routers, /:id, /*path, /<id>, and "?" and "#",
//     which no path holds unescaped, is refused.
//   - A host may begin with a parameter: {tenant}.example.com. Hosts match
//     without regard to case and port. A host's own routes go before those of
//     {tenant}, and these before those of all hosts.
type Group struct {
	app     *App
	parent  *Group
	host    string
	prefix  string
	layers  []layer
	options []Option
	used    *Route // the first route registered on it or below
}

// root is the name App embeds its group under: as Group it would hide the method.
type root = Group

// Use adds middleware around all routes of the group and of the groups made of it. It
// panics once a route has been registered there: the route would be without it, which
// is how authentication gets lost. [Group.With] is for routes that differ. The app's
// middleware also runs for requests that match no route.
func (g *Group) Use(mw ...Middleware) { g.use(layersOf(mw)) }

// UseNamed is Use for one middleware, with the name that [App.Timings] and
// [Route.Middleware] have for it. Without one it is that of the function that made
// it.
func (g *Group) UseNamed(name string, mw Middleware) { g.use([]layer{{name: name, wrap: mw}}) }

func (g *Group) use(layers []layer) {
	if g.used != nil {
		panic("nano: Use at " + caller() + " comes too late for " + g.used.describe())
	}
	g.app.registering("Use at "+caller(), func() { g.layers = append(g.layers, layers...) })
}

// Default sets options for all routes of the group and of the groups made of it,
// and returns the group. A route's own options come after them. It panics once a
// route has been registered.
func (g *Group) Default(options ...Option) *Group {
	if g.used != nil {
		panic("nano: Default at " + caller() + " comes too late for " + g.used.describe())
	}
	g.app.registering("Default at "+caller(), func() { g.options = append(g.options, options...) })
	return g
}

// Group returns a group below g. A slash at the end of the prefix is left out:
// below "/api", the pattern "" is /api itself, "/{$}" is /api/, and "/" is all
// below it. The prefix may hold parameters.
func (g *Group) Group(prefix string, mw ...Middleware) *Group {
	prefix = strings.TrimSuffix(prefix, "/")
	if prefix != "" && prefix[0] != '/' {
		panic("nano: the prefix " + prefix + " of the group made at " + caller() + " must begin with a slash; see Host for hosts")
	}
	return &Group{app: g.app, parent: g, host: g.host, prefix: g.prefix + prefix, layers: layersOf(mw)}
}

// Route makes a group below g and has it filled.
func (g *Group) Route(prefix string, fill func(*Group)) *Group {
	below := g.Group(prefix)
	fill(below)
	return below
}

// With returns a group at the same prefix with more middleware.
func (g *Group) With(mw ...Middleware) *Group { return g.Group("", mw...) }

// Host returns a group for requests to one host (without a port), or, as
// {name}.example.com, to all those with one label before it.
func (g *Group) Host(host string) *Group {
	if g.host != "" && g.host != host {
		panic("nano: Host(" + host + ") at " + caller() + " is below the group of another host, " + g.host)
	}
	below := g.Group("")
	below.host = host
	return below
}

// around returns the middleware of g and its parents, outermost first.
func (g *Group) around() []layer {
	if g.parent == nil {
		return append([]layer(nil), g.layers...)
	}
	return append(g.parent.around(), g.layers...)
}

// apply has the groups' options said of a route, the outermost first.
func (g *Group) apply(r *Route) {
	if g.parent != nil {
		g.parent.apply(r)
	}
	for _, o := range g.options {
		o.apply(r)
	}
}

// mark notes the first route of g and of the groups it is in.
func (g *Group) mark(r *Route) {
	for ; g != nil; g = g.parent {
		if g.used == nil {
			g.used = r
		}
	}
}

// Get, and the methods named after the other verbs, register a handler for a pattern:
// /users/{id}, /files/{path...}, /exact/{$}, /subtree/, each with a host in front if
// need be. A GET route serves HEAD too.
//
// /items/{id:int}, /v{version}/x and /list/{page?} are there too: see [Group].
//
// Of the patterns that match, the most specific wins: static before parameters with
// text or constraints before other parameters before rest, from left to right. A pattern that is wrong, or that matches the
// same requests as another, panics with the places of both.
func (g *Group) Get(pattern string, h Handler, o ...Option) *Route {
	return g.Method("GET", pattern, h, o...)
}

// Head registers a handler for HEAD.
func (g *Group) Head(pattern string, h Handler, o ...Option) *Route {
	return g.Method("HEAD", pattern, h, o...)
}

// Post registers a handler for POST.
func (g *Group) Post(pattern string, h Handler, o ...Option) *Route {
	return g.Method("POST", pattern, h, o...)
}

// Put registers a handler for PUT.
func (g *Group) Put(pattern string, h Handler, o ...Option) *Route {
	return g.Method("PUT", pattern, h, o...)
}

// Patch registers a handler for PATCH.
func (g *Group) Patch(pattern string, h Handler, o ...Option) *Route {
	return g.Method("PATCH", pattern, h, o...)
}

// Delete registers a handler for DELETE.
func (g *Group) Delete(pattern string, h Handler, o ...Option) *Route {
	return g.Method("DELETE", pattern, h, o...)
}

// Options registers a handler for OPTIONS. Paths without one respond with the
// methods they have.
func (g *Group) Options(pattern string, h Handler, o ...Option) *Route {
	return g.Method("OPTIONS", pattern, h, o...)
}

// Any registers a handler for every method. A route of the same pattern for one
// method goes before it.
func (g *Group) Any(pattern string, h Handler, o ...Option) *Route {
	return g.Method("", pattern, h, o...)
}

// Handle registers a handler for a whole pattern of ServeMux: "[METHOD ][HOST]/path".
func (g *Group) Handle(pattern string, h Handler, o ...Option) *Route {
	method, rest := router.CutMethod(pattern)
	return g.Method(method, rest, h, o...)
}

// Method registers a handler for a method; "" is every method.
func (g *Group) Method(method, pattern string, h Handler, options ...Option) *Route {
	host, path := router.CutHost(pattern)
	r := &Route{method: method, host: host, pattern: g.prefix + path, handler: h, where: caller()}
	g.takeHost(r)
	g.apply(r)
	r.layers = append(g.around(), r.layers...)
	for _, o := range options {
		o.apply(r)
	}
	g.register(r)
	return r
}

// takeHost gives a route the group's host, if the group has one.
func (g *Group) takeHost(r *Route) {
	if g.host != "" && r.host != "" && g.host != r.host {
		panic("nano: " + r.describe() + " is in the group of another host, " + g.host)
	}
	r.host = cmp.Or(r.host, g.host)
}

// register compiles a route that is complete and gives it to the router.
func (g *Group) register(r *Route) {
	if r.handler == nil {
		panic("nano: " + r.describe() + " has no handler")
	}
	r.parse()
	for _, t := range r.binds {
		if err := g.app.checkBinding(t); err != nil {
			panic("nano: " + r.describe() + ": " + strings.TrimPrefix(err.Error(), "nano: "))
		}
	}
	r.compile()
	g.app.registering(r.describe(), func() {
		g.app.routes.add(r)
		g.mark(r)
	})
}

// Mount gives a handler all requests at prefix and below it, whatever their method.
// [Ctx.Rest] returns the path below the prefix.
func (g *Group) Mount(prefix string, h Handler, options ...Option) {
	below := g.Group(prefix)
	if below.prefix != "" {
		below.Any("", h, options...)
	}
	below.Any("/", h, options...)
}

// MountApp adds the routes of another app below prefix, inside the middleware of
// the group. They keep their own middleware, and the app its responses to errors
// and to paths without a route if its [Config] has any; for all else they are
// routes of the app they are mounted on. Routes that the other app is given
// later are not seen.
func (g *Group) MountApp(prefix string, sub *App) {
	if sub == g.app {
		panic("nano: an app can't be mounted on itself, at " + caller())
	}
	below := g.Group(prefix)
	if sub.ownErrors {
		below.layers = append(below.layers, layer{name: "errors", wrap: handleErrors(sub.config.ErrorHandler)})
	}
	for _, r := range sub.routes.all {
		below.adopt(r)
	}
	whole := false // one of them is for all of the app
	for _, of := range sub.routes.lostRoutes {
		below.notFound(&Route{host: of.host, pattern: below.prefix + of.pattern, handler: of.handler, layers: of.layers, where: of.where})
		whole = whole || of.pattern == "/" && of.host == ""
	}
	if sub.ownNotFound && !whole {
		below.notFound(&Route{pattern: below.prefix + "/", handler: sub.config.NotFound, layers: sub.layers, where: caller()})
	}
}

// adopt registers a route of another app below g.
func (g *Group) adopt(of *Route) {
	r := &Route{
		method: of.method, host: of.host, pattern: g.prefix + of.pattern,
		handler: of.handler, where: of.where,
	}
	g.takeHost(r)
	g.apply(r)
	r.wholeBody = r.wholeBody || of.wholeBody
	if of.placement != Auto {
		r.placement = of.placement
	}
	WithLimits(of.limits).apply(r)
	r.name = of.name
	r.descriptions = append(r.descriptions, of.descriptions...)
	r.binds = append(r.binds, of.binds...)
	r.layers = append(append(g.around(), r.layers...), of.layers...)
	g.register(r)
}

// handleErrors handles the errors of an app that is mounted.
func handleErrors(handle ErrorHandler) Middleware {
	return func(next Handler) Handler {
		return func(c Ctx) error {
			err := next(c)
			if err == nil || c.Responded() {
				return err
			}
			return handle(c, err)
		}
	}
}

// NotFound responds to paths below the group's prefix that no route matches, inside the
// group's middleware. The innermost group's handler is used; without one,
// [Config.NotFound].
func (g *Group) NotFound(h Handler) {
	g.notFound(&Route{pattern: g.prefix + "/", handler: h, where: caller()})
}

// notFound takes a not-found handler with the layers it has inside the group's.
func (g *Group) notFound(r *Route) {
	g.takeHost(r)
	r.parse()
	r.layers = append(g.around(), r.layers...)
	r.compile()
	g.app.registering("NotFound at "+r.where, func() {
		t := &g.app.routes
		if err := t.lost.Add(r.parsed, r.method, r); err != nil {
			var conflict *router.Conflict[Route]
			if !errors.As(err, &conflict) {
				panic("nano: NotFound at " + r.where + ": " + err.Error())
			}
			panic("nano: NotFound at " + r.where + ": " + conflict.With.pattern + " has one, of " + conflict.With.where)
		}
		t.lostRoutes = append(t.lostRoutes, r)
		g.mark(r)
	})
}
