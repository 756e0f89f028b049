package study

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"dyno.example/dyno/load/template"
)

const (
	// maxSource bounds a study file and each body file, in bytes.
	maxSource = 1 << 20
	// maxNodes bounds a study once its aliases are followed. Aliases of aliases
	// can make a file of a few lines stand for billions of nodes.
	maxNodes = 100_000
)

// input is the file being read, and what is wrong with it so far.
type input struct {
	path     string
	src      []byte
	shipped  []string      // names of shipped subjects
	env      *template.Env // what templates may refer to
	problems Problems
	onDisk   bool // path is a file, and what the study names lies beside it

	feedsUnread bool // what refers to a feed can't be checked
	calls       bool // some request is a call over gRPC
}

func newInput(path string, shipped []string) *input {
	return &input{path: path, shipped: shipped, env: &template.Env{Getenv: os.LookupEnv}}
}

// report adds a problem with the file as a whole, or with one line of it.
func (in *input) report(line, column int, message, hint string) {
	in.problems = append(in.problems, Problem{
		Path: in.path, Line: line, Column: column, Message: message, Hint: hint,
	})
}

// document reads the one YAML document in src and returns its root. It reports
// a problem and returns false if there is no such document.
func (in *input) document(src []byte) (scope, bool) {
	in.src = src
	if len(src) > maxSource {
		in.report(0, 0, fmt.Sprintf("expected a study of at most %d bytes, got more", maxSource), "")
		return scope{}, false
	}
	if at, what := firstUnreadable(src); what != "" {
		line, column := position(src, at)
		in.report(line, column, "expected UTF-8 text, got "+what, "")
		return scope{}, false
	}
	doc, err := decode(src)
	if err != nil {
		in.syntax(src, err)
		return scope{}, false
	}
	if doc == nil || len(doc.Content) == 0 {
		in.report(0, 0, "expected a study, got an empty file", `"dyno study init" writes one to start from`)
		return scope{}, false
	}
	root := scope{in: in, node: doc.Content[0]}
	if bad := tooLarge(root.node); bad != nil {
		message, hint := fmt.Sprintf("expected at most %d values, got more", maxNodes), ""
		if bad.Kind == yaml.AliasNode {
			message, hint = "expected a study of ordinary size, got aliases that repeat too much or themselves", "write it out"
		}
		in.report(bad.Line, bad.Column, message, hint)
		return scope{}, false
	}
	return root, true
}

// firstUnreadable finds what YAML can't hold: bytes that are not UTF-8, and
// control characters.
func firstUnreadable(src []byte) (at int, what string) {
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return i, fmt.Sprintf("byte %#02x", src[i])
		case unicode.IsControl(r) && !strings.ContainsRune("\t\n\r\u0085", r):
			return i, fmt.Sprintf("control character %#02x", r)
		}
		i += size
	}
	return 0, ""
}

// position turns an offset into a line and a column, both from 1.
func position(src []byte, at int) (line, column int) {
	before := src[:at]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
}

// decode returns the document in src as a tree, nil if there is none.
func decode(src []byte) (doc *yaml.Node, err error) {
	// The YAML library reports some broken files by panicking with a string.
	defer func() {
		if r := recover(); r != nil {
			doc, err = nil, fmt.Errorf("yaml: %v", r)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(src))
	doc = new(yaml.Node)
	if err := decoder.Decode(doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var second yaml.Node
	if err := decoder.Decode(&second); err == nil {
		return nil, errors.New("yaml: line " + strconv.Itoa(second.Line) + ": " + secondDocument)
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return doc, nil
}

const secondDocument = "expected one study, got a second YAML document"

// tooLarge returns the node at which the tree, aliases followed, passes
// maxNodes or repeats itself, or nil.
func tooLarge(root *yaml.Node) *yaml.Node {
	left := maxNodes
	following := map[*yaml.Node]bool{}
	var walk func(n *yaml.Node) *yaml.Node
	walk = func(n *yaml.Node) *yaml.Node {
		if left--; left < 0 {
			return n
		}
		if n.Kind == yaml.AliasNode {
			if following[n.Alias] {
				return n
			}
			following[n.Alias] = true
			defer delete(following, n.Alias)
			if walk(n.Alias) != nil {
				return n
			}
			return nil
		}
		for _, child := range n.Content {
			if bad := walk(child); bad != nil {
				return bad
			}
		}
		return nil
	}
	return walk(root)
}
