package nano

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strconv"
	"sync/atomic"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/wire/http1"
)

// The response to a request whose handler failed. Whatever goes wrong, the client gets a
// response that says so: never a 200 that the handler didn't send.

// ErrAborted ends a request by closing its connection, without a log line and without
// calling the app's [ErrorHandler].
var ErrAborted = errors.New("nano: aborted")

// DefaultErrorHandler is the [ErrorHandler] of an app that has no other, and handles the
// errors that others return. A [Problem] is sent as it is. Any other error is logged and
// becomes a 500 without details, or a 503 if it comes from the request's deadline
// ([Limits].Handler, [RouteLimits].Handler). Problems of 500 and above that have a cause
// ([Problem.Because]) are logged too, those below at the level Debug. If the client has
// gone, the connection is closed without a response.
func DefaultErrorHandler(c Ctx, err error) error {
	x := c.live()
	var p *Problem
	clients := x.clientsDoing(err)
	switch known := errors.As(err, &p); {
	case !known && clients:
		x.logFailure(slog.LevelDebug, "the client has gone", err)
		return ErrAborted
	case !known && errors.Is(err, context.DeadlineExceeded) && c.Err() == context.DeadlineExceeded:
		x.logFailure(slog.LevelError, "the handler's time is up", err)
		p = NewProblem(503, "the request took too long")
	case !known:
		x.logFailure(slog.LevelError, "handler failed", err)
		p = NewProblem(500, "")
	case p.cause == nil:
	case p.Status >= 500 && !clients:
		x.logFailure(slog.LevelError, "handler failed", err)
	default:
		x.logFailure(slog.LevelDebug, "request refused", err)
	}
	body, wrong := p.encode()
	if wrong != nil {
		x.logFailure(slog.LevelError, "the members of a Problem can't be sent", wrong)
		short := *p
		short.More = nil
		if body, wrong = short.encode(); wrong != nil {
			return wrong
		}
	}
	x.undescribe() // the handler meant another response
	return c.Bytes(p.status(), "application/problem+json", body)
}

// status returns a status that can be sent.
func (p *Problem) status() int {
	if p.Status < 200 || p.Status > 999 {
		return 500
	}
	return p.Status
}

// statusOf returns the status of an error's [Problem]; 500 if it has none.
func statusOf(err error) int {
	var p *Problem
	if errors.As(err, &p) && p.Status >= 400 {
		return p.status()
	}
	return 500
}

// clientsDoing reports whether an error is there because the client has gone. A lost
// connection may also be one to another service: so the client's own must be known to
// be lost, too.
func (x *liveRequest) clientsDoing(err error) bool {
	return errors.Is(err, ErrClientGone) || (errors.Is(err, context.Canceled) || exchange.ConnectionLost(err)) && x.gone()
}

// gone reports whether the client is known to have gone.
func (x *liveRequest) gone() bool {
	w, ok := exchange.NetWireOf(x.Wire)
	return ok && w.Gone()
}

func (x *liveRequest) logFailure(level slog.Level, message string, err error) {
	log := x.app.config.Logger
	if log.Enabled(context.Background(), level) {
		log.Log(context.Background(), level, message, "route", routeName(x), "error", err)
	}
}

// failed responds to an error, or cuts the connection if the response has begun.
func (a *App) failed(c Ctx, err error) {
	x := c.x
	if x.hooked {
		x.hooks.err = err
	}
	switch {
	case errors.Is(err, ErrAborted):
		x.cutOff()
		return
	case x.begun:
		level := slog.LevelError
		if x.gone() || x.clientsDoing(err) {
			level = slog.LevelDebug
		}
		x.logFailure(level, "handler failed after its response had begun", err)
		x.cutShort()
		return
	}
	x.Status = 0 // what the handler wanted to say is void
	wrong := a.config.ErrorHandler(c, err)
	if !x.begun && forDefault(wrong, err) {
		wrong = DefaultErrorHandler(c, wrong)
	}
	switch {
	case errors.Is(wrong, ErrAborted):
		x.cutOff()
		return
	case wrong != nil:
		x.logFailure(slog.LevelError, "error handler failed", wrong)
		if x.begun {
			x.cutOff()
		}
	}
	if !x.begun {
		if x.Status < 300 { // else the error handler has set it, and means a response without a body
			x.Status = statusOf(err)
		}
		a.bare(x, x.Status)
	}
}

