package nano

// Group registers routes under a prefix, with middleware around them.
type Group struct {
	app        *App
	parent     *Group
	host       string
	prefix     string
	middleware []Middleware
	options    []Option
}

// Use adds middleware around the routes that are registered on the group, and on
// groups made of it, from now on.
func (g *Group) Use(mw ...Middleware) { g.middleware = append(g.middleware, mw...) }

// Group returns a group below g.
func (g *Group) Group(prefix string, mw ...Middleware) *Group {
	return &Group{app: g.app, parent: g, host: g.host, prefix: g.prefix + prefix, middleware: mw}
}

// around returns the middleware of g and its parents, outermost first.
func (g *Group) around() []Middleware {
	if g.parent == nil {
		return append([]Middleware(nil), g.middleware...)
	}
	return append(g.parent.around(), g.middleware...)
}

// Get, and the methods named after the other verbs, register a handler. Patterns
// are those of net/http's ServeMux: /users/{id}, /files/{path...}, /exact/{$}. A
// GET route answers HEAD too. A pattern that conflicts with another panics.
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

// Options registers a handler for OPTIONS.
func (g *Group) Options(pattern string, h Handler, o ...Option) *Route {
	return g.Method("OPTIONS", pattern, h, o...)
}

// Any registers a handler for every method.
func (g *Group) Any(pattern string, h Handler, o ...Option) *Route {
	return g.Method("", pattern, h, o...)
}

// Method registers a handler for a method; "" is every method.
func (g *Group) Method(method, pattern string, h Handler, options ...Option) *Route {
	r := &Route{method: method, host: g.host, pattern: g.prefix + pattern, handler: h}
	for _, o := range g.options {
		o.apply(r)
	}
	for _, o := range options {
		o.apply(r)
	}
	r.compile(g.around())
	g.app.router.add(r)
	return r
}
