package nano

import (
	"context"
	"iter"
	"net/netip"
	"strconv"
	"time"
)

// Ctx is one request and its response. It is a small value: pass it on, but don't
// keep it. It belongs to the goroutine that runs the handler and ends when the
// handler returns; every method but those of [context.Context] panics after
// that, naming the route.
//
// As a context.Context it ends when the client goes away, at the deadline, when the app
// shuts down, and when the handler returns. After that it stays a cancelled context:
// goroutines started with it may still use it.
type Ctx struct {
	x   *liveRequest
	gen uint32
}

var _ context.Context = Ctx{}

// live returns the exchange, or panics if the request is over.
func (c Ctx) live() *liveRequest {
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
	panic("nano: Ctx of " + where + " was used after the handler returned; copy what is needed before returning; work that outlives the handler needs a context of its own, as c.Context() ends with the request")
}

// Method returns the request's method.
func (c Ctx) Method() View { x := c.live(); return View(x.Req.Method.Of(x.Buf)) }

// Proto returns the protocol's version: "HTTP/1.0", "HTTP/1.1" or "HTTP/2.0".
func (c Ctx) Proto() string {
	x := c.live()
	if x.std != nil {
		return x.std.Proto
	}
	return x.proto()
}

// Path returns the path as it was sent, still percent-encoded.
func (c Ctx) Path() View { return View(c.live().path()) }

// RawQuery returns what follows "?" in the target, still encoded.
func (c Ctx) RawQuery() View { x := c.live(); return View(x.Req.Query.Of(x.Buf)) }

// Host returns the host and port of the client's request, as a trusted proxy forwarded
// them if it did. Routes are chosen by the host of the request itself.
func (c Ctx) Host() View {
	x := c.live()
	if h := x.forwarded(); h.host != "" {
		return View(h.host)
	}
	return View(x.Req.Host.Of(x.Buf))
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

// Responded reports whether the response has begun.
func (c Ctx) Responded() bool { return c.live().begun }

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

// made returns the request's context, nil if the request is over. Once it has been made
// any goroutine may call this, also while the request ends: Recycle changes gen before
// it clears handed, so a goroutine that finds handed empty then finds another gen.
func (c Ctx) made() context.Context {
	if c.x == nil {
		return nil
	}
	if a := c.x.handed.Load(); a != nil && a.gen == c.gen {
		return a.Context
	}
	if c.over() {
		return nil
	}
	return c.x.context()
}

func (c Ctx) over() bool { return c.x == nil || c.x.gen.Load() != c.gen }

var closed = func() chan struct{} { ch := make(chan struct{}); close(ch); return ch }()

// Headers goes through the header fields of the request, names and values, in
// the order they were sent.
func (c Ctx) Headers() iter.Seq2[View, View] {
	x := c.live()
	return func(yield func(name, value View) bool) {
		for i := range x.Req.Fields {
			f := &x.Req.Fields[i]
			if !yield(View(f.Name.Of(x.Buf)), View(f.Value.Of(x.Buf))) {
				return
			}
		}
	}
}

// View is a piece of the request as it lies in the read buffer. It is valid
// until the handler returns and must not be changed. string(v) copies; using it
// only to compare, as in string(v) == "x", or to look up a map, does not
// allocate.
type View []byte

// String returns the bytes as a string that stays.
func (v View) String() string { return string(v) }

// Int reads a decimal integer.
func (v View) Int() (int, error) { return strconv.Atoi(string(v)) }

// Key is a typed name for a value that middleware keeps with a request. Make one
// per kind of value, as a package variable.
type Key[T any] struct{ name string }

// NewKey returns a key. The name is for people: two keys of the same name are
// different.
func NewKey[T any](name string) *Key[T] { return &Key[T]{name} }

// Set keeps a value with the request. It replaces an earlier one.
func (k *Key[T]) Set(c Ctx, v T) {
	x := c.own()
	for i := range x.values {
		if x.values[i].key == any(k) {
			x.values[i].value = v
			return
		}
	}
	x.values = append(x.values, value{k, v})
}

// Get returns the request's value, and whether there is one.
func (k *Key[T]) Get(c Ctx) (T, bool) {
	for _, v := range c.live().values {
		if v.key == any(k) {
			kept, _ := v.value.(T) // a nil of an interface type is none of its own
			return kept, true
		}
	}
	var none T
	return none, false
}

// value is one value kept with a request.
type value struct{ key, value any }
