package nano

import (
	"context"
	"io/fs"
	"log/slog"
	"math"
	"net/netip"
	"time"

	"dyno.example/nano/internal/exchange"
)

// Config is how an app behaves. The zero value is safe: every limit has a default, for
// which 0 stands.
type Config struct {
	Limits Limits

	// Loops is the number of event loops; 0 means one per CPU.
	Loops int
	// TrustedProxies are the peers from which a client's address is taken, from the
	// PROXY protocol or from X-Forwarded-For and Forwarded. By default none is trusted.
	TrustedProxies []netip.Prefix
	// Forwarded selects the header fields of trusted proxies that are used.
	Forwarded ForwardedFields
	// ProxyProtocol expects a PROXY protocol header (version 1 or 2) on each
	// connection from a trusted proxy.
	ProxyProtocol bool
	// UnixMode is the mode of unix sockets that Listen makes; 0 means 0660.
	UnixMode fs.FileMode
	// ReusePort lets several processes of one user listen on the same address, each with
	// a part of the connections (SO_REUSEPORT, Linux only); all of them set it. Without it
	// a second process is refused. [App.Restart] doesn't need it.
	ReusePort bool
	// H2C serves HTTP/2 without TLS to clients that begin with it (prior knowledge).
	H2C bool
	// Logger gets the events that no handler sees: panics, refused connections. The
	// default is slog.Default().
	Logger *slog.Logger
	// ErrorHandler responds to errors that handlers return. The default sends
	// problem+json (RFC 9457).
	ErrorHandler ErrorHandler
	// Rewrite may change a request's method and path before it is routed, by what is in its
	// head; package middleware has functions for it. It runs on the event loop and
	// must not block.
	Rewrite func(t *Target)
	// NotFound responds to requests whose path no route matches.
	NotFound Handler
	// MethodNotAllowed responds where routes match the path, but none the method. The
	// field Allow has been set.
	MethodNotAllowed Handler
	// TrailingSlash says what to do with "/a/" when only "/a" is a route, or the
	// other way round. The default is to redirect.
	TrailingSlash SlashPolicy
	// Validator checks what [Bind] has read; dyno.example/nano/validate makes one. It
	// returns [FieldErrors] for what is to be sent to the client. [Binds] calls it with
	// zero values.
	Validator func(v any) error
	// StrictJSON makes [Bind] refuse JSON with names that the type doesn't have.
	StrictJSON bool
	// JSON replaces encoding/json in [Ctx.JSON] and [Bind] where its functions are set,
	// with a library that is faster or reads otherwise.
	JSON JSONCodec
	// Decoders read the bodies of other media types than JSON for [Bind], by media type
	// in lower case without parameters: "application/xml": [DecodeXML]; dyno.example/nano/yaml
	// and dyno.example/nano/protobuf have one each.
	Decoders map[string]Decoder
	// Forms bound what forms may consist of.
	Forms FormLimits
	// Renderer makes the pages of [Ctx.Render].
	Renderer Renderer
	// Debug is for tests and development: it finds what breaks the rules of
	// ownership. When a handler has returned, the bytes of all Views it was given are
	// overwritten with 0xdb and never used again, so that a View that was kept shows
	// for good. A goroutine other than the handler's that sets anything of the response
	// panics. It costs copies of each request. The build tag nanodebug sets it for
	// all apps: go test -tags nanodebug ./...
	Debug bool
}

// SlashPolicy says what to do with a path that matches except for its last slash.
type SlashPolicy uint8

const (
	SlashRedirect SlashPolicy = iota // 308 to the path that exists (301 for GET and HEAD)
	SlashStrict                      // not found
	SlashMerge                       // served as if it were the other
)

// Limits bound what clients can make the server hold or wait for. 0 means the
// default, a negative value no limit (but 2 GiB of a head).
//
// MinRate and MinTake count only the time that the server waits for the client, silence
// included. A client may fall behind them by 5 s when a body begins, by 30 s later and
// for responses (or by ReadBody, WriteStall where those are longer). Bytes ahead of the
// rate earn no more time than that.
type Limits struct {
	Head        int   // bytes of a request head; default 16 KiB, then 431
	URI         int   // bytes of the target; default 8 KiB, then 414
	Fields      int   // header fields; default 100, then 431
	Body        int64 // bytes of a body; default 4 MiB, then 413
	BufferBody  int   // bodies up to this are read before the handler starts; default 64 KiB
	Connections int   // in all; default 65,536, further ones wait in the listen queue
	PerAddress  int   // connections of one address; default none
	Requests    int   // per connection; default none

	Handshake  time.Duration // TLS handshake; default 5 s
	ReadHead   time.Duration // from the first byte of a head to its last; default 10 s
	ReadBody   time.Duration // without progress in a body; default 30 s
	MinRate    int           // bytes/s a body must keep up; default 240, see below
	Idle       time.Duration // between requests; default 75 s
	WriteStall time.Duration // without the client taking anything of a response; default 30 s
	MinTake    int           // bytes/s of a response that a client must take while it is waited for; default 240
	Handler    time.Duration // deadline of a request's context; default none, its error becomes 503
	Drain      time.Duration // for requests under way when the app shuts down; default 30 s
}

