package nano

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
)

// App is a set of routes and the server that answers for them. Register all
// routes before it serves.
type App struct {
	root   // the group of all routes: Get, Post, Use, Group, Mount and the like
	config Config
	router router
	spare  sync.Pool // of *exchange
	plans  plans     // of Bind
	drains drainSignal
	serving

	ownErrors, ownNotFound bool // the app was given its own
}

// New returns an app without routes.
func New(config Config) *App {
	a := &App{ownErrors: config.ErrorHandler != nil, ownNotFound: config.NotFound != nil}
	config.Limits = config.Limits.withDefaults()
	config.Forms = config.Forms.withDefaults()
	config.Logger = cmp.Or(config.Logger, slog.Default())
	if config.ErrorHandler == nil {
		config.ErrorHandler = answerProblem
	}
	if config.NotFound == nil {
		config.NotFound = func(c Ctx) error { return NewProblem(404, "") }
	}
	if config.MethodNotAllowed == nil {
		config.MethodNotAllowed = func(c Ctx) error { return NewProblem(405, "") }
	}
	a.config = config
	a.drains.begun = make(chan struct{})
	a.root.app, a.router.app = a, a
	a.spare.New = func() any { return &exchange{app: a} }
	return a
}

// take returns a fresh exchange for a wire.
func (a *App) take(w wire) *exchange {
	x := a.spare.Get().(*exchange)
	x.wire = w
	return x
}

// give takes an exchange back.
func (a *App) give(x *exchange) {
	x.recycle()
	x.wire, x.buf = nil, nil
	a.spare.Put(x)
}

// find looks up the route of x, which tells where its handler may run. nil: the
// app has its own answer (not found, wrong method, redirect).
func (a *App) find(x *exchange) Handler {
	return a.router.find(x)
}

// serve runs the handler that find returned, to the end of the answer. It never
// panics.
func (a *App) serve(x *exchange, h Handler) {
	defer a.caught(x)
	c := Ctx{x, x.gen.Load()}
	if err := h(c); err != nil {
		a.failed(c, err)
	}
	for i := len(x.after) - 1; i >= 0; i-- {
		x.after[i]()
	}
	if !x.begun {
		if x.status == 0 {
			x.status = 200
		}
		x.begun = true
		_ = x.wire.answer(x, nil) // the wire closes itself
	} else if x.hooked {
		x.hooks.finish()
	}
}

// failed answers an error, or cuts the connection if the answer has begun.
func (a *App) failed(c Ctx, err error) {
	if c.x.hooked {
		c.x.hooks.err = err
	}
	if c.x.begun {
		if !errors.Is(err, ErrAborted) {
			a.config.Logger.Error("handler failed after its answer had begun", "route", routeName(c.x), "error", err)
		}
		c.x.wire.abort(c.x)
		return
	}
	if err := a.config.ErrorHandler(c, err); err != nil {
		a.config.Logger.Error("error handler failed", "route", routeName(c.x), "error", err)
	}
}

// caught is deferred around every handler: a panic costs its own request only.
func (a *App) caught(x *exchange) {
	if p := recover(); p != nil {
		a.panicked(x, p)
	}
	if x.hooked {
		x.unhook(x.hooks.outcome())
	}
}

// panicked answers a request whose handler has panicked.
func (a *App) panicked(x *exchange, p any) {
	if x.hooked {
		x.hooks.panicked(p)
	}
	if p == http.ErrAbortHandler {
		x.begun = true
		x.wire.abort(x)
		return
	}
	a.config.Logger.Error("handler panicked", "route", routeName(x), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	if x.begun {
		x.wire.abort(x)
		return
	}
	x.begun, x.fields, x.status = true, x.fields[:0], 500
	_ = x.wire.answer(x, nil)
}

func routeName(x *exchange) string {
	if x.route == nil {
		return "none"
	}
	return x.route.Name()
}
