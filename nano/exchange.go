package nano

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"

	"dyno/nano/internal/exchange"
	"dyno/nano/internal/router"
)

// liveRequest is an exchange, and what handlers make of it. It is reused: gen tells
// one use from the next. It belongs to whoever runs the handler.
type liveRequest struct {
	exchange.Exchange // its Owner is this

	gen  atomic.Uint32
	past [pastRoutes]atomic.Pointer[Route] // of its last uses, by gen; only for messages about misuse
	app  *App

	// The request. Spans of match refer to Buf.
	match   router.Match
	marks   marks
	route   *Route
	handler Handler       // what serves it
	std     *http.Request // if it came through net/http
	through stdWire       // the wire of such a request
	said    *hop          // by proxies, to the exchange this one was made from; nil: there is none
	form    *Form         // nil until somebody asks

	// The response.
	begun   bool
	json    JSONWriter
	encoder jsonEncoder
	after   []func() // run in reverse when the handler has returned, before the response's end is sent
	hooked  bool     // Wire is hooks, which lies on the real one
	hooks   *hooks   // nil until first used; reused

	ctx    context.Context // nil until somebody asks
	cancel context.CancelCauseFunc
	asked  atomic.Pointer[askedContext] // ctx, for whoever was given a Ctx as context.Context
	values []value
	debug  debugState
}

// pastRoutes is how many requests later a Ctx that was kept can still be told whose
// it was.
const pastRoutes = 16

func (x *liveRequest) path() []byte { return router.Path(&x.Req, x.Buf) }

// field returns the value of the first header field with the name.
func (x *liveRequest) field(name string) []byte {
	for i := range x.Req.Fields {
		f := &x.Req.Fields[i]
		if int(f.Name.End-f.Name.Start) == len(name) && exchange.SameName(f.Name.Of(x.Buf), name) {
			return f.Value.Of(x.Buf)
		}
	}
	return nil
}

// context returns the request's context, made when first asked for: few
// handlers need it.
func (x *liveRequest) context() context.Context {
	if x.ctx == nil {
		var ctx context.Context
		ctx, x.cancel = x.Wire.Context(&x.Exchange)
		x.setContext(ctx)
	}
	return x.ctx
}

// askedContext is the context of one use of an exchange.
type askedContext struct {
	context.Context
	gen uint32
}

func (x *liveRequest) setContext(ctx context.Context) {
	x.ctx = ctx
	x.asked.Store(&askedContext{ctx, x.gen.Load()})
}

// hijack gives the connection to the caller as a net.Conn, with the bytes that
// were read after the request. The loop forgets it.
func (x *liveRequest) hijack() (net.Conn, []byte, error) {
	if x.begun {
		return nil, nil, ErrResponded
	}
	c, early, err := x.Wire.Hijack(&x.Exchange)
	x.begun = err == nil
	return c, early, err
}

// Recycle ends the exchange: every Ctx to it is dead from now on.
func (x *liveRequest) Recycle() {
	x.past[x.gen.Load()%pastRoutes].Store(x.route)
	x.gen.Add(1)
	if x.cancel != nil {
		x.cancel(context.Canceled)
		x.ctx, x.cancel = nil, nil
		x.asked.Store(nil) // behind gen: see Ctx.made
	}
	if x.app.config.Debug {
		x.spoil()
	}
	x.match.Reset()
	x.History = nil
	x.route, x.Status, x.Fields, x.begun = nil, 0, x.Fields[:0], false
	x.std, x.said, x.Body = nil, nil, exchange.Body{}
	if x.form != nil {
		x.form.close()
		x.form = nil
	}
	clear(x.values)
	x.values = x.values[:0]
	clear(x.after)
	x.after = x.after[:0]
}

// Find implements exchange.Owner.
func (x *liveRequest) Find() (spawn bool) {
	x.handler = x.app.find(x)
	r := x.route
	if r == nil {
		x.History = nil
		return false
	}
	if r.placement == Auto {
		x.History = &r.history
	}
	return r.spawns()
}

// Serve implements exchange.Owner.
func (x *liveRequest) Serve() { x.app.serve(x, x.handler) }

// Forget implements exchange.Owner.
func (x *liveRequest) Forget() {
	x.route, x.History = nil, nil
	x.match.Reset()
}

// Ignored implements exchange.Owner: it tells of the field under Config.Debug.
func (x *liveRequest) Ignored(line []byte) {
	if x.app.config.Debug {
		x.app.config.Logger.Warn("nano sets this field itself: what the handler has set is ignored", "route", routeName(x), "field", strings.TrimSpace(string(line)))
	}
}

// Unfinished implements exchange.Owner.
func (x *liveRequest) Unfinished(err error) {
	x.logFailure(slog.LevelError, "response not finished", err)
}
