package cache

import (
	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/request"
)

// RequestFields are the fields of a request that a cache has to know. Its bytes are views of the
// request.
type RequestFields struct {
	Control       Directives
	Authorized    bool   // it has credentials in Authorization
	Range         []byte // nil: all is wanted
	IfRange       []byte // nil: whatever it is a part of
	NoneMatch     []byte // nil: whatever the client has
	ModifiedSince []byte //
	Foreign       bool   // it has a condition that only the origin can decide
}

// Read reads a request. What it says in Cache-Control and Pragma is ignored unless obey,
// but for no-store, which keeps what may be private out of the store.
func (a *RequestFields) Read(r *request.Request, obey bool) {
	*a = RequestFields{Control: NoDirectives}
	pragma, control := false, false
	for i := range r.Head.Fields {
		f := &r.Head.Fields[i]
		name, value := f.Name.Of(r.Buf), f.Value.Of(r.Buf)
		is := func(lower string) bool { return http1.EqualFold(name, lower) }
		switch len(name) {
		case len("range"):
			if is("range") {
				a.Range = value
			}
		case len("pragma"):
			pragma = pragma || is("pragma") && http1.ListHas(value, "no-cache")
		case len("if-range"):
			switch {
			case is("if-range"):
				a.IfRange = value
			case is("if-match"):
				a.Foreign = true
			}
		case len("cache-control"):
			switch {
			case is("cache-control"):
				control = true
				a.Control.read(value)
			case is("authorization"):
				a.Authorized = true
			case is("if-none-match"):
				if a.NoneMatch == nil {
					a.NoneMatch = value
				}
			}
		case len("if-modified-since"):
			if is("if-modified-since") {
				a.ModifiedSince = value
			}
		case len("if-unmodified-since"):
			a.Foreign = a.Foreign || is("if-unmodified-since")
		}
	}
	switch {
	case !obey:
		noStore := a.Control.NoStore
		a.Control = NoDirectives
		a.Control.NoStore = noStore
	case pragma && !control: // RFC 9111 5.4
		a.Control.NoCache = true
	}
}

// Conditional reports whether the request is conditional: the client has a response
// already.
func (a *RequestFields) Conditional() bool { return a.NoneMatch != nil || a.ModifiedSince != nil }
