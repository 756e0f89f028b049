package nano

// Route is one registered method and pattern. It doesn't change once the app
// serves.
type Route struct {
	method     string // "" answers every method
	host       string // "" answers every host
	pattern    string // as registered, with the prefixes of its groups
	name       string
	placement  Placement
	middleware []Middleware
	handler    Handler // as registered
	serve      Handler // with all middleware around it
	params     []string
}

// Method returns the route's method; "" stands for all.
func (r *Route) Method() string { return r.method }

// Pattern returns the pattern as registered, with the prefixes of its groups.
func (r *Route) Pattern() string { return r.pattern }

// Name returns the route's name, or "METHOD pattern" if it was given none.
func (r *Route) Name() string {
	if r.name != "" {
		return r.name
	}
	if r.method == "" {
		return r.host + r.pattern
	}
	return r.method + " " + r.host + r.pattern
}

// compile wraps the handler in its middleware, the first given outermost.
func (r *Route) compile(outer []Middleware) {
	r.serve = r.handler
	for i := len(r.middleware) - 1; i >= 0; i-- {
		r.serve = r.middleware[i](r.serve)
	}
	for i := len(outer) - 1; i >= 0; i-- {
		r.serve = outer[i](r.serve)
	}
}
