package nano

import (
	"context"
	"io"
	"strings"
	"time"

	"dyno/nano/wire/http1"
)

// Hooks are how middleware sees and changes an answer on its way, and learns how
// it ended, whatever sends it: the handler, the error handler, or the app when a
// handler has panicked. They stand between the exchange and its wire and are
// there only for requests that asked for them.

// Outcome is how a request ended.
type Outcome struct {
	Status int           // of the answer; 101: hijacked; 0: the connection was cut before the answer began
	Size   int64         // bytes of content given to the wire; 0 for HEAD, 204 and 304
	Took   time.Duration // since the request's first hook was set
	Err    error         // what the handler returned, or a panic; nil if there was none
	Cut    bool          // the connection was closed before the end of the answer
	Gone   bool          // the client had closed the connection, or didn't take the answer; what failed then may be its doing
}

// BeforeAnswer has f called when an answer's head is about to be sent: the last
// moment to change its fields, with the Ctx, and its content, with the [Answer].
// What was set last, by the innermost middleware, is called first. It is not
// called if the answer has begun, nor for the bare 500 that answers a panic.
//
// f gets the Ctx so that it can be made when the middleware is: then a request
// costs no allocation.
func (c Ctx) BeforeAnswer(f func(Ctx, *Answer)) {
	h := c.own().hook()
	h.before = append(h.before, f)
}

// AfterAnswer has f called when the answer has been given to the wire, before
// the Ctx ends. What was set last is called first. A panic in f is logged. Set when
// the answer has begun, f isn't told the size of what was sent before.
func (c Ctx) AfterAnswer(f func(Ctx, Outcome)) {
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
func (c Ctx) TLS() bool { return c.live().tls != nil }

// LimitBody makes reading more than limit bytes of the request's body fail with
// [ErrBodyTooLarge], and returns it at once if the body is known to be larger.
// It can't raise Limits.Body, nor that of the route: see [WithLimits].
func (c Ctx) LimitBody(limit int64) error {
	x := c.own()
	size := x.req.ContentLength
	if x.body.ready {
		size = int64(len(x.body.whole))
	}
	if size > limit {
		return ErrBodyTooLarge
	}
	if !x.body.ready {
		h := x.hook()
		if h.limited { // by what is further outside
			limit = min(limit, h.left)
		}
		h.limited, h.left = true, limit
	}
	return nil
}

// Vary adds the name of a request's field to the answer's Vary, unless it is
// there (RFC 9110 12.5.5).
func (c Ctx) Vary(name string) {
	x := c.own()
	for rest := x.fields; len(rest) > 0; {
		line, end := cutLine(rest)
		if len(line) > len("vary:") && line[4] == ':' && sameName(line[:4], "vary") &&
			(http1.ListHas(line[5:], strings.ToLower(name)) || http1.ListHas(line[5:], "*")) {
			return
		}
		rest = rest[end:]
	}
	x.addField("Vary", name)
}

// Answer is an answer whose head has not been sent. It is valid in the function
// given to [Ctx.BeforeAnswer].
type Answer struct {
	x      *exchange
	body   []byte
	length int64
	whole  bool
}

// Status returns the answer's status.
func (a *Answer) Status() int { return a.x.status }

// SetStatus changes the answer's status.
func (a *Answer) SetStatus(code int) { a.x.status = checkStatus(code) }

// RemoveHeader takes all fields of the name out of the answer.
func (a *Answer) RemoveHeader(name string) { a.x.removeField(name) }

// Body returns the whole content, as it was before filters; false if the answer
// is streamed. It must not be changed or kept.
func (a *Answer) Body() (content []byte, whole bool) { return a.body, a.whole }

// Length returns the size of the content before filters, -1 if it isn't known.
func (a *Answer) Length() int64 { return a.length }

// Replace changes the content of a whole answer. The bytes must stay as they are
// until the answer has been sent. It panics if the answer is streamed.
func (a *Answer) Replace(content []byte) {
	if !a.whole {
		panic("nano: the content of a streamed answer can't be replaced; use Filter")
	}
	a.body, a.length = content, int64(len(content))
}

// Filter is a coding of an answer's content, such as a compression. Streamed and
// whole answers go through it alike.
type Filter interface {
	// Reset begins an answer whose coded content goes to next. It isn't called if
	// the answer turns out to have no content (204, 304).
	Reset(next io.Writer)
	io.Writer
	// Flush writes to next what lets the client decode all written so far.
	Flush() error
	// Close writes the end to next. It is not called if the answer is cut.
	Close() error
}

// Filter puts the content through f, after the filters of middleware further
// inside. The fields that tell of it are the caller's business, but for
// Content-Length.
func (a *Answer) Filter(f Filter) {
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
