package nano

// Handler answers one request. An error it returns goes to the app's
// [ErrorHandler], unless the answer has begun; then the connection is closed so
// that a cut answer can't be taken for a whole one. A handler that returns nil
// without having answered has answered 200 without a body, or with the status
// given to [Ctx.Status].
type Handler func(c Ctx) error

// Middleware wraps a handler. It is called once, when the route is registered:
// what it returns is called for every request.
type Middleware func(next Handler) Handler

// ErrorHandler turns an error into an answer.
type ErrorHandler func(c Ctx, err error) error

// Option says something about one route, or about all routes of a group.
type Option interface{ apply(*Route) }

type optionFunc func(*Route)

func (f optionFunc) apply(r *Route) { f(r) }

// Placement says where a route's handler runs.
type Placement uint8

const (
	// Auto runs the handler on the loop until it blocks; routes that blocked are
	// started on goroutines of their own for a while.
	Auto Placement = iota
	// OnLoop always starts the handler on the loop.
	OnLoop
	// OnGoroutine always starts the handler on a goroutine of its own.
	OnGoroutine
)

// Inline makes the route's handler always start on the event loop. The watchdog
// still takes the loop away from it if it blocks.
func Inline() Option { return optionFunc(func(r *Route) { r.placement = OnLoop }) }

// Spawn makes the route's handler start on a goroutine of its own: for handlers
// that are known to block or to compute for long.
func Spawn() Option { return optionFunc(func(r *Route) { r.placement = OnGoroutine }) }

// With adds middleware to one route, inside that of its groups.
func With(mw ...Middleware) Option {
	return optionFunc(func(r *Route) { r.layers = append(r.layers, layersOf(mw)...) })
}

// Name names the route, for reports, metrics, [App.Routes] and [App.URL]. A name
// is one route's.
func Name(name string) Option { return optionFunc(func(r *Route) { r.name = name }) }

// Describe keeps something about a route for whoever lists routes, such as an
// openapi.Operation. Nano doesn't look at it.
func Describe(descriptions ...any) Option {
	return optionFunc(func(r *Route) { r.descriptions = append(r.descriptions, descriptions...) })
}
