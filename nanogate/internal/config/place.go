package config

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"dyno.example/internal/spelling"
)

// mostItems bounds each list and mapping of a file.
const mostItems = 200_000

// place is a node of the file with the name of its field. Its methods read the node as
// what is expected there, or note a problem and return a zero value, so that one
// reading finds everything that is wrong.
type place struct {
	in   *input
	node *yaml.Node
	name string // such as "routes[0].match"; empty for the file as a whole
}

// at is where this is in the file.
func (p place) at() At {
	return At{Path: p.in.path, Line: p.node.Line, Column: p.node.Column, Field: p.name}
}

// problem notes what is wrong here.
func (p place) problem(hint, format string, args ...any) {
	p.in.problems = append(p.in.problems, p.at().Problem(hint, format, args...))
}

// resolved follows an alias to what it stands for.
func (p place) resolved() *yaml.Node {
	if p.node.Kind == yaml.AliasNode {
		return p.node.Alias
	}
	return p.node
}

func (p place) isMapping() bool { return p.resolved().Kind == yaml.MappingNode }
func (p place) isList() bool    { return p.resolved().Kind == yaml.SequenceNode }

// field is one field of a mapping.
type field struct {
	key   string
	named place // where its name stands
	value place
}

// fields returns the fields of a mapping in the order written.
func (p place) fields() []field {
	n := p.resolved()
	if n.Kind != yaml.MappingNode {
		p.problem("", "expected fields (name: value), got %s", describe(n))
		return nil
	}
	if len(n.Content)/2 > mostItems {
		p.problem("", "expected at most %d fields, got %d", mostItems, len(n.Content)/2)
		return nil
	}
	seen := make(map[string]bool, len(n.Content)/2)
	list := make([]field, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		name := key.Value
		if p.name != "" {
			name = p.name + "." + name
		}
		f := field{key.Value, place{p.in, key, name}, place{p.in, n.Content[i+1], name}}
		switch {
		case key.Kind != yaml.ScalarNode || key.Value == "":
			place{p.in, key, p.name}.problem("", "expected a field's name, got %s", describe(key))
		case seen[key.Value]:
			f.named.problem("remove one of them", "the field is given twice")
		default:
			seen[key.Value] = true
			list = append(list, f)
		}
	}
	return list
}

// known is a field that may stand in a mapping: its name, and what reads it into a T.
type known[T any] struct {
	name string
	read func(*T, place)
}

// readFields reads a mapping into t. A name that isn't known is a problem. It returns
// the names that were there.
func readFields[T any](p place, t *T, all []known[T]) map[string]place {
	found := map[string]place{}
next:
	for _, f := range p.fields() {
		for i := range all {
			if all[i].name == f.key {
				found[f.key] = f.value
				all[i].read(t, f.value)
				continue next
			}
		}
		names := make([]string, len(all))
		for i := range all {
			names[i] = all[i].name
		}
		f.named.problem(didYouMean(f.key, names), "unknown field")
	}
	return found
}

// list returns the items of a sequence; a single value is a list of one.
func (p place) list() []place {
	n := p.resolved()
	if n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
		return []place{p}
	}
	if n.Kind != yaml.SequenceNode {
		p.problem(`write it as [a, b] or one "- item" a line`, "expected a list, got %s", describe(n))
		return nil
	}
	if len(n.Content) > mostItems {
		p.problem("", "expected at most %d items, got %d", mostItems, len(n.Content))
		return nil
	}
	items := make([]place, len(n.Content))
	for i, c := range n.Content {
		items[i] = place{p.in, c, p.name + "[" + strconv.Itoa(i) + "]"}
	}
	return items
}

// didYouMean is the hint for a word that is none of the valid ones.
func didYouMean(written string, valid []string) string {
	if name, ok := spelling.Nearest(written, valid); ok {
		return fmt.Sprintf("did you mean %q?", name)
	}
	if len(valid) > 24 {
		return ""
	}
	return "there are " + strings.Join(valid, ", ")
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
	if n.ShortTag() == "!!null" {
		return "nothing"
	}
	return quote(n.Value)
}

// quote returns text as a Go literal, cut if it is long. What stands before the host of a
// URL is left out: messages go to logs, and to who may not know it.
func quote(text string) string {
	text = withoutUser(text)
	const most = 60
	if len(text) <= most {
		return strconv.Quote(text)
	}
	return strconv.Quote(strings.ToValidUTF8(text[:most], "")) + "…"
}

// withoutUser hides the user and the password of a URL (RFC 3986 3.2.1), whether or not it
// is one that could be used: an @ in the password is taken for part of it.
func withoutUser(text string) string {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return text
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	at := strings.LastIndexByte(rest[:end], '@')
	if at < 0 && !strings.HasPrefix(rest, "[") { // a password may have a slash in it, though it mustn't
		_, port, _ := strings.Cut(rest[:end], ":")
		if last := strings.LastIndexByte(rest, '@'); last >= 0 && strings.Trim(port, "0123456789") != "" {
			at = last
		}
	}
	if at < 0 {
		return text
	}
	return scheme + "://***" + rest[at:]
}
