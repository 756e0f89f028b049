package nano

import (
	"cmp"
	"log/slog"
	"sync"
	"sync/atomic"

	"dyno.example/nano/internal/router"

	"dyno.example/nano/internal/exchange"
)

// App is a set of routes and the server for them. It has all methods of [Group], for
// routes without a prefix: Get, Post, Use, Group, Static. Register all routes before it
// serves: after Listen, Serve or the first request, registering panics.
type App struct {
	root    // the group of all routes: Get, Post, Use, Group, Mount and the like
	config  Config
	routes  routes
	spare   sync.Pool // of *liveRequest
	plans   plans     // of Bind
	seal    seal
	drains  drainSignal
	refused refusals
	serving

	ownErrors, ownNotFound bool // the app was given its own
}

// New returns an app without routes.
func New(config Config) *App {
	a := &App{ownErrors: config.ErrorHandler != nil, ownNotFound: config.NotFound != nil}
	config.Limits = config.Limits.withDefaults()
	config.Debug = config.Debug || debugBuild
	config.Forms = config.Forms.withDefaults()
	config.Logger = cmp.Or(config.Logger, slog.Default())
	if config.ErrorHandler == nil {
		config.ErrorHandler = DefaultErrorHandler
	}
	if config.NotFound == nil {
		config.NotFound = func(c Ctx) error { return NewProblem(404, "") }
	}
	if config.MethodNotAllowed == nil {
		config.MethodNotAllowed = func(c Ctx) error { return NewProblem(405, "") }
	}
	a.config = config
	a.drains.begun = make(chan struct{})
	a.routes.router.Slash = router.Slash(config.TrailingSlash)
	a.root.app, a.routes.app = a, a
	a.spare.New = func() any { return a.newRequest() }
	return a
}

// newRequest allocates a request; take reuses one where it can.
func (a *App) newRequest() *liveRequest {
	x := &liveRequest{app: a}
	x.Owner = x
	return x
}

// take returns a fresh exchange for a wire.
func (a *App) take(w exchange.Wire) *liveRequest {
	x := a.spare.Get().(*liveRequest)
	x.Wire = w
	return x
}

// give takes an exchange back.
func (a *App) give(x *liveRequest) {
	x.Recycle()
	x.Wire, x.Buf = nil, nil
	a.spare.Put(x)
}

// find looks up the route of x, which decides where its handler may run. nil: the app
// responds itself (not found, wrong method, redirect).
func (a *App) find(x *liveRequest) Handler {
	if !a.seal.closed.Load() {
		a.endRegistration()
	}
	if a.config.Rewrite != nil {
		a.config.Rewrite(&Target{x})
	}
	return a.routes.find(x)
}

// serve runs the handler that find returned, to the end of the response. It never
// panics.
func (a *App) serve(x *liveRequest, h Handler) {
	defer a.caught(x)
	if a.config.Debug {
		x.isolate()
	}
	c := Ctx{x, x.gen.Load()}
	if err := h(c); err != nil {
		a.failed(c, err)
	}
	for i := len(x.after) - 1; i >= 0; i-- {
		x.after[i]()
	}
	if !x.begun {
		a.respondDefault(x)
	} else if x.hooked {
		x.hooks.finish()
	}
}

// respondDefault responds for a handler that returned nil without a response.
func (a *App) respondDefault(x *liveRequest) {
	if x.Status == 0 {
		x.Status = 200
	}
	x.begun = true
	// A wire that can't send closes itself, but hooks may fail before they reach it.
	if err := x.Wire.Respond(&x.Exchange, nil); err != nil && !x.begun {
		a.config.Logger.Error("the empty response can't be sent", "route", routeName(x), "error", err)
		a.bare(x, 500)
	}
}

func routeName(x *liveRequest) string {
	if x.route == nil {
		return "none"
	}
	return x.route.Name()
}

// seal keeps an app's routes as they are once it serves. Registration holds the
// lock, so that a request that comes meanwhile waits for it and nothing is changed
// after that.
type seal struct {
	mu     sync.Mutex
	closed atomic.Bool
}

// endRegistration is called before the app serves. It panics if a route's options don't
// fit its pattern, which is complete only now: apps are mounted below others.
func (a *App) endRegistration() {
	a.seal.mu.Lock()
	defer a.seal.mu.Unlock()
	if a.seal.closed.Load() {
		return
	}
	for _, r := range a.routes.all {
		if err := a.checkParams(r); err != nil {
			panic("nano: " + r.describe() + ": " + err.Error())
		}
	}
	a.seal.closed.Store(true)
}

// registering calls f to change the app's routes, or panics if the app serves already.
// what names the change and its place, for the panic.
func (a *App) registering(what string, f func()) {
	a.seal.mu.Lock()
	defer a.seal.mu.Unlock()
	if a.seal.closed.Load() {
		panic("nano: " + what + " comes too late: the app serves already; register everything before Listen, Serve and the first request")
	}
	f()
}
