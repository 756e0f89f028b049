package config

import (
	"slices"
	"strings"
)

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
