package route

import (
	"bytes"

	"dyno/gate/config"
	"dyno/gate/request"
	"dyno/nano/wire/http1"
)

// conditions are what must hold of a request besides host, path and method.
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

func (c *conditions) hold(r *request.Request) bool {
	if c.scheme != "" && r.Secure != (c.scheme == "https") {
		return false
	}
	if c.method != "" && string(r.Method()) != c.method {
		return false
	}
	if c.port != 0 && r.Port != c.port {
		return false
	}
	for i := range c.headers {
		value, ok := r.Header(c.headers[i].Name)
		if !holds(&c.headers[i], value, ok) {
			return false
		}
	}
	for i := range c.query {
		value, ok := QueryValue(r.Query(), c.query[i].Name)
		if !holds(&c.query[i], value, ok) {
			return false
		}
	}
	for i := range c.cookies {
		value, ok := r.Cookie(c.cookies[i].Name)
		if !holds(&c.cookies[i], value, ok) {
			return false
		}
	}
	return true
}

func holds(c *config.Condition, value []byte, ok bool) bool {
	switch c.Kind {
	case config.Absent:
		return !ok
	case config.Present:
		return ok
	case config.Begins:
		return ok && len(value) >= len(c.Value) && string(value[:len(c.Value)]) == c.Value
	}
	return ok && string(value) == c.Value
}

// QueryValue returns the value of the first parameter of that name in a query. Of a
// query with escapes in it the decoded name and value count; the value is then a copy.
func QueryValue(query []byte, name string) (value []byte, ok bool) {
	for len(query) > 0 {
		var pair []byte
		pair, query, _ = bytes.Cut(query, []byte("&"))
		key, value, _ := bytes.Cut(pair, []byte("="))
		if bytes.IndexByte(key, '%') >= 0 || bytes.IndexByte(key, '+') >= 0 {
			if key, ok = http1.AppendUnescapedQuery(nil, key); !ok {
				continue
			}
		}
		if string(key) != name {
			continue
		}
		if bytes.IndexByte(value, '%') >= 0 || bytes.IndexByte(value, '+') >= 0 {
			if decoded, ok := http1.AppendUnescapedQuery(nil, value); ok {
				return decoded, true
			}
		}
		return value, true
	}
	return nil, false
}
