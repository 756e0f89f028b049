// Package yamlfile reads YAML files that people write by hand. What is wrong with one is
// found in one reading, each with its file, line, column and field, and with the name
// that was probably meant.
//
// The fields and their meaning are those of the [Form].
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"dyno.example/internal/i18n"
)

// Form is what is common to all files of one kind: their bounds, and what is said of
// those that break them. Nothing is kept out of it: everything must be set.
type Form struct {
	MostBytes  int // of a file
	MostValues int // once aliases are followed: aliases of aliases can make a few lines stand for billions
	MostItems  int // of a list, and fields of a mapping
	MostQuoted int // bytes of a value that messages repeat
	MostName   int // bytes of a field's name that messages repeat

	Large   i18n.Message // of a file with more bytes
	Empty   i18n.Message // of a file that holds nothing
	Start   i18n.Message // the hint to that
	Second  i18n.Message // of a file with a second document
	Repeats i18n.Message // of a file whose aliases stand for too much, or for themselves

	Shown    func(text string) string // a value as messages may repeat it, without secrets
	Choices  func(valid []string) i18n.Message
	Duration func(d time.Duration) string
}

// File is a file that is being read, and what is wrong with it so far.
type File struct {
	Form     *Form
	Path     string // its name in messages
	Problems Problems
}

// report adds a problem with the file as a whole, or with one line of it.
func (f *File) report(line, column int, what i18n.Message, hint ...i18n.Message) {
	f.Problems = append(f.Problems, At{Path: f.Path, Line: line, Column: column}.Report(what, hint...))
}

// ReportEmpty notes that the file holds nothing.
func (f *File) ReportEmpty() { f.report(0, 0, f.Form.Empty, f.Form.Start) }

// Read reads the one YAML document in src and returns its root. It notes a problem and
// returns false if there is no such document.
func (f *File) Read(src []byte) (root Place, ok bool) {
	if len(src) > f.Form.MostBytes {
		f.report(0, 0, f.Form.Large)
		return Place{}, false
	}
	if at, what := firstUnreadable(src); !what.IsZero() {
		line, column := position(src, at)
		f.report(line, column, i18n.New("yaml.not-utf8", "expected UTF-8 text, got %s", what))
		return Place{}, false
	}
	doc, err := f.Form.decode(src)
	if err != nil {
		f.syntax(src, err)
		return Place{}, false
	}
	if doc == nil || len(doc.Content) == 0 {
		f.ReportEmpty()
		return Place{}, false
	}
	root = Place{File: f, Node: doc.Content[0]}
	if bad := f.Form.tooLarge(root.Node); bad != nil {
		if bad.Kind == yaml.AliasNode {
			f.report(bad.Line, bad.Column, f.Form.Repeats, i18n.New("yaml.write-out", "write it out"))
		} else {
			f.report(bad.Line, bad.Column, i18n.New("yaml.too-many-values", "expected at most %d values, got more", f.Form.MostValues))
		}
		return Place{}, false
	}
	return root, true
}

// firstUnreadable finds what YAML can't hold: bytes that are not UTF-8, and control
// characters.
func firstUnreadable(src []byte) (at int, what i18n.Message) {
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return i, i18n.New("yaml.byte", "byte %#02x", src[i])
		case unicode.IsControl(r) && !strings.ContainsRune("\t\n\r\u0085", r):
			return i, i18n.New("yaml.control-character", "control character %#02x", r)
		}
		i += size
	}
	return 0, i18n.Message{}
}

// position turns an offset into a line and a column, both from 1.
func position(src []byte, at int) (line, column int) {
	before := src[:at]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
}

// decode returns the document in src as a tree, nil if there is none.
func (f *Form) decode(src []byte) (doc *yaml.Node, err error) {
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
		return nil, fmt.Errorf("yaml: line %d: %s", second.Line, f.Second)
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return doc, nil
}

// tooLarge returns the node at which the tree, aliases followed, passes the most values
// there may be, or repeats itself; nil if it does neither.
func (f *Form) tooLarge(root *yaml.Node) *yaml.Node {
	left := f.MostValues
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
