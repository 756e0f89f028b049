package request

import "context"

// Claims are what a guard has verified about a request's sender: a token's claims, a
// certificate's names, the name of a key or a user. Values are JSON's: strings, numbers
// (float64), booleans, lists ([]any) and objects (map[string]any); and []string. They are
// made once, shared by requests, and immutable.
type Claims map[string]any

// found is what one guard has verified, or a value that was kept with the request.
type found struct {
	guard  string // "": it is kept by key
	claims Claims
	key    any
	value  any
}

// Verified notes what a guard has verified, under its name in configuration files, such
// as "jwt". Another time by that name replaces it.
func (r *Request) Verified(guard string, claims Claims) {
	for i := range r.found {
		if r.found[i].guard == guard {
			r.found[i].claims = claims
			return
		}
	}
	r.found = append(r.found, found{guard: guard, claims: claims})
}

// Claims returns what the guard of that name has verified; nil if it wasn't called, or
// lets requests pass without.
func (r *Request) Claims(guard string) Claims {
	for i := range r.found {
		if r.found[i].guard == guard {
			return r.found[i].claims
		}
	}
	return nil
}

// EachClaims calls f with what each guard has verified, in the order of guards.
func (r *Request) EachClaims(f func(guard string, claims Claims)) {
	for i := range r.found {
		if r.found[i].guard != "" {
			f(r.found[i].guard, r.found[i].claims)
		}
	}
}

// Keep keeps a value with the request until it has ended, under a comparable key of the
// caller's own type, as with [context.WithValue]: what a middleware finds out about a
// request, for its response.
func (r *Request) Keep(key, value any) {
	for i := range r.found {
		if r.found[i].guard == "" && r.found[i].key == key {
			r.found[i].value = value
			return
		}
	}
	r.found = append(r.found, found{key: key, value: value})
}

// Kept returns what was kept by that key, nil if nothing was.
func (r *Request) Kept(key any) any {
	for i := range r.found {
		if r.found[i].guard == "" && r.found[i].key == key {
			return r.found[i].value
		}
	}
	return nil
}

// AtEnd makes f be called when the request has ended, however it ends: once, on its loop, where
// it must not block. A request isn't over while a cached response that its client got is
// revalidated. Guards and middleware call it while they handle the request. The outcome is the
// client's, and valid until f returns.
func (r *Request) AtEnd(f func(o *Outcome)) { r.ends = append(r.ends, f) }

// TakeEnds takes out what [Request.AtEnd] was given.
func (r *Request) TakeEnds() []func(*Outcome) {
	all := r.ends
	r.ends = nil
	return all
}

// Context ends at the deadline of work on the request, or when the request has ended. On a
// loop it never ends.
func (r *Request) Context() context.Context {
	if r.ctx == nil {
		return context.Background()
	}
	return r.ctx
}

// SetContext sets it, of a request that [Request.Clone] has made.
func (r *Request) SetContext(ctx context.Context) { r.ctx = ctx }

// Clone returns a copy of the request that is the caller's own, to be looked at and
// changed on another goroutine; [Request.Adopt] takes over what was changed of it.
func (r *Request) Clone() *Request {
	c := *r
	head := *r.Head
	head.Fields = append(head.Fields[:0:0], head.Fields...)
	c.Head, c.Buf = &head, append([]byte(nil), r.Buf...)
	c.Path, c.Params = append([]byte(nil), r.Path...), append([]Span(nil), r.Params...)
	c.lines, c.added = append([]byte(nil), r.lines...), append([]byte(nil), r.added...)
	c.drops = append([]string(nil), r.drops...)
	c.found = append([]found(nil), r.found...)
	c.ends, c.own, c.loan = nil, true, nil
	if r.Response != nil {
		c.Response = r.Response.clone()
	}
	return &c
}

// Adopt takes over what was set of a clone: fields for the upstream and for the response,
// another first line, what is changed of the response, claims, and what is kept.
func (r *Request) Adopt(clone *Request) {
	r.lines, r.added = append(r.lines[:0], clone.lines...), append(r.added[:0], clone.added...)
	r.drops = append(r.drops[:0], clone.drops...)
	r.found = append(r.found[:0], clone.found...)
	r.ends = append(r.ends, clone.ends...)
	r.rewritten = clone.rewritten
	r.Importance = clone.Importance
	if r.Response != nil && clone.Response != nil {
		r.Response.adopt(clone.Response)
	}
}
