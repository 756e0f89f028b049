package study

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"
)

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
		field := key.Value
		if s.field != "" {
			field = s.field + "." + field
		}
		e := entry{key.Value, scope{s.in, key, field}, scope{s.in, n.Content[i+1], field}}
		switch {
		case key.Kind != yaml.ScalarNode:
			e.name.problem("", "expected a field's name, got %s", describe(key))
		case seen[key.Value]:
			e.name.problem("remove one of them", "the field is given twice")
		default:
			seen[key.Value] = true
			list = append(list, e)
		}
	}
	return list
}

// fields returns the fields of a mapping by name; names that are not among the
// valid ones are problems.
func (s scope) fields(valid ...string) map[string]scope {
	found := make(map[string]scope)
	for _, e := range s.entries() {
		if !slices.Contains(valid, e.key) {
			e.name.problem(didYouMean(e.key, valid), "unknown field")
			continue
		}
		found[e.key] = e.value
	}
	return found
}

// list returns the items of a sequence, which must not be empty.
func (s scope) list() []scope {
	n := s.resolved()
	if n.Kind != yaml.SequenceNode {
		s.problem("write it as [a, b] or one \"- item\" a line", "expected a list, got %s", describe(n))
		return nil
	}
	if len(n.Content) == 0 {
		s.problem("", "expected at least one item, got an empty list")
	}
	items := make([]scope, len(n.Content))
	for i, c := range n.Content {
		items[i] = scope{s.in, c, fmt.Sprintf("%s[%d]", s.field, i)}
	}
	return items
}

// text reads a scalar as it is written; numbers and booleans are text too.
func (s scope) text() string {
	n := s.resolved()
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		s.problem("", "expected a text, got %s", describe(n))
		return ""
	}
	return n.Value
}

// oneOf reads one of a few words.
func (s scope) oneOf(valid ...string) string {
	word := s.text()
	if slices.Contains(valid, word) {
		return word
	}
	if word != "" {
		s.problem(didYouMean(word, valid), "%q is not one of the choices", word)
	}
	return ""
}

func (s scope) integer(low, high int) int {
	x, err := strconv.Atoi(s.text())
	if err != nil || x < low || x > high {
		s.problem("", "expected a whole number from %d to %d, got %s", low, high, describe(s.resolved()))
		return low
	}
	return x
}

// positive reads a number above zero and at most high.
func (s scope) positive(high float64) float64 {
	x, err := strconv.ParseFloat(s.text(), 64)
	if err != nil || !(x > 0 && x <= high) {
		s.problem("", "expected a number above 0 and at most %g, got %s", high, describe(s.resolved()))
		return 1
	}
	return x
}

func (s scope) duration(low, high time.Duration) time.Duration {
	d, err := time.ParseDuration(s.text())
	if err != nil || d < low || d > high {
		s.problem("write it with a unit, such as 500ms, 10s or 2m", "expected a duration from %v to %v, got %s", low, high, describe(s.resolved()))
		return low
	}
	return d
}

// describe says what a node is, in a few words.
func describe(n *yaml.Node) string {
	const most = 40
	switch n.Kind {
	case yaml.MappingNode:
		return "fields"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return "nothing"
		}
		if len(n.Value) > most {
			return strconv.Quote(n.Value[:most]) + "…"
		}
		return strconv.Quote(n.Value)
	}
	return "something else"
}
