package nano

import (
	"context"
	"net/netip"
	"strconv"
	"time"
)

// Ctx is one request and its answer. It is a small value: pass it on, but don't
// keep it. It belongs to the goroutine that runs the handler and ends when the
// handler returns; every method but those of [context.Context] panics after
// that, naming the route.
//
// As a context.Context it ends when the client goes away, at the deadline, when
// the app shuts down, and when the handler returns. After that it is a cancelled
// context for good: what was started with it may still ask.
type Ctx struct {
	x   *exchange
	gen uint32
}

var _ context.Context = Ctx{}

// live returns the exchange, or panics if the request is over.
func (c Ctx) live() *exchange {
	if c.x == nil || c.x.gen.Load() != c.gen {
		c.misused()
	}
	return c.x
}

// misused reports the use of a Ctx after its handler has returned.
func (c Ctx) misused() {
	where := "a handler"
	if c.x != nil {
		if ago := c.x.gen.Load() - c.gen; ago > pastRoutes {
			where += " that ended more than " + strconv.Itoa(pastRoutes) + " requests before"
		} else if r := c.x.past[c.gen%pastRoutes].Load(); r != nil {
			where += " of " + r.Name()
		}
	}
	panic("nano: Ctx of " + where + " was used after the handler returned; copy what is needed before returning, or start the work with c.Context()")
}

// Method returns the request's method.
func (c Ctx) Method() View { x := c.live(); return View(x.req.Method.Of(x.buf)) }

// Proto returns the protocol's version: "HTTP/1.0", "HTTP/1.1" or "HTTP/2.0".
func (c Ctx) Proto() string {
	x := c.live()
	if x.std != nil {
		return x.std.Proto
	}
	return protoOf(x.req.Minor)
}

// Path returns the path as it was sent, still percent-encoded.
func (c Ctx) Path() View { return View(c.live().path()) }

// RawQuery returns what follows "?" in the target, still encoded.
func (c Ctx) RawQuery() View { x := c.live(); return View(x.req.Query.Of(x.buf)) }

// Host returns the host and port that the client asked for, by what a trusted
// proxy said if it did. Routes are chosen by the host of the request itself.
func (c Ctx) Host() View {
	x := c.live()
	if h := x.forwarded(); h.host != "" {
		return View(h.host)
	}
	return View(x.req.Host.Of(x.buf))
}

// Header returns the value of the first field with the name, nil if there is
// none. Names match without regard to case.
func (c Ctx) Header(name string) View { return View(c.live().field(name)) }

// Param returns the part of the path that matched {name}, percent-decoded; nil
// if the pattern has no such name.
func (c Ctx) Param(name string) View { return View(c.live().param(name)) }

// Route returns the route that is being served; nil in a not-found handler.
func (c Ctx) Route() *Route { return c.live().route }

// RemoteAddr returns the address of the client: of the peer, or what a trusted
// proxy said of it.
func (c Ctx) RemoteAddr() netip.AddrPort {
	x := c.live()
	if h := x.forwarded(); h.client.IsValid() {
		return h.client
	}
	return x.peer()
}

// Answered reports whether the answer has begun.
func (c Ctx) Answered() bool { return c.live().begun }

// Context returns the request's context for work that takes one: it ends as Ctx
// does, and may be kept.
func (c Ctx) Context() context.Context { return c.live().context() }

// Deadline is part of context.Context.
func (c Ctx) Deadline() (time.Time, bool) {
	if ctx := c.made(); ctx != nil {
		return ctx.Deadline()
	}
	return time.Time{}, false
}

// Done is part of context.Context.
func (c Ctx) Done() <-chan struct{} {
	if ctx := c.made(); ctx != nil {
		return ctx.Done()
	}
	return closed
}

// Err is part of context.Context.
func (c Ctx) Err() error {
	if ctx := c.made(); ctx != nil {
		return ctx.Err()
	}
	return context.Canceled
}

// Value is part of context.Context.
func (c Ctx) Value(key any) any {
	if ctx := c.made(); ctx != nil {
		return ctx.Value(key)
	}
	return nil
}

// made returns the request's context, nil if the request is over. Once it has been
// made any goroutine may ask, also while the request ends: who misses what asked
// had finds that gen has changed.
func (c Ctx) made() context.Context {
	if c.x == nil {
		return nil
	}
	if a := c.x.asked.Load(); a != nil && a.gen == c.gen {
		return a.Context
	}
	if c.over() {
		return nil
	}
	return c.x.context()
}

func (c Ctx) over() bool { return c.x == nil || c.x.gen.Load() != c.gen }

var closed = func() chan struct{} { ch := make(chan struct{}); close(ch); return ch }()
