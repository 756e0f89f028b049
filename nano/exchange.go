package nano

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"

	"dyno/nano/internal/router"
	"dyno/nano/wire/http1"
)

// exchange is a request and its response, whatever wire they travel on. It is
// reused: gen tells one use from the next. It belongs to whoever runs the
// handler.
type exchange struct {
	gen  atomic.Uint32
	past [pastRoutes]atomic.Pointer[Route] // of its last uses, by gen; only for messages about misuse
	app  *App
	wire wire

	// The request. Spans of req and match refer to buf.
	buf     []byte
	req     http1.Request
	match   router.Match
	marks   marks
	route   *Route
	remote  netip.AddrPort
	tls     *tls.ConnectionState // nil without TLS
	std     *http.Request        // if it came through net/http
	through stdWire              // the wire of such a request
	said    *hop                 // by proxies, to the exchange this one was made from; nil: there is none
	body    body
	form    *Form // nil until somebody asks

	// The response.
	status    int
	fields    []byte // "Name: value\r\n" lines set before the response begins; reused
	begun     bool
	json      JSONWriter
	encoder   jsonEncoder
	after     []func() // run in reverse when the handler has returned, before the response's end is sent
	rewritten bool     // buf has more than the head: see [Target]
	hooked    bool     // wire is hooks, which lies on the real one
	hooks     *hooks   // nil until first used; reused

	ctx    context.Context // nil until somebody asks
	cancel context.CancelCauseFunc
	asked  atomic.Pointer[askedContext] // ctx, for whoever was given a Ctx as context.Context
	values []value
	debug  debugState
}

// pastRoutes is how many requests later a Ctx that was kept can still be told whose
// it was.
const pastRoutes = 16

// body is the request's body: whole in memory, or to be read from the wire.
type body struct {
	whole  []byte      // valid if ready
	chunks *http1.Body // of a whole that came in chunks: it has the trailers
	ready  bool
	at     int // of whole that a reader has had
}

func (x *exchange) path() []byte { return router.Path(&x.req, x.buf) }

// field returns the value of the first header field with the name.
func (x *exchange) field(name string) []byte {
	for i := range x.req.Fields {
		f := &x.req.Fields[i]
		if int(f.Name.End-f.Name.Start) == len(name) && sameName(f.Name.Of(x.buf), name) {
			return f.Value.Of(x.buf)
		}
	}
	return nil
}

// context returns the request's context, made when first asked for: few
// handlers need it.
func (x *exchange) context() context.Context {
	if x.ctx == nil {
		var ctx context.Context
		ctx, x.cancel = x.wire.context(x)
		x.setContext(ctx)
	}
	return x.ctx
}

// askedContext is the context of one use of an exchange.
type askedContext struct {
	context.Context
	gen uint32
}

func (x *exchange) setContext(ctx context.Context) {
	x.ctx = ctx
	x.asked.Store(&askedContext{ctx, x.gen.Load()})
}

// hijack gives the connection to the caller as a net.Conn, with the bytes that
// were read after the request. The loop forgets it.
func (x *exchange) hijack() (net.Conn, []byte, error) {
	if x.begun {
		return nil, nil, ErrResponded
	}
	c, early, err := x.wire.hijack(x)
	x.begun = err == nil
	return c, early, err
}

// recycle ends the exchange: every Ctx to it is dead from now on.
func (x *exchange) recycle() {
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
	x.route, x.status, x.fields, x.begun = nil, 0, x.fields[:0], false
	x.std, x.said, x.body = nil, nil, body{}
	if x.form != nil {
		x.form.close()
		x.form = nil
	}
	clear(x.values)
	x.values = x.values[:0]
	clear(x.after)
	x.after = x.after[:0]
}
