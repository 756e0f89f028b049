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

// exchange is a request and its answer, whatever wire they travel on. It is
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

	// The answer.
	status    int
	fields    []byte // "Name: value\r\n" lines set before the answer begins; reused
	begun     bool
	json      JSONWriter
	encoder   jsonEncoder
	after     []func() // run in reverse when the handler has returned, before the answer's end is sent
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

// wire carries an exchange: an HTTP/1.1 connection of a loop, or a
// net/http.ResponseWriter. Its methods are called by the goroutine that runs the
// handler.
type wire interface {
	// answer sends a whole answer with x.status and x.fields. It does not keep
	// body.
	answer(x *exchange, body []byte) error
	// begin sends the head of a streamed answer of length bytes; -1: not known.
	begin(x *exchange, length int64) error
	// write sends a part of a streamed answer. It blocks while the client is slow.
	write(x *exchange, p []byte) (int, error)
	// flush sends what is buffered.
	flush(x *exchange) error
	// end ends a streamed answer; trailers are "Name: value\r\n" lines or nil.
	end(x *exchange, trailers []byte) error
	// read reads the request's body as it comes. It blocks.
	read(x *exchange, p []byte) (int, error)
	// abort closes the connection, so that the client sees a cut answer.
	abort(x *exchange)
	// context makes the request's context. It ends when the client goes away or
	// the app shuts down.
	context(x *exchange) (context.Context, context.CancelCauseFunc)
	// hijack gives the connection away, with what was read of it and not used. The
	// exchange is over for the wire.
	hijack(x *exchange) (net.Conn, []byte, error)
}

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
		return nil, nil, ErrAnswered
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
