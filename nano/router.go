package nano

import "bytes"

// router finds the route of a request. PLACEHOLDER for the first slice: a list.
type router struct{ routes []*Route }

func (t *router) add(r *Route) { t.routes = append(t.routes, r) }

func (t *router) find(x *exchange) Handler {
	for _, r := range t.routes {
		if (r.method == "" || string(x.req.Method.Of(x.buf)) == r.method) && bytes.Equal(x.path(), []byte(r.pattern)) {
			x.route = r
			return r.serve
		}
	}
	return x.app.config.NotFound
}
