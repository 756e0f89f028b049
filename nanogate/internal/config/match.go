package config

import (
	"strings"

	"dyno.example/nano/wire/http1"
)

// Match is which requests a route takes: those that all of its parts hold for.
type Match struct {
	Hosts   []string // in lower case; "*.example.com" is any one label or more; empty: all
	Path    Pattern
	Methods []string // empty: all. GET stands for HEAD too
	Exactly bool     // the one method is a condition: GET isn't HEAD, and for others there is no such route
	Headers []Condition
	Query   []Condition
	Cookies []Condition
	Scheme  string // "http" or "https", as the client spoke it; "": both
	Port    uint16 // of the address that is listened on; 0: all
	Rank    int    // of routes whose host and path are the same: lower ones are tried first
}

// Condition is what a header field, a parameter of the query or a cookie must be.
type Condition struct {
	Name  string // of a field in lower case
	Value string // exactly, or what it begins with
	Kind  ConditionKind
}

// ConditionKind is how a value is compared.
type ConditionKind uint8

const (
	Equals  ConditionKind = iota
	Begins                // "v1*"
	Present               // "*"
	Absent                // "!"
)

const mostRank = 1_000_000

func newMatch(at At) Match { return Match{Path: Pattern{At: at, Text: "/*"}} }

var matchFields = []known[Match]{
	// Host names in any case, without a port; `*.example.com` is any name below. Default: all
	{"host", func(m *Match, p place) {
		for _, item := range p.list() {
			m.Hosts = append(m.Hosts, strings.ToLower(item.text()))
		}
	}},
	// A pattern, see [which route wins](#which-route-wins). Default: `/*`
	{"path", func(m *Match, p place) { m.Path = Pattern{At: p.At(), Text: p.text()} }},
	// GET includes HEAD, and other methods get 405; with `{is: GET}` only that method matches, and
	// others find no route. Default: all
	{"methods", func(m *Match, p place) {
		if p.IsMapping() {
			if len(p.fields()) == 0 {
				p.Problem("such as {is: GET}", "expected a method")
			}
			// The one method.
			readFields(p, m, []known[Match]{{"is", func(m *Match, p place) { m.Methods, m.Exactly = []string{p.text()}, true }}})
			return
		}
		for _, item := range p.list() {
			m.Methods = append(m.Methods, item.text())
		}
	}},
	// Header fields by name: `value`, `begins*`, `*` for any value, `!` for absent, `{is: value*}`
	// for that exact text.
	{"headers", func(m *Match, p place) { m.Headers = readConditions(p, true) }},
	// Parameters of the query, in the same way.
	{"query", func(m *Match, p place) { m.Query = readConditions(p, false) }},
	// Cookies, in the same way.
	{"cookies", func(m *Match, p place) { m.Cookies = readConditions(p, false) }},
	// As clients speak it. Default: both
	{"scheme", func(m *Match, p place) { m.Scheme = p.word("http", "https") }},
	// Of the address that is listened on. Default: all
	{"port", func(m *Match, p place) { m.Port = uint16(p.Integer(1, 65535)) }},
	// Of routes with the same host and path those with a lower one are tried first. Default: `0`
	{"rank", func(m *Match, p place) { m.Rank = p.Integer(0, mostRank) }},
}

// check says what is wrong with a match.
func (m *Match) check(report report) {
	for i, host := range m.Hosts {
		name := strings.TrimPrefix(host, "*.")
		if !http1.ValidHost(name) || strings.Contains(name, "*") || strings.Contains(name, ":") && !strings.HasPrefix(name, "[") {
			report([]string{"host", item(i)}, "such as api.example.com or *.example.com", "expected a host without a port, got %s", form.Quote(host))
		}
	}
	hint, message := checkPattern(m.Path.Text)
	report.value(hint, message, "path")
	for i, method := range m.Methods {
		step := item(i)
		if m.Exactly {
			step = "is"
		}
		hint, message := checkMethod(method)
		report.value(hint, message, "methods", step)
	}
	checkConditions(report.in("headers"), m.Headers, "header field")
	checkConditions(report.in("query"), m.Query, "")
	checkConditions(report.in("cookies"), m.Cookies, "cookie")
	if m.Scheme != "" && m.Scheme != "http" && m.Scheme != "https" {
		report([]string{"scheme"}, "", "expected http or https, got %s", form.Quote(m.Scheme))
	}
	hint, message = between(0, mostRank, m.Rank)
	report.value(hint, message, "rank")
}

// checkConditions checks conditions whose names are those of something.
func checkConditions(report report, all []Condition, what string) {
	for i := range all {
		c := &all[i]
		if what != "" {
			hint, message := checkToken(what, c.Name)
			report.value(hint, message, nameOf(c.Name))
		}
		if c.Kind == Equals || c.Kind == Begins {
			hint, message := checkText(c.Value)
			report.value(hint, message, c.Name)
		}
	}
}

func checkMethod(method string) (hint, message string) {
	if hint, message = checkToken("method", method); message != "" {
		return hint, message
	}
	if up := strings.ToUpper(method); up != method {
		return "write " + up, "methods are in capitals, got " + form.Quote(method)
	}
	return "", ""
}

func readConditions(p place, header bool) (all []Condition) {
	for _, f := range p.fields() {
		c := Condition{Name: f.key}
		if header {
			c.Name = strings.ToLower(f.key)
		}
		if f.value.IsMapping() { // for values that end with a star
			// The exact value, which may end with a star.
			readFields(f.value, &c, []known[Condition]{{"is", func(c *Condition, p place) { c.Value = p.text() }}})
			all = append(all, c)
			continue
		}
		switch text := f.value.text(); {
		case text == "*":
			c.Kind = Present
		case text == "!":
			c.Kind = Absent
		case strings.HasSuffix(text, "*"):
			c.Kind, c.Value = Begins, strings.TrimSuffix(text, "*")
		default:
			c.Value = text
		}
		all = append(all, c)
	}
	return all
}

// Text is the condition's value as the file has it.
func (c Condition) Text() string {
	switch c.Kind {
	case Present:
		return "*"
	case Absent:
		return "!"
	case Begins:
		return c.Value + "*"
	}
	return c.Value
}