// forDefault reports whether what an [ErrorHandler] returned is for the default one:
// the error it was given, or a Problem that it has made of it. Any other error is its
// own failure.
func forDefault(returned, given error) bool {
	if returned == nil || errors.Is(returned, ErrAborted) {
		return false
	}
	var p *Problem
	return errors.Is(returned, given) || errors.As(returned, &p)
}

// cutOff ends the request by closing its connection: no response will do any more.
func (x *liveRequest) cutOff() {
	x.begun = true
	x.Wire.Abort(&x.Exchange)
}

// cutShort ends the connection of a request that has failed after its response had begun.
// Behind net/http that would throw away a response that is complete but not yet sent, which
// elsewhere the client gets: there it stays as it is, and so does the connection.
func (x *liveRequest) cutShort() {
	if x.std == nil || !x.through.whole {
		x.cutOff()
	}
}

// bare responds with a status and no body where no better response could be made.
func (a *App) bare(x *liveRequest, status int) {
	x.undescribe()
	x.begun, x.Status = true, status
	if err := x.Wire.Respond(&x.Exchange, nil); err == nil || x.begun {
		return
	}
	x.hooks.stepAside() // it was the hooks that failed
	x.begun, x.Fields, x.Status = true, x.Fields[:0], status
	_ = x.Wire.Respond(&x.Exchange, nil) // the wire closes itself
}

// caught is deferred around every handler: a panic costs its own request only.
func (a *App) caught(x *liveRequest) {
	if p := recover(); p != nil {
		a.panicked(x, p)
	}
	if x.hooked {
		x.unhook(x.hooks.outcome())
	}
}

