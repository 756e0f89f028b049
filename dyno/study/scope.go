package study

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// maxItems bounds each list in a study; more is a mistake.
const maxItems = 1000

// scope is a place in the file: a node with the name of its field. Its methods
// read the node as what is expected there, or report a problem and return a
// zero value, so that one reading finds everything that is wrong.
type scope struct {
	in    *input
	node  *yaml.Node
	field string // such as "loads[0].open.rate"; empty for the file as a whole
}

// problem reports what is wrong at this place.
func (s scope) problem(hint, format string, args ...any) {
	s.in.problems = append(s.in.problems, Problem{
		Path: s.in.path, Line: s.node.Line, Column: s.node.Column, Field: s.field,
		Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// place is where this is in the file, for messages after it was read.
func (s scope) place() string {
	return Problem{Path: s.in.path, Line: s.node.Line, Column: s.node.Column}.place()
}

// resolved follows an alias to what it stands for.
func (s scope) resolved() *yaml.Node {
	if s.node.Kind == yaml.AliasNode {
		return s.node.Alias
	}
	return s.node
}

func (s scope) isMapping() bool { return s.resolved().Kind == yaml.MappingNode }

// entry is one field of a mapping.
type entry struct {
	key   string
	name  scope // the key's place
	value scope
}

// entries returns the fields of a mapping in the order written.
func (s scope) entries() []entry {
	n := s.resolved()
	if n.Kind != yaml.MappingNode {
		s.problem("", "expected fields (name: value), got %s", describe(n))
		return nil
	}
	seen := make(map[string]bool)
	var list []entry
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		field := s.child(key)
		e := entry{key.Value, scope{s.in, key, field}, scope{s.in, n.Content[i+1], field}}
		switch {
		case key.Kind != yaml.ScalarNode || key.Value == "":
			scope{s.in, key, s.field}.problem("", "expected a field's name, got %s", describe(key))
		case seen[key.Value]:
			e.name.problem("remove one of them", "the field is given twice")
		default:
			seen[key.Value] = true
			list = append(list, e)
		}
	}
	return list
}

// child names the field of s that has the given key.
func (s scope) child(key *yaml.Node) string {
	name := key.Value
	if len(name) > maxQuoted || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		name = quote(name)
	}
	if s.field == "" {
		return name
	}
	return s.field + "." + name
}

// fields returns the fields of a mapping by name; names that are not among the
// valid ones are problems. After a problem it returns false: a field that seems
// to be missing may be one that was not understood.
func (s scope) fields(valid ...string) (found map[string]scope, ok bool) {
	before := len(s.in.problems)
	found = make(map[string]scope)
	for _, e := range s.entries() {
		if !slices.Contains(valid, e.key) {
			e.name.problem(didYouMean(e.key, valid), "unknown field")
			continue
		}
		found[e.key] = e.value
	}
	return found, len(s.in.problems) == before
}

// list returns the items of a sequence, which must not be empty.
func (s scope) list() []scope {
	n := s.resolved()
	if n.Kind != yaml.SequenceNode {
		s.problem(`write it as [a, b] or one "- item" a line`, "expected a list, got %s", describe(n))
		return nil
	}
	if len(n.Content) == 0 {
		s.problem("", "expected at least one item, got an empty list")
	}
	if len(n.Content) > maxItems {
		s.problem("", "expected at most %d items, got %d", maxItems, len(n.Content))
		return nil
	}
	items := make([]scope, len(n.Content))
	for i, c := range n.Content {
		items[i] = scope{s.in, c, fmt.Sprintf("%s[%d]", s.field, i)}
	}
	return items
}

// describe says what a node is, in a few words.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "fields"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch tag := n.ShortTag(); {
	case tag == "!!null":
		return "nothing"
	case !isTextTag(tag):
		return "a value with the tag " + quote(tag)
	}
	return quote(n.Value)
}

// maxQuoted is how much of a text messages repeat, in bytes.
const maxQuoted = 40

// quote returns text as a Go literal, cut if it is long.
func quote(text string) string {
	if len(text) <= maxQuoted {
		return strconv.Quote(text)
	}
	return strconv.Quote(strings.ToValidUTF8(text[:maxQuoted], "")) + "…"
}
