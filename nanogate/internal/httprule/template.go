// Package httprule knows the path templates of google.api.http (google/api/http.proto,
// "Path template syntax"): it reads them, and finds the one that a request's path
// matches.
package httprule

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxSegments is how many segments a template may have.
const MaxSegments = 32

// mostText bounds a template, in bytes.
const mostText = 2048

// Template is a path template that was read.
type Template struct {
	Text      string    // as it was written
	Segments  []Segment // of the whole path, those of variables among them
	Verb      string    // what stands behind the colon at its end; "": nothing does
	Variables []Variable
}

// Segment is one part of a path between slashes.
type Segment struct {
	Kind Kind
	Text string // of a literal, without escapes
}

// Kind is what a segment matches.
type Kind uint8

const (
	Literal    Kind = iota // the same text
	Star                   // any segment that isn't empty
	DoubleStar             // all that follows, nothing too
)

// Variable binds a part of a path to a field.
type Variable struct {
	Field    []string // names of fields on the way to it: "a.b" is two
	From, To int      // its segments are Segments[From:To]
}

// Name is the field's path as it was written.
func (v *Variable) Name() string { return strings.Join(v.Field, ".") }

// several reports whether v may take more than one segment: slashes that are escaped in
// a path stay so then.
func (t *Template) several(v *Variable) bool {
	return v.To-v.From != 1 || t.Segments[v.From].Kind == DoubleStar
}

// Parse reads a template:
//
//	Template  = "/" Segments [ Verb ] ;
//	Segments  = Segment { "/" Segment } ;
//	Segment   = "*" | "**" | LITERAL | Variable ;
//	Variable  = "{" FieldPath [ "=" Segments ] "}" ;
//	FieldPath = IDENT { "." IDENT } ;
//	Verb      = ":" LITERAL ;
//
// "/" is accepted too. What can't match any path is an error.
func Parse(text string) (*Template, error) {
	p := parser{rest: text, t: &Template{Text: text}}
	if err := p.template(); err != nil {
		return nil, fmt.Errorf("path template %q: %w", cut(text), err)
	}
	return p.t, nil
}

func cut(text string) string {
	if len(text) > 100 {
		return strings.ToValidUTF8(text[:100], "") + "…"
	}
	return text
}

// parser reads a template from its front.
type parser struct {
	rest string
	t    *Template
}

// errHere makes an error of where the parser is.
func (p *parser) errHere(what string) error {
	if p.rest == "" {
		return fmt.Errorf("%s at its end", what)
	}
	return fmt.Errorf("%s before %q", what, cut(p.rest))
}

// take takes a prefix if it is there.
func (p *parser) take(prefix string) bool {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	p.rest = rest
	return ok
}

func (p *parser) template() error {
	if len(p.rest) > mostText {
		return fmt.Errorf("it has more than %d bytes", mostText)
	}
	if !p.take("/") {
		return errors.New("it has to begin with a slash")
	}
	if p.rest == "" {
		return nil
	}
	if err := p.segments(false); err != nil {
		return err
	}
	if p.take(":") {
		verb, err := p.literal()
		if err != nil {
			return err
		}
		p.t.Verb = verb
	}
	if p.rest != "" {
		return p.errHere("expected a slash, or a verb behind a colon,")
	}
	return nil
}

func (p *parser) segments(variable bool) error {
	for {
		if n := len(p.t.Segments); n > 0 && p.t.Segments[n-1].Kind == DoubleStar {
			return p.errHere(`"**" has to be the last segment, and another one follows`)
		}
		if err := p.segment(variable); err != nil {
			return err
		}
		if len(p.t.Segments) > MaxSegments {
			return fmt.Errorf("it has more than %d segments", MaxSegments)
		}
		if !p.take("/") {
			return nil
		}
	}
}

func (p *parser) segment(variable bool) error {
	switch {
	case p.take("**"):
		p.t.Segments = append(p.t.Segments, Segment{Kind: DoubleStar})
	case p.take("*"):
		p.t.Segments = append(p.t.Segments, Segment{Kind: Star})
	case variable && strings.HasPrefix(p.rest, "{"):
		return errors.New("a variable can't hold another one")
	case p.take("{"):
		return p.variable()
	default:
		text, err := p.literal()
		if err != nil {
			return err
		}
		if text == "." || text == ".." {
			return fmt.Errorf("%q is no segment: paths are resolved before they are matched", text)
		}
		p.t.Segments = append(p.t.Segments, Segment{Kind: Literal, Text: text})
	}
	return nil
}

func (p *parser) variable() error {
	v := Variable{From: len(p.t.Segments)}
	for {
		name := p.ident()
		if name == "" {
			return p.errHere("expected the name of a field")
		}
		v.Field = append(v.Field, name)
		if !p.take(".") {
			break
		}
	}
	if p.take("=") {
		if err := p.segments(true); err != nil {
			return err
		}
	} else {
		p.t.Segments = append(p.t.Segments, Segment{Kind: Star})
	}
	if !p.take("}") {
		return p.errHere(`expected "}"`)
	}
	v.To = len(p.t.Segments)
	for i := range p.t.Variables {
		if p.t.Variables[i].Name() == v.Name() {
			return fmt.Errorf("the field %s is bound twice", v.Name())
		}
	}
	p.t.Variables = append(p.t.Variables, v)
	return nil
}

// ident takes a name as protobuf has it.
func (p *parser) ident() string {
	n := 0
	for n < len(p.rest) && (isLetter(p.rest[n]) || n > 0 && isDigit(p.rest[n])) {
		n++
	}
	name := p.rest[:n]
	p.rest = p.rest[n:]
	return name
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// literal takes text as a path's segment has it (RFC 3986 3.3), without what means
// something in a template. Its escapes are decoded.
func (p *parser) literal() (string, error) {
	n := 0
	for n < len(p.rest) && isPathText(p.rest[n]) {
		n++
	}
	if n == 0 {
		return "", p.errHere("expected a segment")
	}
	text := p.rest[:n]
	decoded := unescape(nil, []byte(text), false)
	if len(text) != len(decoded)+2*strings.Count(text, "%") {
		return "", p.errHere("a percent sign needs two digits behind it,")
	}
	if !utf8.Valid(decoded) {
		return "", p.errHere("what is no UTF-8")
	}
	p.rest = p.rest[n:]
	return string(decoded), nil
}

// isPathText reports whether a byte may stand in a literal.
func isPathText(c byte) bool {
	return isLetter(c) || isDigit(c) || c >= 0x80 || strings.IndexByte("-.~%!$&'()+,;=@", c) >= 0
}

// unescape appends a path's text with its escapes decoded; slashes of several segments
// stay escaped. A percent sign without two digits stays as it is.
func unescape(dst, text []byte, several bool) []byte {
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			high, ok1 := hex(text[i+1])
			low, ok2 := hex(text[i+2])
			if c := high<<4 | low; ok1 && ok2 && (c != '/' || !several) {
				dst = append(dst, c)
				i += 2
				continue
			}
		}
		dst = append(dst, text[i])
	}
	return dst
}

func hex(c byte) (byte, bool) {
	switch {
	case isDigit(c):
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
