package nano

import (
	"bytes"
	"cmp"
	"sync"
)

// router finds the route of a request.
type router struct {
	app        *App
	routes     []*Route
	names      map[string]*Route // those that were given a name
	paths      hosts
	lost       hosts    // the not-found handlers of groups, each a rest below its prefix
	lostRoutes []*Route // all of lost
	timing     timing
	bodyLimits bool // some route has a limit of its own for bodies

	once     sync.Once
	unrouted Handler // answers what no route does, inside the app's middleware
}

// add puts a compiled route in its place. It panics if another one is there.
func (t *router) add(r *Route, p *pattern) {
	leaves := p.leaves(t.paths.tree(p), r)
	for _, l := range leaves {
		if other := l.of(r.method); other != nil {
			panic("nano: " + r.describe() + " conflicts with " + other.describe() + ": both answer the same requests")
		}
	}
	if r.name != "" {
		if other := t.names[r.name]; other != nil {
			panic("nano: " + r.describe() + " has the name of " + other.describe() + ": " + r.name)
		}
		if t.names == nil {
			t.names = map[string]*Route{}
		}
		t.names[r.name] = r
	}
	for _, l := range leaves {
		l.add(r)
	}
	t.bodyLimits = t.bodyLimits || r.limits.Body != 0
	t.routes = append(t.routes, r)
	t.timing.added(r)
}

// leaves returns the places of a pattern in a tree: one, and one more for each
// optional parameter.
func (p *pattern) leaves(tree *node, r *Route) []*leaf {
	leaves := []*leaf{tree.insert(p.parts, p.tail, r)}
	for _, parts := range p.shorter {
		leaves = append(leaves, tree.insert(parts, false, r))
	}
	return leaves
}

// find sets the route of x and returns what answers it.
func (t *router) find(x *exchange) Handler {
	l := lookup{path: x.path(), base: x.req.Path.Start, verb: x.req.Method.Of(x.buf), values: &x.match.values}
	l.method = methodOf(l.verb)
	if bytes.IndexByte(l.path, '%') >= 0 && !x.canonicalPath(&l) {
		return t.lostBy(x, badPath)
	}
	r := t.paths.find(x, &l)
	if r == nil || l.viaTail && l.slash || l.n > 0 && l.uncleanValues(r) {
		if r = t.findOther(x, &l, r); r == nil {
			return t.lostBy(x, x.match.outcome)
		}
	}
	x.route, x.match.n = r, l.n
	return t.timing.chain(r)
}

// canonicalPath makes the path that is looked up from one with escapes.
func (x *exchange) canonicalPath(l *lookup) (ok bool) {
	x.match.scratch, ok = appendCanonical(x.match.scratch[:0], l.path)
	x.match.scratched, l.path, l.base = true, x.match.scratch, 0
	return ok
}

// uncleanValues reports whether the path has segments in what r's parameters
// matched that a clean path hasn't. Its static parts are clean.
func (l *lookup) uncleanValues(r *Route) bool {
	from := 0
	if r.hostParam {
		from = 1
	}
	for i := from; i < l.n; i++ {
		v := l.values[i]
		if v.Empty() {
			continue
		}
		value := l.path[v.Start-l.base : v.End-l.base]
		if r.tail && i == l.n-1 {
			return unclean(value)
		}
		if isDots(value) {
			return true
		}
	}
	return false
}

// findOther decides about a path that no route matches as it is, or only the
// rest of one that is less specific than the same path with a slash. It returns
// a route to serve all the same, or nil and sets the outcome.
func (t *router) findOther(x *exchange, l *lookup, found *Route) *Route {
	policy := t.app.config.TrailingSlash
	x.match.outcome = notFound
	switch {
	case l.path[0] != '/':
		x.match.outcome = badPath
		if string(l.path) == "*" && string(l.verb) == "OPTIONS" {
			x.match.outcome = optionsOfAll
		}
		return nil
	case unclean(l.path[1:]):
		if policy != SlashStrict {
			x.match.outcome = uncleanPath
		}
		return nil
	case policy == SlashStrict:
		if found == nil {
			x.match.outcome = t.outcomeByMethod(x, l)
		}
		return found
	}
	how := slashAdded
	if !l.slash {
		if found != nil {
			return found
		}
		if x.match.outcome = t.outcomeByMethod(x, l); x.match.outcome != notFound {
			return nil
		}
		how = slashCut
	}
	r := t.findSlashed(x, l, how)
	if r == nil || policy == SlashMerge {
		return cmp.Or(r, found)
	}
	x.match.outcome = how
	return nil
}

// findSlashed looks for the path with a slash more or less at its end.
func (t *router) findSlashed(x *exchange, l *lookup, how outcome) *Route {
	path := append([]byte(nil), l.path...)
	switch {
	case how == slashAdded:
		path = append(path, '/')
	case len(path) > 1 && path[len(path)-1] == '/':
		path = path[:len(path)-1]
	default:
		return nil
	}
	other := lookup{path: path, verb: l.verb, method: l.method, values: l.values, strict: true}
	r := t.paths.find(x, &other)
	if r == nil || how == slashCut && other.viaTail || other.uncleanValues(r) {
		return nil
	}
	if t.app.config.TrailingSlash == SlashMerge {
		x.match.scratch, x.match.scratched = append(x.match.scratch[:0], path...), true
		l.n = other.n
	}
	return r
}

// outcomeByMethod tells apart what doesn't exist and what doesn't answer the
// method.
func (t *router) outcomeByMethod(x *exchange, l *lookup) outcome {
	if len(t.allowed(x, l.path)) == 0 {
		return notFound
	}
	if string(l.verb) == "OPTIONS" {
		return optionsOfPath
	}
	return wrongMethod
}

// allowed returns the leaves that match a path whatever the method.
func (t *router) allowed(x *exchange, path []byte) []*leaf {
	var found []*leaf
	l := lookup{path: path, values: &x.match.values, allow: &found, strict: t.app.config.TrailingSlash == SlashStrict}
	t.paths.find(x, &l)
	return found
}
