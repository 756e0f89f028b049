package nano

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"dyno.example/nano/internal/router"
	"dyno.example/nano/wire/http1"
)

// routes are an app's routes, found by requests.
type routes struct {
	app        *App
	all        []*Route
	names      map[string]*Route // those that were given a name
	router     router.Router[Route]
	lost       router.Table[Route] // the not-found handlers of groups, each a rest below its prefix
	lostRoutes []*Route            // all of lost
	timing     timing
	bodyLimits bool // some route has a limit of its own for bodies

	once     sync.Once
	unrouted Handler // serves what no route does, inside the app's middleware
}

// add puts a compiled route in its place. It panics if another one is there.
func (t *routes) add(r *Route) {
	if r.name != "" {
		if other := t.names[r.name]; other != nil {
			panic("nano: " + r.describe() + " has the name of " + other.describe() + ": " + r.name)
		}
	}
	if err := t.router.Add(r.parsed, r.method, r); err != nil {
		var conflict *router.Conflict[Route]
		if errors.As(err, &conflict) {
			panic("nano: " + r.describe() + " conflicts with " + conflict.With.describe() + ": " + conflict.Reason)
		}
		panic("nano: " + r.describe() + ": " + err.Error())
	}
	if r.name != "" {
		if t.names == nil {
			t.names = map[string]*Route{}
		}
		t.names[r.name] = r
	}
	t.bodyLimits = t.bodyLimits || r.limits.Body != 0
	t.all = append(t.all, r)
	t.timing.added(r)
}

// find sets the route of x and returns what serves it.
func (t *routes) find(x *liveRequest) Handler {
	r := t.router.Find(&x.Req, x.Buf, &x.match)
	if x.route = r; r == nil {
		return t.lostBy(x)
	}
	return t.timing.chain(r)
}

// lostBy returns what serves a request without a route.
func (t *routes) lostBy(x *liveRequest) Handler {
	if x.match.Outcome == router.NotFound {
		if r := t.lost.FindBelow(&x.Req, x.Buf, &x.match); r != nil {
			return r.serve
		}
	}
	t.once.Do(func() { t.unrouted = wrap(t.app.around(), t.app.serveUnrouted) })
	return t.unrouted
}

// param returns the value of a named parameter.
func (x *liveRequest) param(name string) []byte {
	if x.route == nil {
		return nil
	}
	for i, p := range x.route.parsed.Params {
		if p == name {
			return x.value(i)
		}
	}
	return nil
}

// value returns what the i-th parameter matched, decoded.
func (x *liveRequest) value(i int) []byte {
	v, inScratch := x.match.Value(i, x.Buf)
	if inScratch {
		return x.handOut(v)
	}
	return v
}

// Rest returns what the end of a subtree pattern (/static/ or /{name...})
// matched, percent-decoded and without a slash in front; nil if the pattern
// isn't one.
func (c Ctx) Rest() View {
	x := c.live()
	if x.route == nil || !x.route.parsed.Tail {
		return nil
	}
	return View(x.value(x.match.N - 1))
}

// Routes returns all routes, those of mounted apps too, in the order of
// registration.
func (a *App) Routes() []*Route { return append([]*Route(nil), a.routes.all...) }

