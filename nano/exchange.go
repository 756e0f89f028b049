package nano

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/internal/router"
)

// liveRequest is an exchange with the state that handlers add to it. It is reused: gen
// differs from one use to the next. It belongs to the goroutine that runs the handler.
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
	form    *Form         // nil until first used

	// The response.
	begun   bool
	json    JSONWriter
	encoder jsonEncoder
	after   []func() // run in reverse when the handler has returned, before the response's end is sent
	hooked  bool     // Wire is hooks, which lies on the real one
	hooks   *hooks   // nil until first used; reused

	ctx    context.Context // nil until first used
	cancel context.CancelCauseFunc
	handed atomic.Pointer[handedContext] // ctx, for code that was given a Ctx as context.Context
	values []value
	debug  debugState
}

// pastRoutes is for how many requests the misuse of a Ctx that was kept can still be
// attributed to its route.
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

// context returns the request's context, made at the first call: few handlers need it.
func (x *liveRequest) context() context.Context {
	if x.ctx == nil {
		var ctx context.Context
		ctx, x.cancel = x.Wire.Context(&x.Exchange)
		x.setContext(ctx)
	}
	return x.ctx
}

// handedContext is the context of one use of an exchange.
type handedContext struct {
	context.Context
	gen uint32
}

func (x *liveRequest) setContext(ctx context.Context) {
	x.ctx = ctx
	x.handed.Store(&handedContext{ctx, x.gen.Load()})
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
		x.handed.Store(nil) // behind gen: see Ctx.made
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
	if r.placement == Auto || r.placement == Suspended {
		x.History = &r.history
	}
	return r.spawns()
}

// Suspends implements exchange.Owner.
func (x *liveRequest) Suspends() bool {
	r := x.route
	return r != nil && r.placement == Suspended && (!r.history.Blocks() || r.history.Tries())
}

// Serve implements exchange.Owner.
func (x *liveRequest) Serve() { x.app.serve(x, x.handler) }

// Forget implements exchange.Owner.
func (x *liveRequest) Forget() {
	x.route, x.History = nil, nil
	x.match.Reset()
}

// Ignored implements exchange.Owner: it logs the field under Config.Debug.
func (x *liveRequest) Ignored(line []byte) {
	if x.app.config.Debug {
		x.app.config.Logger.Warn("nano sets this field itself: what the handler has set is ignored", "route", routeName(x), "field", strings.TrimSpace(string(line)))
	}
}

// Unfinished implements exchange.Owner.
func (x *liveRequest) Unfinished(err error) {
	x.logFailure(slog.LevelError, "response not finished", err)
}

// What Config.Debug does. A handler gets a copy of the request's bytes that is never
// reused: when it has returned they are overwritten, so that a View that was kept shows
// that for good instead of the bytes of a later request. And only the goroutine that
// runs the handler may touch the response.

// poisonByte is what Views that were kept are made of.
const poisonByte = 0xdb

func poison(b []byte) {
	for i := range b {
		b[i] = poisonByte
	}
}

// debugState is what an exchange keeps for Config.Debug.
type debugState struct {
	lent  [][]byte // decoded values that were handed out
	owner int64    // the goroutine that runs the handler; 0: not checked
}

// isolate gives the handler about to be run its own copy of the request.
func (x *liveRequest) isolate() {
	x.debug.owner = goroutineID()
	x.Buf = bytes.Clone(x.Buf)
	x.match.Scratch = bytes.Clone(x.match.Scratch)
	if x.Body.Ready && len(x.Body.Whole) > 0 {
		x.Body.Whole = bytes.Clone(x.Body.Whole)
	}
}

// spoil ends all that the handler was given.
func (x *liveRequest) spoil() {
	for _, b := range x.debug.lent {
		poison(b)
	}
	poison(x.Buf)
	poison(x.Body.Whole)
	poison(x.match.Scratch)
	poison(x.Fields)
	if x.form != nil {
		for _, v := range x.form.values {
			poison(v.value)
		}
	}
	x.debug, x.Buf, x.match.Scratch, x.Fields = debugState{}, nil, nil, nil
}

// handOut returns v, which lies in memory that may move or be used again, as the
// handler may keep it until it returns.
func (x *liveRequest) handOut(v []byte) []byte {
	if !x.app.config.Debug || v == nil {
		return v
	}
	own := append(make([]byte, 0, len(v)), v...)
	x.debug.lent = append(x.debug.lent, own)
	return own
}

// own is live for what changes the response: under Config.Debug it panics on another
// goroutine than the handler's.
func (c Ctx) own() *liveRequest {
	x := c.live()
	if x.app.config.Debug {
		x.checkOwner()
	}
	return x
}

func (x *liveRequest) checkOwner() {
	owner := x.debug.owner
	if at := goroutineID(); owner != 0 && at != owner {
		panic("nano: the response of " + routeName(x) + " was touched by goroutine " + strconv.FormatInt(at, 10) +
			" while goroutine " + strconv.FormatInt(owner, 10) + " runs its handler; have goroutines return what they found, and set it from the handler")
	}
}

// goroutineID reads the number of the goroutine from its stack trace, the only place
// that has it.
func goroutineID() int64 {
	var space [64]byte
	text := space[:runtime.Stack(space[:], false)]
	text = bytes.TrimPrefix(text, []byte("goroutine "))
	n := int64(0)
	for _, c := range text {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + int64(c-'0')
	}
	return n
}