func (l Limits) withDefaults() Limits {
	l.Head = orDefault(l.Head, 16<<10)
	l.URI = orDefault(l.URI, 8<<10)
	l.Fields = orDefault(l.Fields, 100)
	l.Body = orDefault(l.Body, 4<<20)
	l.BufferBody = orDefault(l.BufferBody, 64<<10)
	l.Connections = orDefault(l.Connections, 1<<16)
	l.Handshake = orDefault(l.Handshake, 5*time.Second)
	l.ReadHead = orDefault(l.ReadHead, 10*time.Second)
	l.ReadBody = orDefault(l.ReadBody, 30*time.Second)
	l.MinRate = orDefault(l.MinRate, 240)
	l.Idle = orDefault(l.Idle, 75*time.Second)
	l.WriteStall = orDefault(l.WriteStall, 30*time.Second)
	l.MinTake = orDefault(l.MinTake, 240)
	l.Drain = orDefault(l.Drain, 30*time.Second)
	for _, v := range [...]*int{&l.Head, &l.URI, &l.Fields, &l.BufferBody} {
		if *v < 0 {
			*v = math.MaxInt32 // what takes these knows no "no limit"
		}
	}
	return l
}

func orDefault[T int | int64 | time.Duration](v, def T) T {
	if v == 0 {
		return def
	}
	return v
}

// RouteLimits are limits of one route, or of a group's by [Group.Default], in
// place of those of [Limits] that have the same names. 0 leaves the app's, a
// negative value is no limit. They hold for all that serves the app: HTTP/1.1,
// HTTP/2, net/http.
type RouteLimits struct {
	Body    int64         // bytes of a body; then 413
	Handler time.Duration // deadline of the request's context, from the start of the handler; its error becomes 503

	// For a body that the handler reads as it comes:
	ReadBody time.Duration // without progress; then 408
	MinRate  int           // bytes/s that it must keep up; then 408
}

// WithLimits gives a route limits of its own: a larger body for an upload, a deadline
// for a handler that queries a database. The fields that are 0 stay as the route's
// groups have set them. Middleware inside can lower the limit of a body, by
// [Ctx.LimitBody], and set earlier deadlines.
func WithLimits(l RouteLimits) Option {
	return optionFunc(func(r *Route) {
		if l.Body != 0 {
			r.limits.Body = l.Body
		}
		if l.Handler != 0 {
			r.limits.Handler = l.Handler
		}
		if l.ReadBody != 0 {
			r.limits.ReadBody = l.ReadBody
		}
		if l.MinRate != 0 {
			r.limits.MinRate = l.MinRate
		}
	})
}

// Limits returns the route's own limits; 0 stands for the app's.
func (r *Route) Limits() RouteLimits { return r.limits }

// BodyLimit is how many bytes the request's body may have; negative: any.
func (x *liveRequest) BodyLimit() int64 {
	if x.Tunnel != exchange.NoTunnel {
		return -1
	}
	if x.route != nil && x.route.limits.Body != 0 {
		return x.route.limits.Body
	}
	return x.app.config.Limits.Body
}

// BodyPace is how fast a body that the handler reads must arrive: how long it may make
// no progress, and bytes per second; a value that isn't positive is no limit.
func (x *liveRequest) BodyPace() (stall time.Duration, rate int) {
	if x.Tunnel != exchange.NoTunnel {
		return 0, 0
	}
	stall, rate = x.app.config.Limits.ReadBody, x.app.config.Limits.MinRate
	if x.route != nil {
		if l := x.route.limits.ReadBody; l != 0 {
			stall = l
		}
		if l := x.route.limits.MinRate; l != 0 {
			rate = l
		}
	}
	return stall, rate
}

// WholeBody implements exchange.Owner.
func (x *liveRequest) WholeBody() bool { return x.route != nil && x.route.wholeBody }

// handlerLimit is how long the handler's context lasts; not positive: for ever.
func (x *liveRequest) handlerLimit() time.Duration {
	if x.route != nil && x.route.limits.Handler != 0 {
		return x.route.limits.Handler
	}
	return x.app.config.Limits.Handler
}

// Timed makes the context of a handler that has run for so long.
func (x *liveRequest) Timed(parent context.Context, ran time.Duration) (context.Context, context.CancelCauseFunc) {
	d := x.handlerLimit()
	if d <= 0 {
		return context.WithCancelCause(parent)
	}
	timed, stop := context.WithTimeout(parent, d-ran)
	ctx, cancel := context.WithCancelCause(timed)
	return ctx, func(cause error) { cancel(cause); stop() }
}
