package config

import (
	"slices"
	"strings"

	"dyno.example/nano/wire/http1"
)

// Redirect sends a client elsewhere.
type Redirect struct {
	Status int // 301, 302, 303, 307, 308
	To     *Template
}

// Respond answers without an upstream.
type Respond struct {
	Status int
	Type   string // of the content
	Body   string
}

// Template is a text with {names}: those of the path's pattern, "rest", "/rest" (with the
// slash before it; empty where the path has none), and in redirects {host}, {hostname}
// (without its port), {path} and {query} ("?" included, empty without one).
type Template struct {
	At    At
	Parts []Part
}

// Part is one piece of a template: a text, or the name of what is put there.
type Part struct{ Text, Name string }

// unknown returns a name that isn't among params or those of redirects.
func (t *Template) unknown(params []string) (name string, ok bool) {
	for _, part := range t.Parts {
		if part.Name == "/rest" && slices.Contains(params, "rest") {
			continue
		}
		if part.Name != "" && !slices.Contains(params, part.Name) && !slices.Contains([]string{"host", "hostname", "path", "query"}, part.Name) {
			return part.Name, false
		}
	}
	return "", true
}

// NewTemplate reads a template; wrong says why it is none, "" if it is one.
func NewTemplate(at At, text string) (t *Template, wrong string) {
	t = &Template{At: at}
	for text != "" {
		literal, rest, found := strings.Cut(text, "{")
		if literal != "" {
			t.Parts = append(t.Parts, Part{Text: literal})
		}
		if !found {
			break
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || name == "" {
			return t, "a name in braces has no end"
		}
		t.Parts = append(t.Parts, Part{Name: name})
		text = after
	}
	return t, ""
}

// String is the template's text.
func (t *Template) String() string {
	var b strings.Builder
	for _, part := range t.Parts {
		b.WriteString(part.Text)
		if part.Name != "" {
			b.WriteString("{" + part.Name + "}")
		}
	}
	return b.String()
}

// check says what is wrong with a template, which is of a path or of a URL.
func (t *Template) check(report report, path bool) {
	if path && len(t.Parts) > 0 && t.Parts[0].Name != "/rest" && (t.Parts[0].Text == "" || t.Parts[0].Text[0] != '/') {
		report(nil, "such as /v2/{rest}", "a path begins with a slash")
	}
	for _, part := range t.Parts {
		for i := range len(part.Text) {
			if c := part.Text[i]; c <= ' ' || c > '~' || c == '\\' || c == '#' && path {
				report(nil, "", "%q can't stand in it", c)
				return
			}
		}
	}
}

func readTemplate(p place) *Template {
	t, wrong := NewTemplate(p.At(), p.text())
	if wrong != "" {
		p.Problem("such as /v2/{rest}", "%s", wrong)
	}
	return t
}

func readRedirect(p place) *Redirect {
	r := &Redirect{Status: 308}
	if !p.IsMapping() {
		r.To = readTemplate(p)
		return r
	}
	found := readFields(p, r, []known[Redirect]{
		{"to", func(r *Redirect, p place) { r.To = readTemplate(p) }},
		{"status", func(r *Redirect, p place) { r.Status = p.status(301, 308) }},
	})
	if _, ok := found["to"]; !ok {
		p.Problem("add: to: https://{host}{path}{query}", "the redirect leads nowhere")
	}
	return r
}

func (r *Redirect) check(report report) {
	if !slices.Contains([]int{301, 302, 303, 307, 308}, r.Status) {
		report([]string{"status"}, "", "expected 301, 302, 303, 307 or 308, got %d", r.Status)
	}
	if r.To != nil {
		r.To.check(report.in("to"), false)
	}
}

// The statuses that a route may respond with.
const leastStatus, mostStatus = 200, 599

// NewRespond is a response of that status with the defaults.
func NewRespond(status int) *Respond {
	return &Respond{Status: status, Type: "text/plain; charset=utf-8"}
}

func readRespond(p place) *Respond {
	r := NewRespond(200)
	readFields(p, r, []known[Respond]{
		{"status", func(r *Respond, p place) { r.Status = p.status(leastStatus, mostStatus) }},
		{"type", func(r *Respond, p place) { r.Type = p.text() }},
		{"body", func(r *Respond, p place) {
			text, ok := p.Scalar()
			if r.Body = text; !ok {
				p.Problem("", "expected a text, got %s", p.Describe())
			}
		}},
	})
	return r
}

func checkHost(host string) (hint, message string) {
	if host != "" && host != "upstream" && !http1.ValidHost(host) {
		return "upstream, or a host such as api.example.com", "expected a host, got " + form.Quote(host)
	}
	return "", ""
}

// Headers is what is changed of a message's fields: what is removed, then set in place
// of what was there, then added to it. Names are in lower case in Remove, and as
// written in the others.
type Headers struct {
	Remove   []string
	Set, Add []Field
}

// Field is a header field.
type Field struct{ Name, Value string }

// Empty reports whether nothing is changed.
func (h *Headers) Empty() bool { return len(h.Remove)+len(h.Set)+len(h.Add) == 0 }

// framing are the fields that say how a message is framed and connections are used:
// the gateway's own business.
var framing = []string{"connection", "content-length", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"}

func readHeaders(p place) (h Headers) {
	readFields(p, &h, []known[Headers]{
		{"remove", func(h *Headers, p place) {
			for _, item := range p.list() {
				h.Remove = append(h.Remove, strings.ToLower(item.text()))
			}
		}},
		{"set", func(h *Headers, p place) { h.Set = readPairs(p) }},
		{"add", func(h *Headers, p place) { h.Add = readPairs(p) }},
	})
	return h
}

func readPairs(p place) (all []Field) {
	for _, f := range p.fields() {
		value, ok := f.value.Scalar()
		if !ok {
			f.value.Problem("", "expected a value without control characters, got %s", f.value.Describe())
			continue
		}
		all = append(all, Field{f.key, value})
	}
	return all
}

// check says what is wrong with changes of fields.
func (h *Headers) check(report report) {
	for i, name := range h.Remove {
		hint, message := checkFieldName(name)
		report.value(hint, message, "remove", item(i))
	}
	for _, list := range []struct {
		name   string
		fields []Field
	}{{"set", h.Set}, {"add", h.Add}} {
		for _, f := range list.fields {
			hint, message := checkFieldName(f.Name)
			report.value(hint, message, list.name, nameOf(f.Name))
			if !http1.ValidFieldValue(f.Value) {
				report([]string{list.name, f.Name}, "", "expected a value without control characters, got %s", form.Quote(f.Value))
			}
		}
	}
}

// checkFieldName checks the name of a field that is changed.
func checkFieldName(name string) (hint, message string) {
	if hint, message = checkToken("header field", name); message != "" {
		return hint, message
	}
	if slices.Contains(framing, strings.ToLower(name)) {
		return "", name + " frames messages and can't be changed"
	}
	return "", ""
}

// readFieldName reads the name of a field that the gateway puts in.
func readFieldName(p place, name string) string {
	if hint, message := checkFieldName(name); name != "" && message != "" {
		p.Problem(hint, "%s", message)
	}
	return name
}
