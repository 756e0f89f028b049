package gatewayapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	gw "sigs.k8s.io/gateway-api/apis/v1"

	"dyno.example/nanogate/internal/config"
)

// routeDoc is a route as a configuration has it.
type routeDoc struct {
	Name     string         `json:"name"`
	Match    matchDoc       `json:"match"`
	To       map[string]int `json:"to,omitempty"`
	Redirect *redirectDoc   `json:"redirect,omitempty"`
	Respond  *respondDoc    `json:"respond,omitempty"`
	Rewrite  string         `json:"rewrite,omitempty"`
	Host     string         `json:"host,omitempty"`
	Request  *headersDoc    `json:"request-headers,omitempty"`
	Response *headersDoc    `json:"response-headers,omitempty"`
	Timeout  string         `json:"timeout,omitempty"`
	Retry    *retryDoc      `json:"retry,omitempty"`
	Mirror   *mirrorDoc     `json:"mirror,omitempty"`
	Fault    *faultDoc      `json:"fault,omitempty"`
}

type matchDoc struct {
	Hosts   []string         `json:"host,omitempty"`
	Path    string           `json:"path"`
	Method  *isDoc           `json:"methods,omitempty"`
	Headers map[string]isDoc `json:"headers,omitempty"`
	Query   map[string]isDoc `json:"query,omitempty"`
	Scheme  string           `json:"scheme,omitempty"`
	Port    int32            `json:"port,omitempty"`
	Rank    int              `json:"rank"`
}

// isDoc is a value as it is: no star in it means anything, and GET isn't HEAD.
type isDoc struct {
	Is string `json:"is"`
}

type respondDoc struct {
	Status int `json:"status"`
}

type retryDoc struct {
	Timeout string `json:"timeout"`
}

type faultDoc struct {
	Abort abortDoc `json:"abort"`
}

type abortDoc struct {
	Status int    `json:"status"`
	Share  string `json:"share"`
}

// rules makes routes of a route's rules.
func (t *translation) rules(r *anyRoute, at attachment) *outcome {
	o := &outcome{rules: len(r.rules)}
	for i := range r.rules {
		if wrong := t.rule(r, i, at, o); wrong != "" {
			o.dropped++
			o.wrong = append(o.wrong, fmt.Sprintf("rule %d: %s", i, wrong))
		}
	}
	return o
}

// rule makes routes of a rule: one for each match, and each scheme and port if listeners of
// several are served. What it can't carry out it says; the rule's requests get 500 then, as the
// rest of it could be a guard.
func (t *translation) rule(r *anyRoute, index int, at attachment, o *outcome) (wrong string) {
	from := &r.rules[index]
	if wrong = from.wrong; wrong == "" {
		wrong = from.lost
	}
	matches := from.matches
	if len(matches) == 0 && from.lost == "" {
		matches = []gw.HTTPRouteMatch{{}}
	}
	entrances := t.entrances()
	for n := range matches {
		match, prefix, problem := matchOf(&matches[n])
		if problem != "" { // there is nothing that could be answered
			wrong = problem
			continue
		}
		for _, e := range entrances {
			hosts, attached := at.hosts[e]
			if !attached {
				continue
			}
			made := routeDoc{Name: nameOf(r, index, n), Match: match}
			made.Match.Hosts = hosts
			made.only(e, entrances)
			problem := from.wrong
			if problem == "" {
				problem = t.act(r, from, &made, place{e.scheme, at.ports[e], prefix}, o)
			}
			if problem == "" {
				problem = t.check(&made)
			}
			if problem != "" {
				wrong = problem
				made = routeDoc{Name: made.Name, Match: made.Match, Respond: &respondDoc{500}}
				if t.check(&made) != "" {
					continue
				}
			}
			t.made.Routes = append(t.made.Routes, made)
		}
	}
	if len(at.hosts) == 0 && len(matches) > 0 && wrong == "" { // it is served nowhere, and its references are looked at all the same
		t.act(r, from, &routeDoc{}, place{}, o)
	}
	return wrong
}

// only has a route take what comes to one of the entrances.
func (r *routeDoc) only(e entrance, all []entrance) {
	if slices.ContainsFunc(all, func(other entrance) bool { return other.scheme != e.scheme }) {
		r.Match.Scheme = e.scheme
		r.Name += "@" + e.scheme
	}
	if slices.ContainsFunc(all, func(other entrance) bool { return other.scheme == e.scheme && other.port != e.port }) {
		r.Match.Port = e.port
		r.Name += "@" + strconv.Itoa(int(e.port))
	}
}