// panicked responds to a request whose handler has panicked.
func (a *App) panicked(x *liveRequest, p any) {
	if x.hooked {
		x.hooks.panicked(p)
	}
	if p == http.ErrAbortHandler {
		x.cutOff()
		return
	}
	a.config.Logger.Error("handler panicked", "route", routeName(x), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	if x.begun {
		x.cutShort()
		return
	}
	x.begun, x.Fields, x.Status = true, x.Fields[:0], 500
	_ = x.Wire.Respond(&x.Exchange, nil)
}

// Causes of a request's context (context.Cause).
var (
	// ErrClientGone ends the context of a request whose client has closed its side of
	// the connection, and is behind the error of a body that the client didn't send to
	// its end. It matches context.Canceled, so that work that ends because a client
	// hangs up isn't taken for a failure of the service. Behind net/http the cause is
	// context.Canceled itself.
	ErrClientGone error = exchange.ErrClientGone
	// ErrDrainTimeout ends the contexts of requests that outlast Limits.Drain when the
	// app shuts down.
	ErrDrainTimeout = exchange.ErrDrainTimeout
)

// errBodyCut is why a body can't be read to its end.
var errBodyCut = errors.Join(ErrClientGone, io.ErrUnexpectedEOF)

// bodyCut is a body that the client didn't send to its end: 400, for a client
// that may still be reading.
func bodyCut(err error) error {
	return NewProblem(400, "the request's body ended early").Because(errors.Join(errBodyCut, err))
}

// Problem is an error with a response, in the form of RFC 9457. Detail is for the
// client: it must not hold secrets.
type Problem struct {
	Type     string `json:"type,omitempty"` // a URI; empty means about:blank
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail,omitempty"`
	Instance string `json:"instance,omitempty"`
	// More is written in addition to the fields above, and can't replace them.
	More map[string]any `json:"-"`

	cause error
}

// NewProblem returns a problem with the status' own title, as RFC 9110 15 has it.
func NewProblem(status int, detail string) *Problem {
	return &Problem{Title: http1.Reason(status), Status: status, Detail: detail}
}

// Because keeps the error behind the problem for logs and errors.Is. Clients
// don't see it.
func (p *Problem) Because(err error) *Problem { p.cause = err; return p }

func (p *Problem) Error() string {
	s := p.Title
	if p.Detail != "" {
		s += ": " + p.Detail
	}
	if p.cause != nil {
		s += ": " + p.cause.Error()
	}
	return s
}

func (p *Problem) Unwrap() error { return p.cause }

func (p *Problem) encode() ([]byte, error) {
	if len(p.More) == 0 {
		return json.Marshal(p)
	}
	all := map[string]any{}
	for k, v := range p.More {
		all[k] = v
	}
	all["title"], all["status"] = p.Title, p.Status
	for k, v := range map[string]string{"type": p.Type, "detail": p.Detail, "instance": p.Instance} {
		if v != "" {
			all[k] = v
		}
	}
	return json.Marshal(all)
}

// Requests that are refused before routing: those that can't be read, that exceed a
// limit or arrive too slowly. No middleware sees them, so they are counted and logged
// here.

// refusals counts them by status.
type refusals struct{ counts [600]atomic.Uint64 }

// Refused returns how many requests have been refused before routing, by the status of the
// response: 400 for what isn't HTTP, or lacks TLS, and for violations of HTTP/2, which end
// a stream or a connection; 408, 413, 414, 431 for what is beyond [Limits], 501 and 505 for
// what the server doesn't implement. dyno.example/nano/metrics has them too. Each is logged
// at the level Debug.
func (a *App) Refused() iter.Seq2[int, uint64] {
	return func(yield func(status int, n uint64) bool) {
		for status := range a.refused.counts {
			if n := a.refused.counts[status].Load(); n > 0 && !yield(status, n) {
				return
			}
		}
	}
}

// refusing counts and logs a refusal.
func (a *App) refusing(status int, detail string, from netip.AddrPort) {
	a.refused.counts[status].Add(1)
	if log := a.config.Logger; log.Enabled(context.Background(), slog.LevelDebug) {
		log.Debug("request refused", "status", status, "reason", detail, "from", from)
	}
}

// violated counts and logs what no response says: that a stream or a connection of
// HTTP/2 was ended.
func (a *App) violated(err error, from netip.AddrPort) {
	a.refused.counts[400].Add(1)
	if log := a.config.Logger; log.Enabled(context.Background(), slog.LevelDebug) {
		log.Debug("request refused", "reason", err, "from", from)
	}
}

// refusalBody is the body of a refusal. It holds nothing that came from the client.
func refusalBody(status int, detail string) []byte {
	b, err := json.Marshal(Problem{Title: http1.Reason(status), Status: status, Detail: detail})
	if err != nil { // a Problem of two strings and a number can be encoded
		return nil
	}
	return b
}

// appendRefusal appends a response that closes the connection.
func appendRefusal(out, date []byte, status int, detail string) []byte {
	body := refusalBody(status, detail)
	out = append(out, http1.StatusLine(status)...)
	out = append(out, date...)
	out = append(out, "Content-Type: application/problem+json\r\nContent-Length: "...)
	out = strconv.AppendInt(out, int64(len(body)), 10)
	out = append(out, "\r\nConnection: close\r\n\r\n"...)
	return append(out, body...)
}

// admits applies to a request from net/http the limits and checks that requests on a
// loop meet. If it refuses, it has sent the response.
func (a *App) admits(w http.ResponseWriter, r *http.Request) bool {
	limits := &a.config.Limits
	status, detail := 0, ""
	switch {
	case len(r.RequestURI) > limits.URI:
		status, detail = 414, "request target longer than the limit"
	case len(r.Header) > limits.Fields || countFields(r.Header) > limits.Fields:
		status, detail = 431, "more header fields than the limit"
	case r.Host != "" && !http1.ValidHost(r.Host):
		status, detail = 400, "host is not a name or address with an optional port"
	default:
		return true
	}
	from, _ := netip.ParseAddrPort(r.RemoteAddr)
	a.refusing(status, detail, from)
	body := refusalBody(status, detail)
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.ProtoMajor == 1 {
		h.Set("Connection", "close")
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // an error: the client has gone
	return false
}

func countFields(h http.Header) (n int) {
	for _, values := range h {
		n += len(values)
	}
	return n
}
