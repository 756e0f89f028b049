package openapi

import (
	"cmp"
	"reflect"
	"slices"

	"dyno.example/nano"
)

// Operation is what a route says of itself, given to [nano.Describe]. Several of
// them, of groups and of the route, add up: the innermost wins, tags and
// parameters of different names or places are collected.
type Operation struct {
	ID          string // operationId; default is the route's name if it was given one
	Summary     string
	Description string // may hold CommonMark
	Tags        []string
	Params      []Param
	// Body is a value of the type of the request's body, such as User{}; only its
	// type counts. Fields that nano.Bind takes from elsewhere (tags path, query, header,
	// cookie) become parameters of their types, unless Params has them. nil: that of
	// nano.Binds, if the route has it, else no body.
	Body any
	// BodyType is the body's media type; default application/json.
	BodyType  string
	Responses Responses
	// Security names schemes of [Config.Security] of which the client must meet
	// all.
	Security   []string
	Deprecated bool
	// Hidden leaves the route out.
	Hidden bool
}

// Responses are a route's responses by status; 0 stands for all others.
type Responses map[int]Response

// Response is one response.
type Response struct {
	Description string // default is the status' own text
	// Body is a value of the type of the body; nil: none.
	Body any
	// BodyType is the body's media type; default application/json.
	BodyType string
}

// Param is a parameter of the query, a header field, a cookie, or says more of
// one in the path.
type Param struct {
	Name        string
	In          In // default Query
	Description string
	Required    bool // always so in a path
	// Type is a value of the parameter's type; default is a string.
	Type any
	// Validate are rules as in a validate tag.
	Validate string
}

// In says where a parameter is.
type In string

const (
	Query  In = "query"
	Header In = "header"
	Cookie In = "cookie"
	Path   In = "path"
)

// operationOf returns what a route and its groups say. ok is false if they say
// nothing. The type that a route binds is its body unless they name another.
func operationOf(r *nano.Route) (op Operation, ok bool) {
	for _, d := range r.Descriptions() {
		if more, is := d.(Operation); is {
			op.add(more)
			ok = true
		}
	}
	if binds := r.Binds(); op.Body == nil && len(binds) > 0 {
		op.Body = reflect.Zero(binds[len(binds)-1]).Interface()
	}
	return op, ok
}

// add puts what an inner description says over o.
func (o *Operation) add(inner Operation) {
	for _, s := range []struct{ to, from *string }{
		{&o.ID, &inner.ID}, {&o.Summary, &inner.Summary}, {&o.Description, &inner.Description}, {&o.BodyType, &inner.BodyType},
	} {
		if *s.from != "" {
			*s.to = *s.from
		}
	}
	if inner.Body != nil {
		o.Body = inner.Body
	}
	if inner.Security != nil {
		o.Security = inner.Security
	}
	o.Tags = append(o.Tags[:len(o.Tags):len(o.Tags)], inner.Tags...)
	o.Params = merged(o.Params, inner.Params)
	o.Deprecated = o.Deprecated || inner.Deprecated
	o.Hidden = o.Hidden || inner.Hidden
	all := Responses{}
	for _, responses := range []Responses{o.Responses, inner.Responses} {
		for status, a := range responses {
			all[status] = a
		}
	}
	o.Responses = all
}

// merged returns the parameters of both; the inner one of two for the same thing,
// for a document must not hold both (OpenAPI 3.1, 4.8.10).
func merged(outer, inner []Param) []Param {
	all := slices.Clone(outer)
	for _, p := range inner {
		at := slices.IndexFunc(all, func(o Param) bool { return o.Name == p.Name && cmp.Or(o.In, Query) == cmp.Or(p.In, Query) })
		if at < 0 {
			all = append(all, p)
		} else {
			all[at] = p
		}
	}
	return all
}
