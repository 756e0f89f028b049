package nano

import (
	"path"
	"slices"
	"strings"
)

// outcome is why no route answers a request.
type outcome uint8

const (
	notFound outcome = iota
	wrongMethod
	optionsOfPath
	optionsOfAll // OPTIONS *
	badPath      // with a wrong escape, or not a path
	uncleanPath  // with //, . or .. segments
	slashAdded   // found with a slash more
	slashCut     // found with a slash less
)

// lostBy returns what answers a request without a route.
func (t *router) lostBy(x *exchange, o outcome) Handler {
	x.route, x.match.n, x.match.outcome = nil, 0, o
	if o == notFound {
		l := lookup{path: x.path(), values: &x.match.values}
		if x.match.scratched {
			l.path = x.match.scratch
		}
		if r := t.lost.find(x, &l); r != nil {
			return r.serve
		}
	}
	t.once.Do(func() { t.unrouted = wrap(t.app.around(), t.app.answerUnrouted) })
	return t.unrouted
}

// answerUnrouted answers what no route does. The app's middleware is around it,
// so that it is logged, measured and given CORS fields like any other.
func (a *App) answerUnrouted(c Ctx) error {
	x := c.live()
	switch x.match.outcome {
	case wrongMethod:
		c.SetHeader("Allow", allowLine(a.router.allowed(x, x.canonical())))
		return a.config.MethodNotAllowed(c)
	case optionsOfPath:
		c.SetHeader("Allow", allowLine(a.router.allowed(x, x.canonical())))
		return c.NoContent(204)
	case optionsOfAll:
		c.SetHeader("Allow", a.allowAnywhere())
		return c.NoContent(204)
	case badPath:
		return NewProblem(400, "the path of the request can't be read")
	case uncleanPath, slashAdded, slashCut:
		return c.redirectPath(x.match.outcome)
	}
	return a.config.NotFound(c)
}

// canonical returns the path that was looked up.
func (x *exchange) canonical() []byte {
	if x.match.scratched {
		return x.match.scratch
	}
	return x.path()
}

// redirectPath sends the client to the spelling of the path that a route has:
// 301 for GET and HEAD, 308 for methods with a body to send again (RFC 9110
// 15.4).
func (c Ctx) redirectPath(o outcome) error {
	x := c.live()
	p := string(x.canonical())
	switch o {
	case uncleanPath:
		clean := path.Clean(p)
		if strings.HasSuffix(p, "/") && clean != "/" {
			clean += "/"
		}
		p = clean
	case slashAdded:
		p += "/"
	case slashCut:
		p = strings.TrimSuffix(p, "/")
	}
	to := appendEncoded(nil, []byte(p))
	if query := c.RawQuery(); len(query) > 0 {
		to = append(append(to, '?'), query...)
	}
	c.SetHeader("Location", string(to))
	if m := methodOf(c.Method()); m == methodOf([]byte("GET")) || m == methodOf([]byte("HEAD")) {
		return c.NoContent(301)
	}
	return c.NoContent(308)
}

// allowLine returns the value of Allow for leaves (RFC 9110 10.2.1).
func allowLine(leaves []*leaf) string {
	var names []string
	for _, l := range leaves {
		for _, r := range l.routes {
			names = append(names, allowedBy(r)...)
		}
	}
	return joinMethods(names)
}

// allowAnywhere returns the value of Allow for the app as a whole.
func (a *App) allowAnywhere() string {
	var names []string
	for _, r := range a.router.routes {
		names = append(names, allowedBy(r)...)
	}
	return joinMethods(names)
}

// allowedBy returns the methods a route answers, as far as they can be listed.
func allowedBy(r *Route) []string {
	switch r.method {
	case "":
		return methodNames[:]
	case "GET":
		return []string{"GET", "HEAD"}
	}
	return []string{r.method}
}

func joinMethods(names []string) string {
	names = append(names, "OPTIONS")
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}
