package subject

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"dyno.example/internal/spelling"
)

// reader walks one YAML file and collects every mistake it meets, so that the
// user can correct all of them at once.
type reader struct {
	file string
	errs []error
}

// field is a key an object may have.
type field struct {
	name     string
	required bool
	read     func(n *yaml.Node, path string)
}

// parse returns the root node of the file's only document, or nil after
// noting why there is none.
func (r *reader) parse(data []byte) *yaml.Node {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			r.errs = append(r.errs, &FileError{File: r.file, Problem: "the file is empty"})
			return nil
		}
		r.syntax(err)
		return nil
	}
	var next yaml.Node
	if err := dec.Decode(&next); err == nil {
		r.fail(&next, "", "a second document; expected only one in a file")
		return nil
	} else if !errors.Is(err, io.EOF) {
		r.syntax(err)
		return nil
	}
	return doc.Content[0]
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// syntax notes an error of the YAML parser, which knows the line only.
func (r *reader) syntax(err error) {
	text := err.Error()
	line := 1
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		text = strings.TrimPrefix(text, m[0])
		if n, err := strconv.Atoi(m[1]); err == nil {
			line = n
		}
	}
	r.errs = append(r.errs, &FileError{File: r.file, Line: line, Column: 1, Problem: "not valid YAML: " + text})
}

// fail notes a mistake at n.
func (r *reader) fail(n *yaml.Node, path, format string, args ...any) {
	r.errs = append(r.errs, &FileError{
		File: r.file, Line: n.Line, Column: n.Column, Field: path,
		Problem: fmt.Sprintf(format, args...),
	})
}

// err returns all noted mistakes, one a line, or nil.
func (r *reader) err() error { return errors.Join(r.errs...) }

// object reads a mapping whose keys must be among fields.
func (r *reader) object(n *yaml.Node, path string, fields ...field) {
	seen := map[string]bool{}
	r.pairs(n, path, func(key, value *yaml.Node) {
		seen[key.Value] = true
		for _, f := range fields {
			if f.name == key.Value {
				f.read(value, join(path, f.name))
				return
			}
		}
		names := fieldNames(fields)
		r.fail(key, path, "unknown field %q%s (known: %s)", key.Value, didYouMean(key.Value, names), strings.Join(names, ", "))
	})
	if n.Kind != yaml.MappingNode {
		return
	}
	for _, f := range fields {
		if f.required && !seen[f.name] {
			r.fail(n, path, "field %q is missing", f.name)
		}
	}
}

// pairs calls visit for each key and value of a mapping, refusing a key that
// comes twice.
func (r *reader) pairs(n *yaml.Node, path string, visit func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, path, "expected a mapping, got %s", kindName(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode:
			r.fail(key, path, "expected a name, got %s", kindName(key))
		case seen[key.Value]:
			r.fail(key, join(path, key.Value), "given twice")
		default:
			seen[key.Value] = true
			visit(key, value)
		}
	}
}

// items calls visit for each element of a sequence.
func (r *reader) items(n *yaml.Node, path string, visit func(item *yaml.Node, path string)) {
	if n.Kind != yaml.SequenceNode {
		r.fail(n, path, "expected a list, got %s", kindName(n))
		return
	}
	for i, item := range n.Content {
		visit(item, fmt.Sprintf("%s[%d]", path, i))
	}
}

// scalar returns the text of a scalar as it is written, without quotes.
func (r *reader) scalar(n *yaml.Node, path string) (string, bool) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		r.fail(n, path, "expected text, got %s", kindName(n))
		return "", false
	}
	return n.Value, true
}

// text is a field reader that stores a scalar that must not be empty.
func (r *reader) text(dst *string) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		s, ok := r.scalar(n, path)
		if ok && strings.TrimSpace(s) == "" {
			r.fail(n, path, "must not be empty")
		}
		*dst = s
	}
}

// oneOf is a field reader that stores one of the allowed words.
func (r *reader) oneOf(dst *string, allowed ...string) func(*yaml.Node, string) {
	return func(n *yaml.Node, path string) {
		s, ok := r.scalar(n, path)
		if ok && !slices.Contains(allowed, s) {
			r.fail(n, path, "%q is not one of %s%s", s, strings.Join(allowed, ", "), didYouMean(s, allowed))
		}
		*dst = s
	}
}

func fieldNames(fields []field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias (anchors and aliases are not supported here)"
	}
	if n.Tag == "!!null" {
		return "nothing"
	}
	return fmt.Sprintf("%q", n.Value)
}

// FileError is one mistake in a file, with the place to correct it.
type FileError struct {
	File    string
	Line    int    // from 1; 0: the whole file
	Column  int    // from 1, in characters
	Field   string // dotted path such as "build.command"; may be empty
	Problem string // what is wrong and what was expected
}

// Error returns "file:line:column: field: problem".
func (e *FileError) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	b.WriteString(": ")
	if e.Field != "" {
		b.WriteString(e.Field + ": ")
	}
	b.WriteString(e.Problem)
	return b.String()
}

// didYouMean returns `; did you mean "x"?` for the known name that was probably
// meant, or nothing when none is near enough.
func didYouMean(wrong string, known []string) string {
	name, ok := spelling.Nearest(wrong, known)
	if !ok {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", name)
}
