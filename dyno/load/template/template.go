// Package template renders the parts of a request that change from one to the
// next: texts with placeholders such as
//
//	/users/{{int 1 1000}}?token={{hex 16}}
//	{"id": "{{uuid}}", "name": {{json feed.users.name}}}
//
// [Compile] turns a text into a [Template] once; [Template.Append] renders it
// into a buffer and allocates nothing. What changes is in a [State], of which
// each load loop has its own, so that the same seed gives the same requests.
// The package is pure: files are read from an [io.Reader], the environment and
// the time are the caller's to give.
//
// The placeholders:
//
//	{{int LOW HIGH}}     an integer from LOW to HIGH, both included
//	{{string N}}         N random letters and digits
//	{{hex N}}            N random hexadecimal digits
//	{{uuid}}             a random UUID (RFC 9562, version 4)
//	{{choice "a" "b"}}   one of the texts
//	{{seq}}, {{seq 100}} 0, 1, 2 … or from 100: a number of its own for each request
//	{{timestamp}}        Unix time in s; also {{timestamp unix-ms}} and {{timestamp rfc3339}}
//	{{env NAME}}         an environment variable, read once
//	{{feed.NAME.COLUMN}} a column of a feed's current row; all placeholders of a request see the same row
//	{{json X}}, {{url X}} where X is choice, env or feed: as a JSON string, or percent-encoded
//	{{"{{"}}             the text in quotes, here two braces
package template

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Env is what placeholders can refer to.
type Env struct {
	Getenv func(name string) (value string, ok bool) // nil: no variable is set
	Feeds  []*Feed                                   // at most [MaxFeeds]
}

// MaxFeeds is how many feeds a load can have.
const MaxFeeds = 32

// Template is a compiled text. It is read-only and may be shared.
type Template struct {
	segments []segment
	uses     Uses
}

// Uses says what a request takes from its [State].
type Uses struct {
	feeds    uint32 // by index
	sequence bool
}

// Or returns what either uses.
func (u Uses) Or(o Uses) Uses { return Uses{u.feeds | o.feeds, u.sequence || o.sequence} }

// Feed reports whether the i-th feed of the Env is used.
func (u Uses) Feed(i int) bool { return u.feeds&(1<<i) != 0 }

const (
	opening = "{{"
	closing = "}}"
)

// Compile reads a text with placeholders.
func Compile(text string, env *Env) (*Template, error) {
	t := &Template{}
	for text != "" {
		before, rest, found := strings.Cut(text, opening)
		t.constant(before)
		if !found {
			break
		}
		inner, rest, err := placeholder(rest)
		if err != nil {
			return nil, err
		}
		s, err := parse(inner, env)
		if err != nil {
			return nil, fmt.Errorf("%s%s%s: %w", opening, inner, closing, err)
		}
		t.add(s)
		text = rest
	}
	return t, nil
}

// Escape returns a template that renders text, whatever is in it.
func Escape(text string) string { return strings.ReplaceAll(text, opening, `{{"{{"}}`) }

// placeholder returns what is between the braces and what follows them. Braces
// in quotes don't count.
func placeholder(text string) (inner, rest string, err error) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quoted:
			i++
		case text[i] == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(text[i:], closing):
			return text[:i], text[i+len(closing):], nil
		}
	}
	return "", "", fmt.Errorf(`%q lacks its closing %s; write {{"{{"}} for two braces that are meant as such`, cut(opening+text), closing)
}

// cut shortens a text for a message.
func cut(text string) string {
	const most = 40
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

func (t *Template) constant(text string) {
	if text != "" {
		t.add(segment{kind: literal, text: text})
	}
}

// add appends a segment. Literals in a row become one.
func (t *Template) add(s segment) {
	if n := len(t.segments); s.kind == literal && n > 0 && t.segments[n-1].kind == literal {
		t.segments[n-1].text += s.text
		return
	}
	t.segments = append(t.segments, s)
	switch s.kind {
	case feedField:
		t.uses.feeds |= 1 << s.feed
	case sequence:
		t.uses.sequence = true
	}
}

// Uses returns what the template takes from a State.
func (t *Template) Uses() Uses { return t.uses }

// Constant returns the text of a template without placeholders, or with ones
// that never change.
func (t *Template) Constant() (text string, ok bool) {
	switch len(t.segments) {
	case 0:
		return "", true
	case 1:
		return t.segments[0].text, t.segments[0].kind == literal
	}
	return "", false
}

// Texts yields every text the template can put in that someone has written,
// with where it is from: literals (from nowhere else than the template), choices,
// and fields of feeds. What is random is made of letters, digits, dashes and
// colons only.
func (t *Template) Texts() iter.Seq2[string, string] {
	return func(yield func(from, text string) bool) {
		for i := range t.segments {
			if !t.segments[i].texts(yield) {
				return
			}
		}
	}
}

func (s *segment) texts(yield func(from, text string) bool) bool {
	encoded := func(text string) string { return string(s.encode(nil, text)) }
	switch s.kind {
	case literal:
		return yield("", s.text)
	case choice:
		return !slices.ContainsFunc(s.choices, func(text string) bool { return !yield("a choice", encoded(text)) })
	case feedField:
		for i, row := range s.table.rows {
			if !yield(fmt.Sprintf("%s:%d: column %q", s.table.file, s.table.lines[i], s.table.columns[s.column]), encoded(row[s.column].text)) {
				return false
			}
		}
	}
	return true
}

// Starts reports whether every rendering starts with prefix, and if not, where
// the text is from that doesn't, if it is not from the template itself.
func (t *Template) Starts(prefix string) (from string, ok bool) {
	if len(t.segments) == 0 {
		return "", false
	}
	any := false
	ok = t.segments[0].texts(func(at, text string) bool {
		any = true
		from = at
		return strings.HasPrefix(text, prefix)
	})
	return from, ok && any
}

var errNone = errors.New("is empty; write a placeholder's name in it")
