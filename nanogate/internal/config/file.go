package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"dyno.example/nanogate/internal/rule"
)

// mostSource bounds a configuration file, in bytes: ten thousand routes take some.
const mostSource = 32 << 20

// mostNodes bounds a file once its aliases are followed: aliases of aliases can make a
// few lines stand for billions of nodes.
const mostNodes = 4_000_000

// input is the file being read, and what is wrong with it so far.
type input struct {
	path     string
	dir      string // where relative paths start from
	problems Problems
	rules    map[string][]*rule.Rule // that were checked, by their texts
}

// Open reads and checks the configuration in a file. What is wrong with it is a
// [Problems].
func Open(path string) (*Config, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, mostSource+1))
	if err != nil {
		return nil, err
	}
	return Parse(path, src)
}

// Parse reads and checks a configuration. path is its name in messages, and where
// relative paths in it start from. What is wrong with it is a [Problems], all of it.
func Parse(path string, src []byte) (*Config, error) {
	return ParseIn(filepath.Dir(path), path, src)
}

// ParseIn reads and checks a configuration that is no file: name is what messages call
// it, and relative paths in it start from dir.
func ParseIn(dir, name string, src []byte) (*Config, error) {
	in := &input{path: name, dir: dir}
	c := newConfig(name)
	c.Dir, c.Source = dir, src
	if root, ok := in.document(src); ok {
		c.read(root)
	}
	if len(in.problems) > 0 {
		in.problems.Sort()
		return nil, in.problems
	}
	return c, nil
}

// With reads the configuration again, together with routes and upstreams that don't stand
// in it: more is a YAML document with those two. They come after the file's own, and the
// routes have the priority of [KubernetesRoutes]. It returns what is wrong as [Problems]; those of more have no line.
func (c *Config) With(more []byte) (*Config, error) {
	in := &input{path: c.Path, dir: c.Dir}
	made := newConfig(c.Path)
	made.Dir, made.Source = c.Dir, c.Source
	root, ok := in.document(c.Source)
	added, also := in.document(more)
	if ok && also {
		unplaced(added.node)
		c.rankAdded(member(added.node, "routes"))
		for _, part := range []string{"routes", "upstreams"} {
			made.join(root.node, added.node, part)
		}
		made.read(root)
	}
	if len(in.problems) > 0 {
		in.problems.Sort()
		return nil, in.problems
	}
	made.Admin = c.Admin // it may have been given elsewhere
	return made, nil
}

// unplaced takes the places out of nodes that stand in no file.
func unplaced(n *yaml.Node) {
	n.Line, n.Column = 0, 0
	for _, c := range n.Content {
		unplaced(c)
	}
}

// join adds a list or mapping of one document to that of another.
func (c *Config) join(to, from *yaml.Node, part string) {
	more := member(from, part)
	if more == nil || len(more.Content) == 0 {
		return
	}
	if part == "routes" {
		c.added.routes = len(more.Content)
	} else {
		c.added.upstreams = len(more.Content) / 2
	}
	have := member(to, part)
	if have == nil && to.Kind == yaml.MappingNode {
		to.Content = append(to.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: part}, more)
		return
	}
	if have != nil && have.Kind == more.Kind {
		joined := *have
		joined.Content = slices.Concat(have.Content, more.Content)
		*have = joined
	}
}

// rankAdded gives routes that stand elsewhere their priority.
func (c *Config) rankAdded(routes *yaml.Node) {
	if routes == nil {
		return
	}
	priority := kubernetesPriority
	if c.Kubernetes != nil {
		priority = c.Kubernetes.Priority
	}
	for _, one := range routes.Content {
		if one.Kind == yaml.MappingNode {
			one.Content = append(one.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "priority"},
				&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(priority)})
		}
	}
}

// member is the value of a mapping's key; nil if there is none.
func member(n *yaml.Node, key string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// document reads the one YAML document in src.
func (in *input) document(src []byte) (root place, ok bool) {
	whole := func(line int, hint, format string, args ...any) (place, bool) {
		in.problems = append(in.problems, At{Path: in.path, Line: line}.Problem(hint, format, args...))
		return place{}, false
	}
	if len(src) > mostSource {
		return whole(0, "", "expected a file of at most %d bytes, got more", mostSource)
	}
	doc, err := decode(src)
	if err != nil {
		line, message := splitLine(err)
		return whole(line, "", "expected YAML: %s", message)
	}
	if doc == nil || len(doc.Content) == 0 || doc.Content[0].ShortTag() == "!!null" {
		return whole(0, "start it with: listen: 127.0.0.1:8080", "expected a configuration, got an empty file")
	}
	left := mostNodes
	if !bounded(doc, &left, 0) {
		return whole(0, "write it out", "expected a file of ordinary size, got aliases that repeat too much or themselves")
	}
	return place{in: in, node: doc.Content[0]}, true
}

// decode parses src. The library panics on some broken documents.
func decode(src []byte) (doc *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			doc, err = nil, fmt.Errorf("yaml: %v", r)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(src))
	doc = new(yaml.Node)
	if err := decoder.Decode(doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, err
	}
	var second yaml.Node
	if decoder.Decode(&second) == nil {
		return nil, fmt.Errorf("yaml: line %d: one document a file, and this is the second", second.Line)
	}
	return doc, nil
}

var yamlMessage = regexp.MustCompile(`(?s)^yaml: (?:line (\d+): )?(.*)$`)

// splitLine splits the YAML library's message into line (0 if unknown) and text.
func splitLine(err error) (line int, message string) {
	m := yamlMessage.FindStringSubmatch(err.Error())
	if m == nil {
		return 0, err.Error()
	}
	line, _ = strconv.Atoi(m[1]) // empty: unknown
	return line, m[2]
}

// bounded counts the nodes below n, aliases followed, and reports whether there are no
// more than are left.
func bounded(n *yaml.Node, left *int, depth int) bool {
	const deepest = 100
	if *left--; *left < 0 || depth > deepest {
		return false
	}
	if n.Kind == yaml.AliasNode {
		return bounded(n.Alias, left, depth+1)
	}
	for _, c := range n.Content {
		if !bounded(c, left, depth+1) {
			return false
		}
	}
	return true
}

// text writes a node and all below it without places and styles, as YAML on one line:
// nodes that say the same have the same text.
func (in *input) text(n *yaml.Node) string { return string(appendText(nil, n)) }

func appendText(b []byte, n *yaml.Node) []byte {
	switch n.Kind {
	case yaml.AliasNode:
		return appendText(b, n.Alias)
	case yaml.ScalarNode:
		if plain.MatchString(n.Value) {
			return append(b, n.Value...)
		}
		return strconv.AppendQuote(b, n.Value)
	case yaml.SequenceNode:
		b = append(b, '[')
		for i, c := range n.Content {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = appendText(b, c)
		}
		return append(b, ']')
	}
	b = append(b, '{')
	for i, c := range n.Content {
		switch {
		case i%2 == 1:
			b = append(b, ": "...)
		case i > 0:
			b = append(b, ", "...)
		}
		b = appendText(b, c)
	}
	return append(b, '}')
}

// plain are values that need no quotes in YAML, whatever stands around them.
var plain = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_./-]*$`)
