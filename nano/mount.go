package nano

import (
	"errors"

	"dyno/nano/internal/router"
)

// Mount gives a handler all requests at prefix and below it, whatever their
// method. [Ctx.Rest] tells what of the path is below.
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
	if of.placement != Auto {
		r.placement = of.placement
	}
	WithLimits(of.limits).apply(r)
	r.name = of.name
	r.descriptions = append(r.descriptions, of.descriptions...)
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

// NotFound answers paths below the group's prefix that no route matches, inside
// the group's middleware. The innermost group's handler counts; without one it is
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
