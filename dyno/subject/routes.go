package subject

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"dyno.example/dyno/load/request"
	"dyno.example/dyno/subject/contract"
)

// ParseRoutes reads a list of routes; file is its name in messages. Mistakes
// are reported as by [ParseManifest].
func ParseRoutes(file string, data []byte) ([]contract.Route, error) {
	r := &reader{file: file}
	root := r.parse(data)
	if root == nil {
		return nil, r.err()
	}
	var routes []contract.Route
	seen := map[string]bool{}
	r.items(root, "", func(item *yaml.Node, p string) {
		route := r.route(item, p)
		if seen[route.Name] {
			r.fail(item, p, "a second route with the name %q", route.Name)
		}
		seen[route.Name] = true
		routes = append(routes, route)
	})
	if len(r.errs) == 0 && len(routes) == 0 {
		r.fail(root, "", "no routes; expected at least one")
	}
	return routes, r.err()
}

func (r *reader) route(n *yaml.Node, p string) contract.Route {
	route := contract.Route{Method: "GET", Expect: contract.Expect{Status: 200}}
	r.object(n, p,
		field{"name", true, r.text(&route.Name)},
		field{"method", false, r.method(&route.Method)},
		field{"path", true, r.urlPath(&route.Path)},
		field{"headers", false, r.headers(&route.Headers)},
		field{"body", false, func(n *yaml.Node, p string) { route.Body, _ = r.scalar(n, p) }},
		field{"expect", true, r.expect(&route.Expect)},
	)
	return route
}

func (r *reader) expect(dst *contract.Expect) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		r.object(n, p,
			field{"status", false, r.status(&dst.Status)},
			field{"headers", false, r.headers(&dst.Headers)},
			field{"text", false, func(n *yaml.Node, p string) {
				if s, ok := r.scalar(n, p); ok {
					dst.Text = &s
				}
			}},
			field{"json", false, func(n *yaml.Node, p string) { dst.JSON = r.json(n, p) }},
			field{"contains", false, r.text(&dst.Contains)},
		)
		bodies := 0
		for _, given := range []bool{dst.Text != nil, dst.JSON != nil, dst.Contains != ""} {
			if given {
				bodies++
			}
		}
		if bodies > 1 {
			r.fail(n, p, "only one of text, json and contains can be given")
		}
	}
}

var methodName = regexp.MustCompile(`^[A-Z]+$`)

func (r *reader) method(dst *string) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		s, ok := r.scalar(n, p)
		if ok && !methodName.MatchString(s) {
			r.fail(n, p, "%q is not a method; expected one such as GET or POST", s)
		}
		*dst = s
	}
}

func (r *reader) status(dst *int) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		s, ok := r.scalar(n, p)
		code, err := strconv.Atoi(s)
		if ok && (err != nil || code < 200 || code > 599) {
			r.fail(n, p, "%q is not a status; expected a number from 200 to 599", s)
		}
		*dst = code
	}
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$") // RFC 9110, 5.1 and 5.6.2

func (r *reader) headers(dst *[]request.Header) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		r.pairs(n, p, func(key, value *yaml.Node) {
			if !headerName.MatchString(key.Value) {
				r.fail(key, p, "%q is not the name of a header", key.Value)
			}
			s, ok := r.scalar(value, join(p, key.Value))
			if ok && strings.ContainsAny(s, "\r\n\x00") {
				r.fail(value, join(p, key.Value), "a header's value must be one line")
			}
			*dst = append(*dst, request.Header{Name: key.Value, Value: s})
		})
	}
}

// json reads a value written as YAML, or as text that holds JSON.
func (r *reader) json(n *yaml.Node, p string) any {
	switch n.Kind {
	case yaml.MappingNode:
		object := map[string]any{}
		r.pairs(n, p, func(key, value *yaml.Node) { object[key.Value] = r.json(value, join(p, key.Value)) })
		return object
	case yaml.SequenceNode:
		list := []any{}
		r.items(n, p, func(item *yaml.Node, p string) { list = append(list, r.json(item, p)) })
		return list
	case yaml.ScalarNode:
		return r.jsonScalar(n, p)
	}
	r.fail(n, p, "expected a value, got %s", kindName(n))
	return nil
}

func (r *reader) jsonScalar(n *yaml.Node, p string) any {
	if text := strings.TrimSpace(n.Value); n.Tag == "!!str" && strings.IndexAny(text, "{[") == 0 {
		value, err := contract.DecodeJSON([]byte(text))
		if err != nil {
			r.fail(n, p, "not valid JSON: %v", err)
		}
		return value
	}
	switch n.Tag {
	case "!!null":
		return nil
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err != nil {
			r.fail(n, p, "%q is not a boolean", n.Value)
		}
		return b
	case "!!int", "!!float":
		if !json.Valid([]byte(n.Value)) {
			r.fail(n, p, "%q is not a number in JSON", n.Value)
			return nil
		}
		return json.Number(n.Value)
	}
	return n.Value
}
