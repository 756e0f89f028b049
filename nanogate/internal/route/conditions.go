package route

import (
	"bytes"
	"errors"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// conditions are a match's conditions other than host, path and method.
type conditions struct {
	headers, query, cookies []config.Condition
	scheme                  string // "": any
	method                  string // "": any
	port                    uint16 // 0: any
}

func conditionsOf(m *config.Match) conditions {
	c := conditions{headers: m.Headers, query: m.Query, cookies: m.Cookies, scheme: m.Scheme, port: m.Port}
	if m.Exactly {
		c.method = m.Methods[0]
	}
	return c
}

func (c *conditions) count() int {
	return len(c.headers) + len(c.query) + len(c.cookies) + boolean(c.scheme != "") + boolean(c.method != "") + boolean(c.port != 0)
}

// result is whether conditions hold.
type result uint8

const (
	fails result = iota
	held
	unclear // a name is there several times, and they hold by one of its values only
)

// ErrUnclear refuses a request for which a condition is ambiguous.
var ErrUnclear = errors.New("a field, cookie or parameter that routes go by is there several times, with values that lead to different ones")

// hold evaluates the conditions for a request. Upstreams read the first value of a name, or
// the last, or all: if these give different results, a route's guard may guard the wrong
// requests.
func (c *conditions) hold(r *request.Request) result {
	if c.scheme != "" && r.Secure != (c.scheme == "https") {
		return fails
	}
	if c.method != "" && string(r.Method()) != c.method {
		return fails
	}
	if c.port != 0 && r.Port != c.port {
		return fails
	}
	is := held
	for i := range c.headers {
		one := tally{condition: &c.headers[i]}
		one.fields(r)
		if is = is.and(one.result()); is == fails {
			return fails
		}
	}
	for i := range c.query {
		one := tally{condition: &c.query[i]}
		one.parameters(r.Query())
		if is = is.and(one.result()); is == fails {
			return fails
		}
	}
	for i := range c.cookies {
		one := tally{condition: &c.cookies[i]}
		one.cookies(r)
		if is = is.and(one.result()); is == fails {
			return fails
		}
	}
	return is
}

// and is the result of both.
func (v result) and(other result) result {
	switch {
	case v == fails || other == fails:
		return fails
	case v == unclear || other == unclear:
		return unclear
	}
	return held
}

// tally counts the values of a condition's name.
type tally struct {
	condition *config.Condition
	met, not  int
	first     []byte // of the values
}

func (t *tally) count(value []byte) {
	if t.met+t.not == 0 {
		t.first = value
	}
	if meets(t.condition, value) {
		t.met++
	} else {
		t.not++
	}
}

func (t *tally) result() result {
	switch {
	case t.condition.Kind == config.Absent:
		if t.met+t.not > 0 {
			return fails
		}
		return held
	case t.met == 0:
		return fails
	case t.not > 0:
		return unclear
	}
	return held
}

// fields counts fields of the name, also spelt with underscores, which are the same to CGI
// and what stands on it (RFC 3875 4.1.18).
func (t *tally) fields(r *request.Request) {
	name := t.condition.Name
	for i := range r.Head.Fields {
		f := &r.Head.Fields[i]
		if f.Name.Len() == len(name) && sameField(f.Name.Of(r.Buf), name) {
			t.count(f.Value.Of(r.Buf))
		}
	}
}

func sameField(name []byte, lower string) bool {
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] && (c != '_' || lower[i] != '-') {
			return false
		}
	}
	return true
}

// parameters counts parameters of a query. Of one with escapes in it the decoded name and
// value count.
func (t *tally) parameters(query []byte) {
	for len(query) > 0 {
		var pair []byte
		pair, query, _ = bytes.Cut(query, []byte("&"))
		key, value, _ := bytes.Cut(pair, []byte("="))
		if string(unescaped(key)) == t.condition.Name {
			t.count(unescaped(value))
		}
	}
}

// unescaped is a part of a query as it is meant: a copy if it has escapes.
func unescaped(part []byte) []byte {
	if bytes.IndexByte(part, '%') >= 0 || bytes.IndexByte(part, '+') >= 0 {
		if decoded, ok := http1.AppendUnescapedQuery(nil, part); ok {
			return decoded
		}
	}
	return part
}

func (t *tally) cookies(r *request.Request) {
	r.Cookies(func(_, name, value []byte) bool {
		if string(name) == t.condition.Name {
			t.count(value)
		}
		return true
	})
}

// meets reports whether a value that is there meets a condition.
func meets(c *config.Condition, value []byte) bool {
	switch c.Kind {
	case config.Absent:
		return false
	case config.Present:
		return true
	case config.Begins:
		return len(value) >= len(c.Value) && string(value[:len(c.Value)]) == c.Value
	}
	return string(value) == c.Value
}
