package nano

import (
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/internal/router"
	"dyno.example/nano/wire/clock"
)

// Route is one registered method and pattern. It doesn't change once the app
// serves.
type Route struct {
	method       string // "" matches every method
	host         string // "" matches every host
	pattern      string // the path as registered, with the prefixes of its groups
	name         string
	placement    Placement
	wholeBody    bool
	limits       RouteLimits
	descriptions []any
	binds        []reflect.Type
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

// Method returns the route's method; "" means all.
func (r *Route) Method() string { return r.method }

// Host returns the host the route is for; "" means all.
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

// Binds returns the types that the handler binds, as [Binds] said, the groups' first.
func (r *Route) Binds() []reflect.Type { return append([]reflect.Type(nil), r.binds...) }

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

// Handler responds to one request. An error it returns goes to the app's
// [ErrorHandler], unless the response has begun; then the connection is closed so that
// a cut response can't be taken for a complete one. If a handler returns nil without a
// response, the response is a 200 without a body, or has the status given to
// [Ctx.Status].
type Handler func(c Ctx) error

// Middleware wraps a handler. It is called once, when the route is registered:
// what it returns is called for every request.
type Middleware func(next Handler) Handler

// ErrorHandler turns an error into a response. [DefaultErrorHandler] responds to the
// error or [Problem] that it returns, so one that only knows the app's own errors turns
// these into Problems and returns the others as they are:
//
//	func(c nano.Ctx, err error) error {
//		if errors.Is(err, sql.ErrNoRows) {
//			return nano.NewProblem(404, "").Because(err)
//		}
//		return err
//	}
type ErrorHandler func(c Ctx, err error) error

// Option says something about one route, or about all routes of a group.
type Option interface{ apply(*Route) }

type optionFunc func(*Route)

func (f optionFunc) apply(r *Route) { f(r) }

// With adds middleware to one route, inside that of its groups.
func With(mw ...Middleware) Option {
	return optionFunc(func(r *Route) { r.layers = append(r.layers, layersOf(mw)...) })
}

// WithNamed is With for one middleware, with a name: see [Group.UseNamed].
func WithNamed(name string, mw Middleware) Option {
	return optionFunc(func(r *Route) { r.layers = append(r.layers, layer{name: name, wrap: mw}) })
}

// Name names the route, for reports, metrics, [App.Routes] and [App.URL]. A name
// is one route's.
func Name(name string) Option { return optionFunc(func(r *Route) { r.name = name }) }

// Describe attaches values to a route for code that lists routes, such as an
// openapi.Operation. Nano doesn't use them.
func Describe(descriptions ...any) Option {
	return optionFunc(func(r *Route) { r.descriptions = append(r.descriptions, descriptions...) })
}

func layersOf(mw []Middleware) []layer {
	layers := make([]layer, len(mw))
	for i, m := range mw {
		layers[i] = layer{name: nameOf(m), wrap: m}
	}
	return layers
}

// nameOf returns the name of a middleware that was registered without one: that of
// the function that made it, without the path of its package.
func nameOf(mw Middleware) string {
	name := runtime.FuncForPC(reflect.ValueOf(mw).Pointer()).Name()
	name = name[strings.LastIndexByte(name, '/')+1:]
	if i := strings.Index(name, ".func"); i > 0 {
		name = name[:i]
	}
	return name
}

// caller returns file:line of the code outside this package that called it.
func caller() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	self, _ := frames.Next()
	in := self.Function[:strings.LastIndexByte(self.Function, '/')+1]
	in += strings.SplitAfterN(self.Function[len(in):], ".", 2)[0]
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, in) || strings.HasSuffix(f.File, "_test.go") {
			return f.File + ":" + strconv.Itoa(f.Line)
		}
		if !more {
			return "unknown"
		}
	}
}

// WholeBody has the handler started when all of the request's body is in, or as much as
// Limits.BufferBody, also if its length isn't known. Without it the handler of an
// HTTP/2 request whose body has no known length starts with what came with the head: a
// client that sends in this way may want a response before it goes on.
func WholeBody() Option { return optionFunc(func(r *Route) { r.wholeBody = true }) }

// Placement says where a route's handler runs. Each is an [Option]:
//
//	app.Get("/report", report, nano.OnGoroutine)
type Placement uint8

const (
	// Auto runs the handler on the loop until it blocks; routes that blocked are
	// started on goroutines of their own for a while.
	Auto Placement = iota
	// OnLoop always starts the handler on the event loop. The watchdog still takes
	// the loop away from it if it blocks.
	OnLoop
	// OnGoroutine always starts the handler on a goroutine of its own: for handlers
	// that are known to block or to compute for long.
	OnGoroutine
	// Suspended is for handlers that talk with their client for long, such as streams
	// of messages. Over HTTP/2 they run on the event loop with a stack of their own:
	// where they wait for the client, to send more of the body or to take more of the
	// response, they are suspended, and resumed on the loop. For the body that goes for
	// routes whose [RouteLimits] have no limit for ReadBody and MinRate. Handlers that
	// block elsewhere run on goroutines of their own, and so do all over HTTP/1.1 and
	// net/http.
	Suspended
)

func (p Placement) apply(r *Route) { r.placement = p }

// spawns reports whether the route's handler has to start on a goroutine.
func (r *Route) spawns() bool {
	switch r.placement {
	case OnGoroutine, Suspended:
		return true
	case OnLoop:
		return false
	}
	return r.history.Blocks()
}