// WriteRoutes writes the routes as a table.
func (a *App) WriteRoutes(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range a.routes.all {
		method := r.method
		if method == "" {
			method = "any"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", method, r.host+r.pattern, r.name, strings.Join(r.Middleware(), " "))
	}
	return t.Flush()
}

// URL returns the URL of the route with the name: its path, after "//" and the
// host if it has one. The values are pairs of a parameter's name and its value,
// unescaped; the value of {name...} may hold slashes. An optional parameter without
// a value ends the path before it. A subtree pattern gives the URL of its root.
func (a *App) URL(name string, values ...string) (string, error) {
	r := a.routes.names[name]
	if r == nil {
		return "", fmt.Errorf("nano: no route has the name %q", name)
	}
	if len(values)%2 != 0 {
		return "", fmt.Errorf("nano: URL of %s: the last parameter, %q, has no value", name, values[len(values)-1])
	}
	given := map[string]string{}
	for i := 0; i < len(values); i += 2 {
		given[values[i]] = values[i+1]
	}
	to, err := r.parsed.URL(given)
	if err == nil {
		for unknown := range given {
			err = fmt.Errorf("the pattern has no {%s}", unknown)
		}
	}
	if err != nil {
		return "", fmt.Errorf("nano: URL of %s, %s: %w", name, r.pattern, err)
	}
	return to, nil
}

// App returns the app that serves the request.
func (c Ctx) App() *App { return c.live().app }

// serveUnrouted responds to what no route does. The app's middleware is around it,
// so that it is logged, measured and given CORS fields like any other.
func (a *App) serveUnrouted(c Ctx) error {
	x := c.live()
	switch x.match.Outcome {
	case router.WrongMethod:
		c.SetHeader("Allow", router.AllowLine(a.routes.router.Allowed(&x.Req, x.Buf, &x.match)))
		return a.config.MethodNotAllowed(c)
	case router.OptionsOfPath:
		c.SetHeader("Allow", router.AllowLine(a.routes.router.Allowed(&x.Req, x.Buf, &x.match)))
		return c.NoContent(204)
	case router.OptionsOfAll:
		c.SetHeader("Allow", a.allowAnywhere())
		return c.NoContent(204)
	case router.BadPath:
		return NewProblem(400, "the path of the request can't be read")
	case router.UncleanPath, router.SlashAdded, router.SlashCut:
		return c.redirectPath(x.match.Outcome)
	}
	return a.config.NotFound(c)
}

// redirectPath sends the client to the spelling of the path that a route has:
// 301 for GET and HEAD, 308 for methods with a body to send again (RFC 9110
// 15.4).
func (c Ctx) redirectPath(o router.Outcome) error {
	x := c.live()
	p := string(x.match.Canonical(&x.Req, x.Buf))
	switch o {
	case router.UncleanPath:
		clean := path.Clean(p)
		if strings.HasSuffix(p, "/") && clean != "/" {
			clean += "/"
		}
		p = clean
	case router.SlashAdded:
		p += "/"
	case router.SlashCut:
		p = strings.TrimSuffix(p, "/")
	}
	to := router.AppendEncoded(nil, []byte(p))
	if query := c.RawQuery(); len(query) > 0 {
		to = append(append(to, '?'), query...)
	}
	c.SetHeader("Location", string(to))
	if m := string(c.Method()); m == "GET" || m == "HEAD" {
		return c.NoContent(301)
	}
	return c.NoContent(308)
}

// allowAnywhere returns the value of Allow for "OPTIONS *".
func (a *App) allowAnywhere() string {
	var served []string
	for _, r := range a.routes.all {
		served = append(served, r.method)
	}
	return router.AllowLine(served)
}

// Target is a request's method and target, before it is routed: see [Config].Rewrite.
// It is valid in that function only.
type Target struct{ x *liveRequest }

// Method returns the request's method.
func (t *Target) Method() View { return View(t.x.Req.Method.Of(t.x.Buf)) }

// Path returns the path, still percent-encoded.
func (t *Target) Path() View { return View(t.x.path()) }

// RawQuery returns what follows "?", still encoded.
func (t *Target) RawQuery() View { return View(t.x.Req.Query.Of(t.x.Buf)) }

// Host returns the request's host and port.
func (t *Target) Host() View { return View(t.x.Req.Host.Of(t.x.Buf)) }

// Header returns the first header field of the name, empty if there is none.
func (t *Target) Header(name string) View { return View(t.x.field(name)) }

// SetMethod makes the request one of another method. It panics if that is no method,
// or if one of the two is HEAD or CONNECT, which decide how a response is framed.
func (t *Target) SetMethod(method string) {
	for _, m := range [...]string{method, string(t.Method())} {
		if m == "HEAD" || m == "CONNECT" {
			panic("nano: the method of a request can't be changed from or to " + m + ", whose response has another form")
		}
	}
	if !http1.ValidToken(method) {
		panic(fmt.Sprintf("nano: %q is not a method", method))
	}
	t.x.Req.Method = t.put(method)
}

// SetPath makes the request one for another path, which must begin with "/" and be
// percent-encoded as it would be on the wire. It panics if it can't be sent as a path.
// The query stays.
func (t *Target) SetPath(path string) {
	escaped, ok := sendablePath(path)
	if !ok {
		panic(fmt.Sprintf("nano: %q can't be the path of a request: it must begin with / and be percent-encoded", path))
	}
	t.x.Req.Escaped = escaped
	target := path
	query := bytes.Clone(t.x.Req.Query.Of(t.x.Buf))
	if bytes.IndexByte(t.x.Req.Target.Of(t.x.Buf), '?') >= 0 {
		target += "?" + string(query)
	}
	all := t.put(target)
	t.x.Req.Target = all
	t.x.Req.Path = http1.Span{Start: all.Start, End: all.Start + uint32(len(path))}
	if len(target) > len(path) {
		t.x.Req.Query = http1.Span{Start: all.Start + uint32(len(path)) + 1, End: all.End}
	}
}

// sendablePath reports whether a text can be the path of a request as it is (RFC 9112
// 3.2.1), and whether there are escapes in it.
func sendablePath(path string) (escaped, ok bool) {
	if !strings.HasPrefix(path, "/") {
		return false, false
	}
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c <= ' ' || c >= 0x7f || c == '?' || c == '#':
			return false, false
		case c == '%':
			if i+2 >= len(path) || !router.IsHex(path[i+1]) || !router.IsHex(path[i+2]) {
				return false, false
			}
			escaped = true
		}
	}
	return escaped, true
}

// put keeps a text with the request. The buffer is copied, as what follows in it on a
// connection is not ours.
func (t *Target) put(text string) http1.Span {
	buf := append(slices.Clip(t.x.Buf), text...)
	t.x.Buf = buf
	return http1.Span{Start: uint32(len(buf) - len(text)), End: uint32(len(buf))}
}
