package nano

import (
	"sync"
	"sync/atomic"

	"dyno/nano/wire/clock"
)

// Each route has two chains of handlers: one of middleware alone, and, once
// timing has been asked for, one with a clock between any two. Which one serves
// is decided once per request, so timing costs nothing while it is off.

// timing is whether and how the middleware of an app's routes is timed.
type timing struct {
	on   atomic.Bool
	mu   sync.Mutex
	made bool // routes have their timed chains
}

// routeTimes is a route's timed chain and what it has found.
type routeTimes struct {
	serve   Handler
	layers  []layerTimes
	handler Histogram
}

// layerTimes is what one middleware took.
type layerTimes struct{ in, out Histogram }

// marks is how far a timed request has come. It is part of the exchange, so it
// goes where the handler goes, on the loop or off it.
type marks struct {
	at    int64 // when the last layer was entered or left
	layer int   // which was entered; -1 once it was left
}

// Timing switches the timing of middleware on or off, also while the app serves.
// On, it costs two readings of the clock per middleware and two per handler;
// off, nothing. Middleware is wrapped around handlers a second time when timing
// is first switched on: what a middleware keeps inside the function that wraps
// is then there twice. Each figure keeps a [Histogram] of 2 KiB: two per
// middleware of each route, and one for its handler.
//
// Figures are kept when timing is switched off, and added to when it is switched
// on again.
func (a *App) Timing(on bool) {
	t := &a.routes.timing
	t.mu.Lock()
	defer t.mu.Unlock()
	if on && !t.made {
		for _, r := range a.routes.all {
			r.compileTimed()
		}
		t.made = true
	}
	t.on.Store(on)
}

// added makes the timed chain of a route that was registered after timing was
// switched on.
func (t *timing) added(r *Route) {
	if t.made {
		r.compileTimed()
	}
}

// chain returns the chain that serves a request.
func (t *timing) chain(r *Route) Handler {
	if t.on.Load() {
		return r.times.Load().serve
	}
	return r.serve
}

// compileTimed wraps the handler in its middleware with a clock around each.
func (r *Route) compileTimed() {
	t := &routeTimes{layers: make([]layerTimes, len(r.layers))}
	t.serve = t.clocked(len(r.layers), &t.handler, nil, r.handler)
	for i := len(r.layers) - 1; i >= 0; i-- {
		t.serve = t.clocked(i, &t.layers[i].in, &t.layers[i].out, r.layers[i].wrap(t.serve))
	}
	r.times.Store(t)
}

// clocked returns h with the clock read before and after. Its time until the
// layer inside is entered goes to in, that after the layer inside was left to
// out; all of it to in if it doesn't call what is inside. A panic leaves the
// request out.
func (t *routeTimes) clocked(i int, in, out *Histogram, h Handler) Handler {
	var outer *Histogram // gets what the layer outside took on the way in
	if i > 0 {
		outer = &t.layers[i-1].in
	}
	return func(c Ctx) error {
		m := &c.x.marks
		entered := clock.Now()
		if outer != nil {
			outer.record(entered - m.at)
		}
		m.at, m.layer = entered, i
		err := h(c)
		left := clock.Now()
		if m.layer == i {
			in.record(left - entered)
		} else {
			out.record(left - m.at)
		}
		m.at, m.layer = left, -1
		return err
	}
}
