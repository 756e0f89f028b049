package nano

import (
	"reflect"
	"runtime"
	"strconv"
	"strings"
)

// Handler answers one request. An error it returns goes to the app's
// [ErrorHandler], unless the response has begun; then the connection is closed so
// that a cut response can't be taken for a whole one. A handler that returns nil
// without having answered has answered 200 without a body, or with the status
// given to [Ctx.Status].
type Handler func(c Ctx) error

// Middleware wraps a handler. It is called once, when the route is registered:
// what it returns is called for every request.
type Middleware func(next Handler) Handler

// ErrorHandler turns an error into a response. [DefaultErrorHandler] answers the error
// or [Problem] that it returns, so one that only knows the app's own errors turns these
// into Problems and returns the others as they are:
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

// Describe keeps something about a route for whoever lists routes, such as an
// openapi.Operation. Nano doesn't look at it.
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
