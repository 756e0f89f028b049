package nano

import (
	"context"
	"crypto/tls"
	"io"
	"strings"
	"time"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/wire/http1"
)

// Hooks are how middleware sees and changes a response on its way, and learns how it
// ended, whatever sends it: the handler, the error handler, or the app when a handler
// has panicked. They stand between the exchange and its wire, only for requests whose
// middleware has set them.

// Outcome is how a request ended.
type Outcome struct {
	Status int           // of the response; 101: hijacked; 0: the connection was cut before the response began
	Size   int64         // bytes of content given to the wire; 0 for HEAD, 204 and 304
	Took   time.Duration // since the request's first hook was set
	Err    error         // what the handler returned, or a panic; nil if there was none
	Cut    bool          // the connection was closed before the end of the response
	Gone   bool          // the client had closed the connection, or didn't take the response; what failed then may be its doing
}

// BeforeResponse has f called when a response's head is about to be sent: the last
// moment to change its fields, with the Ctx, and its content, with the [Response]. What
// was set last, by the innermost middleware, is called first. It is not called if the
// response has begun, nor for the bare 500 after a panic.
//
// f gets the Ctx so that it can be made when the middleware is: then a request
// costs no allocation.
func (c Ctx) BeforeResponse(f func(Ctx, *Response)) {
	h := c.own().hook()
	h.before = append(h.before, f)
}

// AfterResponse has f called when the response has been given to the wire, before the
// Ctx ends. What was set last is called first. A panic in f is logged. If it is set
// when the response has begun, the size in f's Outcome lacks what was sent before.
func (c Ctx) AfterResponse(f func(Ctx, Outcome)) {
	h := c.own().hook()
	h.after = append(h.after, f)
}

// SetContext makes ctx the request's context, for a deadline or values that the
// handlers inside are to see. It must have been derived from [Ctx.Context], not
// from the Ctx itself, which would then be its own parent.
func (c Ctx) SetContext(ctx context.Context) {
	x := c.own()
	x.context() // so that the end of the request ends ctx
	x.setContext(ctx)
}

// TLS reports whether the request came over TLS, to this server: a proxy in front
// of it that ended TLS isn't seen.
func (c Ctx) TLS() bool { return c.live().TLS != nil }

// ConnectionState returns what TLS was agreed on, with the client's certificate if it
// has sent one; nil without TLS. It must not be changed.
func (c Ctx) ConnectionState() *tls.ConnectionState { return c.live().TLS }

// LimitBody makes reading more than limit bytes of the request's body fail with
// [ErrBodyTooLarge], and returns it at once if the body is known to be larger.
// It can't raise Limits.Body, nor that of the route: see [WithLimits].
func (c Ctx) LimitBody(limit int64) error {
	x := c.own()
	size := x.Req.ContentLength
	if x.Body.Ready {
		size = int64(len(x.Body.Whole))
	}
	if size > limit {
		return ErrBodyTooLarge
	}
	if !x.Body.Ready {
		h := x.hook()
		if h.limited { // by what is further outside
			limit = min(limit, h.left)
		}
		h.limited, h.left = true, limit
	}
	return nil
}

// Vary adds the name of a request's field to the response's Vary, unless it is
// there (RFC 9110 12.5.5).
func (c Ctx) Vary(name string) {
	x := c.own()
	for rest := x.Fields; len(rest) > 0; {
		line, end := exchange.CutLine(rest)
		if len(line) > len("vary:") && line[4] == ':' && exchange.SameName(line[:4], "vary") &&
			(http1.ListHas(line[5:], strings.ToLower(name)) || http1.ListHas(line[5:], "*")) {
			return
		}
		rest = rest[end:]
	}
	x.addField("Vary", name)
}

// Response is a response whose head has not been sent. It is valid in the function
// given to [Ctx.BeforeResponse].
type Response struct {
	x      *liveRequest
	body   []byte
	length int64
	whole  bool
}

// Status returns the response's status.
func (a *Response) Status() int { return a.x.Status }

// SetStatus changes the response's status.
func (a *Response) SetStatus(code int) { a.x.Status = checkStatus(code) }

// RemoveHeader takes all fields of the name out of the response.
func (a *Response) RemoveHeader(name string) { a.x.removeField(name) }

// Body returns the whole content, as it was before filters; false if the response
// is streamed. It must not be changed or kept.
func (a *Response) Body() (content []byte, whole bool) { return a.body, a.whole }

// Length returns the size of the content before filters, -1 if it isn't known.
func (a *Response) Length() int64 { return a.length }

// Replace changes the content of a whole response. The bytes must stay as they are
// until the response has been sent. It panics if the response is streamed.
func (a *Response) Replace(content []byte) {
	if !a.whole {
		panic("nano: the content of a streamed response can't be replaced; use Filter")
	}
	a.body, a.length = content, int64(len(content))
}

// Filter is a coding of a response's content, such as a compression. Streamed and
// whole responses go through it alike.
type Filter interface {
	// Reset begins a response whose coded content goes to next. It isn't called if
	// the response turns out to have no content (204, 304).
	Reset(next io.Writer)
	io.Writer
	// Flush writes to next what lets the client decode all written so far.
	Flush() error
	// Close writes the end to next. It is not called if the response is cut.
	Close() error
}

// Filter puts the content through f, after the filters of middleware further inside.
// The caller sets the fields that describe the coding, except Content-Length.
func (a *Response) Filter(f Filter) {
	h := a.x.hooks
	h.filters = append(h.filters, f)
	a.x.removeField("Content-Length")
}

// stage is what comes after the first i filters.
type stage struct {
	h *hooks
	i int
}

func (s stage) Write(p []byte) (int, error) {
	if s.i < len(s.h.filters) {
		return s.h.filters[s.i].Write(p)
	}
	return s.h.put(p)
}