func nameOf(r *anyRoute, rule, match int) string {
	name := fmt.Sprintf("%s/%d.%d", r.name, rule, match)
	if r.kind != "HTTPRoute" {
		name = "grpc/" + name
	}
	return name
}

// place is where a rule's requests come in.
type place struct {
	scheme string
	port   int32
	prefix bool // the path is matched by a prefix
}

// Of two rules for the same path the one with a method comes first, then the one with
// more fields, then the one with more parameters (HTTPRouteRule's documentation). There
// are at most 16 of each.
const (
	rankMost   = 1000
	rankMethod = 500
	rankField  = 20
)

// matchOf makes the match of a rule. prefix says whether the path is a prefix's.
func matchOf(m *gw.HTTPRouteMatch) (made matchDoc, prefix bool, wrong string) {
	made.Path, prefix, wrong = pathOf(m.Path)
	if wrong != "" {
		return made, prefix, wrong
	}
	made.Rank = rankMost
	if m.Method != nil {
		made.Method = &isDoc{string(*m.Method)}
		made.Rank -= rankMethod
	}
	for _, h := range m.Headers {
		if h.Type != nil && *h.Type != gw.HeaderMatchExact {
			return made, prefix, fmt.Sprintf("a match of headers by %s isn't supported", *h.Type)
		}
		name := strings.ToLower(string(h.Name))
		if _, twice := made.Headers[name]; twice {
			continue // only the first of a name counts
		}
		if made.Headers == nil {
			made.Headers = map[string]isDoc{}
		}
		made.Headers[name] = isDoc{h.Value}
		made.Rank -= rankField
	}
	for _, q := range m.QueryParams {
		if q.Type != nil && *q.Type != gw.QueryParamMatchExact {
			return made, prefix, fmt.Sprintf("a match of parameters by %s isn't supported", *q.Type)
		}
		if _, twice := made.Query[string(q.Name)]; twice {
			continue
		}
		if made.Query == nil {
			made.Query = map[string]isDoc{}
		}
		made.Query[string(q.Name)] = isDoc{q.Value}
		made.Rank--
	}
	return made, prefix, ""
}

// pathOf makes the pattern of a path.
func pathOf(m *gw.HTTPPathMatch) (pattern string, prefix bool, wrong string) {
	kind, value := gw.PathMatchPathPrefix, "/"
	if m != nil && m.Type != nil {
		kind = *m.Type
	}
	if m != nil && m.Value != nil {
		value = *m.Value
	}
	switch {
	case kind != gw.PathMatchExact && kind != gw.PathMatchPathPrefix:
		return "", false, fmt.Sprintf("a match of paths by %s isn't supported", kind)
	case strings.ContainsAny(value, "*{}"):
		return "", false, fmt.Sprintf("a path with any of *{} isn't supported, such as %q", value)
	case kind == gw.PathMatchExact:
		return value, false, ""
	}
	return strings.TrimRight(value, "/") + "/*", true, ""
}

// check says what is wrong with a route as a configuration's, which the API may allow.
func (t *translation) check(made *routeDoc) string {
	all := struct {
		Listen   string   `json:"listen"`
		Identity []string `json:"identity"`
		document
	}{"127.0.0.1:1", append([]string{}, t.Identity...), document{[]routeDoc{*made}, map[string]upstreamDoc{}}}
	for name := range made.To {
		all.Upstreams[name] = t.made.Upstreams[name]
	}
	if made.Mirror != nil {
		all.Upstreams[made.Mirror.To] = t.made.Upstreams[made.Mirror.To]
	}
	src, err := json.Marshal(all)
	if err != nil {
		return err.Error()
	}
	_, err = config.Parse("kubernetes", src)
	var problems config.Problems
	if errors.As(err, &problems) && len(problems) > 0 {
		field := strings.TrimPrefix(strings.TrimPrefix(problems[0].Field, "routes[0]"), ".")
		return strings.TrimPrefix(field+": "+problems[0].Message, ": ")
	}
	if err != nil {
		return err.Error()
	}
	return ""
}
