package mirror

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ohler55/ojg/jp"
)

// path is a JSONPath.
type path struct {
	text string
	expr jp.Expr
}

func pathsOf(texts []string) (all []path, err error) {
	for _, text := range texts {
		expr, err := jp.ParseString(text)
		if err != nil {
			return nil, fmt.Errorf("the JSONPath %q: %w", text, err)
		}
		all = append(all, path{text, expr})
	}
	return all, nil
}

// mostPlaces bounds how many places of a document a path may mean.
const mostPlaces = 10_000

// document reads JSON. Numbers stay as they are written.
func document(b []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the document")
	}
	return v, nil
}

// numbered is a document with numbers of Go, which filters of paths compare by.
func numbered(v any) any {
	switch v := v.(type) {
	case map[string]any:
		all := make(map[string]any, len(v))
		for name, value := range v {
			all[name] = numbered(value)
		}
		return all
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = numbered(v[i])
		}
		return all
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		f, _ := v.Float64()
		return f
	}
	return v
}

// places finds where in a document the path leads to, in the form of [place.child].
func (p *path) places(doc any) (found map[string]any, err error) {
	defer func() {
		if r := recover(); r != nil { // a path that the library can't follow in this document
			err = fmt.Errorf("the JSONPath %s: %v", p.text, r)
		}
	}()
	found = map[string]any{}
	if len(p.expr) == 1 { // Locate doesn't find the root
		found["$"] = doc
		return found, nil
	}
	for _, loc := range p.expr.Locate(numbered(doc), mostPlaces) {
		at, v, ok := place("$"), doc, true
		for _, step := range loc {
			switch step := step.(type) {
			case jp.Child:
				var object map[string]any
				if object, ok = v.(map[string]any); ok {
					v, ok = object[string(step)]
				}
				at = at.child(string(step))
			case jp.Nth:
				list, is := v.([]any)
				i := int(step)
				if i < 0 {
					i += len(list)
				}
				if ok = is && i >= 0 && i < len(list); ok {
					v = list[i]
				}
				at = at.index(i)
			}
			if !ok {
				break
			}
		}
		if ok {
			found[string(at)] = v
		}
	}
	return found, nil
}

// place is where a value stands in a document: $.items[3].price, or $["odd name"].
type place string

func (p place) child(name string) place {
	odd := func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}
	if name == "" || strings.ContainsFunc(name, odd) {
		return p + "[" + place(strconv.Quote(name)) + "]"
	}
	return p + "." + place(name)
}

func (p place) index(i int) place { return p + "[" + place(strconv.Itoa(i)) + "]" }

// values compares what the paths mean in two documents. unread says that some of it
// couldn't be; secrets are names of members whose values aren't shown, in addition to
// the known ones.
func (c *comparison) values(a, b any, secrets []string) (found []Difference, unread bool) {
	ignored := map[place]bool{}
	for i := range c.ignore {
		for _, doc := range []any{a, b} {
			places, err := c.ignore[i].places(doc)
			if err != nil {
				return nil, true
			}
			for at := range places {
				ignored[place(at)] = true
			}
		}
	}
	for i := range c.json {
		first, err := c.json[i].places(a)
		second, otherErr := c.json[i].places(b)
		if err != nil || otherErr != nil {
			unread = true
			continue
		}
		w := walk{field: c.json[i].text, ignored: ignored, secrets: secrets}
		for _, at := range union(first, second) {
			x, inFirst := first[at]
			y, inSecond := second[at]
			w.either(place(at), x, y, inFirst, inSecond)
		}
		found = append(found, w.found...)
	}
	return found, unread
}

func union(a, b map[string]any) []string {
	all := slices.Collect(maps.Keys(a))
	for key := range b {
		if _, ok := a[key]; !ok {
			all = append(all, key)
		}
	}
	slices.Sort(all)
	return all
}

// walk compares values below one path.
type walk struct {
	field   string
	ignored map[place]bool
	secrets []string
	found   []Difference
}

func (w *walk) differ(at place, first, second string) {
	if len(w.found) < mostDifferences {
		w.found = append(w.found, Difference{KindJSON, w.field, string(at), first, second})
	}
}

// either compares two values of which one may be missing.
func (w *walk) either(at place, a, b any, inFirst, inSecond bool) {
	switch {
	case w.ignored[at] || len(w.found) >= mostDifferences:
	case inFirst && inSecond:
		w.values(at, a, b)
	case inFirst:
		w.differ(at, w.text(a), "")
	case inSecond:
		w.differ(at, "", w.text(b))
	}
}

func (w *walk) values(at place, a, b any) {
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			for _, name := range union(x, y) {
				p, inFirst := x[name]
				q, inSecond := y[name]
				w.either(at.child(name), p, q, inFirst, inSecond)
			}
			return
		}
	case []any:
		if y, ok := b.([]any); ok {
			for i := range max(len(x), len(y)) {
				var p, q any
				if i < len(x) {
					p = x[i]
				}
				if i < len(y) {
					q = y[i]
				}
				w.either(at.index(i), p, q, i < len(x), i < len(y))
			}
			return
		}
	case json.Number:
		if y, ok := b.(json.Number); ok && sameNumber(string(x), string(y)) {
			return
		}
	default:
		if a == b {
			return
		}
	}
	w.differ(at, w.text(a), w.text(b))
}

// sameNumber reports whether two numbers are the same: 1.0 is 1e0, and whole numbers are
// compared digit by digit, however long they are.
func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	if !strings.ContainsAny(a, ".eE") && !strings.ContainsAny(b, ".eE") {
		return false
	}
	x, err := strconv.ParseFloat(a, 64)
	y, otherErr := strconv.ParseFloat(b, 64)
	return err == nil && otherErr == nil && x == y
}

// text is a value as people are shown it, without secrets.
func (w *walk) text(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(withoutSecrets(v, w.secrets)); err != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}
