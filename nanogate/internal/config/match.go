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

func newMatch(at At) Match { return Match{Path: Pattern{At: at, Text: "/*"}} }

var matchFields = []known[Match]{
	{"host", (*Match).readHosts},
	{"path", func(m *Match, p place) { m.Path = readPattern(p) }},
	{"methods", func(m *Match, p place) {
		if p.IsMapping() {
			if len(p.fields()) == 0 {
				p.Problem("such as {is: GET}", "expected a method")
			}
			readFields(p, m, []known[Match]{{"is", func(m *Match, p place) { m.Methods, m.Exactly = []string{readMethod(p)}, true }}})
			return
		}
		for _, item := range p.list() {
			m.Methods = append(m.Methods, readMethod(item))
		}
	}},
	{"headers", func(m *Match, p place) { m.Headers = readConditions(p, true) }},
	{"query", func(m *Match, p place) { m.Query = readConditions(p, false) }},
	{"cookies", func(m *Match, p place) {
		for _, f := range p.fields() {
			if !http1.ValidToken(f.key) {
				f.named.Problem("", "expected the name of a cookie, got %s", form.Quote(f.key))
			}
		}
		m.Cookies = readConditions(p, false)
	}},
	{"scheme", func(m *Match, p place) { m.Scheme = p.word("http", "https") }},
	{"port", func(m *Match, p place) { m.Port = uint16(p.Integer(1, 65535)) }},
	{"rank", func(m *Match, p place) { m.Rank = p.Integer(0, 1_000_000) }},
}

func readMethod(p place) string {
	method := p.token("method")
	if up := strings.ToUpper(method); up != method && method != "" {
		p.Problem("write "+up, "methods are in capitals, got %s", form.Quote(method))
	}
	return method
}

func (m *Match) readHosts(p place) {
	for _, item := range p.list() {
		host := strings.ToLower(item.text())
		name := strings.TrimPrefix(host, "*.")
		if host != "" && (!http1.ValidHost(name) || strings.Contains(name, "*") || strings.Contains(name, ":") && !strings.HasPrefix(name, "[")) {
			item.Problem("such as api.example.com or *.example.com", "expected a host without a port, got %s", form.Quote(host))
			continue
		}
		m.Hosts = append(m.Hosts, host)
	}
}

func readConditions(p place, header bool) (all []Condition) {
	for _, f := range p.fields() {
		c := Condition{Name: f.key}
		if header {
			c.Name = strings.ToLower(f.key)
			if !http1.ValidToken(f.key) {
				f.named.Problem("", "expected the name of a header field, got %s", form.Quote(f.key))
			}
		}
		if f.value.IsMapping() { // for values that end with a star
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

// Pattern is a pattern of paths: literal text, {name} for one segment, * at its end
// for any rest. "/api/*" is "/api" too, and "/api*" anything that begins so.
type Pattern struct {
	At   At
	Text string
}

// Params are the names in the pattern, in its order; "rest" is what the star is.
func (p Pattern) Params() (names []string) {
	for segment := range strings.SplitSeq(p.Text, "/") {
		if name, ok := param(segment); ok {
			names = append(names, name)
		}
	}
	if strings.HasSuffix(p.Text, "*") {
		names = append(names, "rest")
	}
	return names
}

// param returns the name of a segment that is a parameter.
func param(segment string) (name string, ok bool) {
	if len(segment) > 2 && segment[0] == '{' && segment[len(segment)-1] == '}' {
		return segment[1 : len(segment)-1], true
	}
	return "", false
}

const mostParams = 8 // of a pattern

func readPattern(p place) Pattern {
	pattern := Pattern{At: p.At(), Text: p.text()}
	if pattern.Text == "" {
		pattern.Text = "/*"
		return pattern
	}
	if hint, message := checkPattern(pattern.Text); message != "" {
		p.Problem(hint, "%s", message)
		pattern.Text = "/*"
	}
	return pattern
}

// checkPattern says what is wrong with a pattern, or "".
func checkPattern(text string) (hint, message string) {
	if text[0] != '/' {
		return "write /" + text, "a path begins with a slash"
	}
	body := strings.TrimSuffix(text, "*")
	switch {
	case strings.Contains(body, "*"):
		return "such as /api/*, or {name} for one segment", "a star is only at the end of a path"
	case strings.ContainsAny(text, "?#"):
		return "the query is matched by query: {name: value}", "a path has no query"
	case strings.Contains(text, "//"):
		return "repeated slashes are one slash before a path is matched", "no path holds //"
	case strings.Contains(text, "%"):
		return "", "a pattern is written without escapes of ordinary characters, and no other is taken"
	}
	names := map[string]bool{"rest": true}
	for segment := range strings.SplitSeq(body, "/") {
		name, ok := param(segment)
		switch {
		case segment == "." || segment == "..":
			return "dots are resolved before a path is matched", "no path holds " + form.Quote("/"+segment+"/")
		case !ok && strings.ContainsAny(segment, "{}"):
			return "such as /users/{id}/orders", "a parameter is a whole segment, got " + form.Quote(segment)
		case ok && (names[name] || !isName(name)):
			return "", "expected a name that is the pattern's only one, got " + form.Quote(name)
		case ok:
			names[name] = true
		}
	}
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c > '~' || c == '\\' || c == '"' {
			return "", "expected a path of printable ASCII characters, got " + form.Quote(text)
		}
	}
	if len(names) > mostParams {
		return "", "expected a path with fewer parameters"
	}
	return "", ""
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
