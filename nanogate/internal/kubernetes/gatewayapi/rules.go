package gatewayapi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	gw "sigs.k8s.io/gateway-api/apis/v1"

	"dyno.example/nanogate/internal/config"
)

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
		match, prefix, problem := matchOf(&matches[n], r.at(index))
		if problem != "" { // there is nothing to respond to
			wrong = problem
			continue
		}
		for _, e := range entrances {
			hosts, attached := at.hosts[e]
			if !attached {
				continue
			}
			made := config.NewRoute(r.at(index), nameOf(r, index, n))
			made.Match = match
			made.Match.Hosts = hosts
			only(made, e, entrances)
			problem := from.wrong
			if problem == "" {
				problem = t.act(r, from, made, place{e.scheme, at.ports[e], prefix}, o)
			}
			if problem == "" {
				problem = t.check(made)
			}
			if problem != "" {
				wrong = problem
				respond(made, 500)
				if t.check(made) != "" {
					continue
				}
			}
			t.result.Addition.Routes = append(t.result.Addition.Routes, made)
		}
	}
	if len(at.hosts) == 0 && len(matches) > 0 && wrong == "" { // it is served nowhere, and its references are looked at all the same
		t.act(r, from, config.NewRoute(r.at(index), ""), place{}, o)
	}
	return wrong
}

// at is where a rule stands.
func (r *anyRoute) at(index int) config.At {
	return config.At{Path: r.kind + " " + r.name.String(), Field: fmt.Sprintf("spec.rules[%d]", index)}
}

// respond has a route do nothing with requests but respond with a status.
func respond(r *config.Route, status int) {
	made := config.NewRoute(r.At, r.Name)
	made.Match, made.Respond = r.Match, config.NewRespond(status)
	*r = *made
}

// only has a route take what comes to one of the entrances.
func only(r *config.Route, e entrance, all []entrance) {
	if slices.ContainsFunc(all, func(other entrance) bool { return other.scheme != e.scheme }) {
		r.Match.Scheme = e.scheme
		r.Name += "@" + e.scheme
	}
	if slices.ContainsFunc(all, func(other entrance) bool { return other.scheme == e.scheme && other.port != e.port }) {
		r.Match.Port = uint16(e.port)
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
func matchOf(m *gw.HTTPRouteMatch, at config.At) (made config.Match, prefix bool, wrong string) {
	pattern, prefix, wrong := pathOf(m.Path)
	if wrong != "" {
		return made, prefix, wrong
	}
	made.Path = config.Pattern{At: at, Text: pattern}
	made.Rank = rankMost
	if m.Method != nil {
		made.Methods, made.Exactly = []string{string(*m.Method)}, true
		made.Rank -= rankMethod
	}
	for _, h := range m.Headers {
		if h.Type != nil && *h.Type != gw.HeaderMatchExact {
			return made, prefix, fmt.Sprintf("a match of headers by %s isn't supported", *h.Type)
		}
		if addCondition(&made.Headers, strings.ToLower(string(h.Name)), h.Value) {
			made.Rank -= rankField
		}
	}
	for _, q := range m.QueryParams {
		if q.Type != nil && *q.Type != gw.QueryParamMatchExact {
			return made, prefix, fmt.Sprintf("a match of parameters by %s isn't supported", *q.Type)
		}
		if addCondition(&made.Query, string(q.Name), q.Value) {
			made.Rank--
		}
	}
	return made, prefix, ""
}

// addCondition adds a condition, unless there is one for that name: only the first counts.
func addCondition(all *[]config.Condition, name, value string) bool {
	if slices.ContainsFunc(*all, func(c config.Condition) bool { return c.Name == name }) {
		return false
	}
	*all = append(*all, config.Condition{Name: name, Value: value})
	return true
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

// check says what is wrong with a route as the gateway takes it, which the API may allow.
func (t *translation) check(made *config.Route) string {
	problems := made.Problems(t.Identity)
	if len(problems) == 0 {
		return ""
	}
	field := strings.TrimPrefix(strings.TrimPrefix(problems[0].Field, made.At.Field), ".")
	return strings.TrimPrefix(field+": "+problems[0].Message.String(), ": ")
}
