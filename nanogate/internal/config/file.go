package config

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"dyno.example/internal/i18n"
	"dyno.example/internal/yamlfile"
	"dyno.example/nanogate/internal/rule"
)

const (
	mostSource = 32 << 20 // bytes of a file: ten thousand routes take some
	mostNodes  = 4_000_000
	mostItems  = 200_000
	mostQuoted = 60
	mostName   = 512 // bytes of names of fields: those of upstreams may be long
)

// form is what configuration files have in common.
var form = yamlfile.Form{
	MostBytes: mostSource, MostValues: mostNodes, MostItems: mostItems, MostQuoted: mostQuoted, MostName: mostName,
	Large:    i18n.Format("expected a file of at most %d bytes, got more", mostSource),
	Empty:    i18n.Verbatim("expected a configuration, got an empty file"),
	Start:    i18n.Verbatim("start it with: listen: 127.0.0.1:8080"),
	Second:   i18n.Verbatim("expected YAML: one document a file, and this is the second"),
	Repeats:  i18n.Verbatim("expected a file of ordinary size, got aliases that repeat too much or themselves"),
	Shown:    withoutUser,
	Choices:  choices,
	Duration: time.Duration.String,
}

// input is the file being read, and what is wrong with it so far.
type input struct {
	yamlfile.File
	dir   string                  // where relative paths start from
	rules map[string][]*rule.Rule // that were checked, by their texts
}

func newInput(dir, name string) *input {
	return &input{File: yamlfile.File{Form: &form, Path: name}, dir: dir}
}

// At, Problem and Problems say what is wrong with a configuration, and where.
type (
	At       = yamlfile.At
	Problem  = yamlfile.Problem
	Problems = yamlfile.Problems
)

// Open reads and checks the configuration in a file. What is wrong with it is a
// [Problems].
func Open(path string) (*Config, error) {
	src, err := Read(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, src)
}

// Read reads a file's text, of one that is too long only as much as shows that it is.
func Read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, mostSource+1))
}

// Parse reads and checks a configuration. path is its name in messages, and where
// relative paths in it start from. What is wrong with it is a [Problems], all of it.
func Parse(path string, src []byte) (*Config, error) {
	return ParseIn(filepath.Dir(path), path, src)
}

// ParseIn reads and checks a configuration that is no file: name is what messages call
// it, and relative paths in it start from dir.
func ParseIn(dir, name string, src []byte) (*Config, error) {
	in := newInput(dir, name)
	c := newConfig(name)
	c.Dir, c.Source = dir, src
	if root, ok := in.document(src); ok {
		c.read(root)
	}
	if len(in.Problems) > 0 {
		in.Problems.Sort()
		return nil, in.Problems
	}
	return c, nil
}

// document reads the one YAML document in src.
func (in *input) document(src []byte) (root place, ok bool) {
	at, ok := in.Read(src)
	if ok && at.Node.ShortTag() == "!!null" {
		in.ReportEmpty()
		ok = false
	}
	return place{at, in}, ok
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
