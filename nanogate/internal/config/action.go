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

func readTemplate(p place) *Template {
	text := p.text()
	t := &Template{At: p.At()}
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
			p.Problem("such as /v2/{rest}", "a name in braces has no end")
			break
		}
		t.Parts = append(t.Parts, Part{Name: name})
		text = after
	}
	if len(t.Parts) > 0 && t.Parts[0].Name != "/rest" && (t.Parts[0].Text == "" || t.Parts[0].Text[0] != '/') && !strings.HasPrefix(p.Field, "redirect") && strings.HasSuffix(p.Field, "rewrite") {
		p.Problem("such as /v2/{rest}", "a path begins with a slash")
	}
	for _, part := range t.Parts {
		for i := range len(part.Text) {
			if c := part.Text[i]; c <= ' ' || c > '~' || c == '\\' || c == '#' && strings.HasSuffix(p.Field, "rewrite") {
				p.Problem("", "%q can't stand in it", c)
				return t
			}
		}
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
		{"status", func(r *Redirect, p place) {
			if r.Status = p.status(301, 308); !slices.Contains([]int{301, 302, 303, 307, 308}, r.Status) {
				p.Problem("", "expected 301, 302, 303, 307 or 308, got %d", r.Status)
			}
		}},
	})
	if _, ok := found["to"]; !ok {
		p.Problem("add: to: https://{host}{path}{query}", "the redirect leads nowhere")
	}
	return r
}

func readRespond(p place) *Respond {
	r := &Respond{Status: 200, Type: "text/plain; charset=utf-8"}
	readFields(p, r, []known[Respond]{
		{"status", func(r *Respond, p place) { r.Status = p.status(200, 599) }},
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

func readHost(p place) string {
	host := p.text()
	if host != "" && host != "upstream" && !http1.ValidHost(host) {
		p.Problem("upstream, or a host such as api.example.com", "expected a host, got %s", form.Quote(host))
	}
	return host
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
				h.Remove = append(h.Remove, strings.ToLower(readFieldName(item, item.token("header field"))))
			}
		}},
		{"set", func(h *Headers, p place) { h.Set = readPairs(p) }},
		{"add", func(h *Headers, p place) { h.Add = readPairs(p) }},
	})
	return h
}

func readPairs(p place) (all []Field) {
	for _, f := range p.fields() {
		if !http1.ValidToken(f.key) {
			f.named.Problem("", "expected the name of a header field, got %s", form.Quote(f.key))
			continue
		}
		value, ok := f.value.Scalar()
		if !ok || !http1.ValidFieldValue(value) {
			f.value.Problem("", "expected a value without control characters, got %s", f.value.Describe())
			continue
		}
		all = append(all, Field{readFieldName(f.named, f.key), value})
	}
	return all
}

func readFieldName(p place, name string) string {
	if slices.Contains(framing, strings.ToLower(name)) {
		p.Problem("", "%s frames messages and can't be changed", name)
	}
	return name
}
