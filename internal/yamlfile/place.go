package yamlfile

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"dyno.example/internal/i18n"
	"dyno.example/internal/spelling"
)

// Place is a node of a file with the name of its field. Its methods read the node as what
// is expected there, or note a problem and return a zero value, so that one reading finds
// everything that is wrong.
type Place struct {
	File  *File
	Node  *yaml.Node
	Field string // such as "loads[0].open.rate"; empty for the file as a whole
}

// At is where this is in the file.
func (p Place) At() At {
	return At{Path: p.File.Path, Line: p.Node.Line, Column: p.Node.Column, Field: p.Field}
}

// Report notes what is wrong here, and how to mend it.
func (p Place) Report(what i18n.Message, hint ...i18n.Message) {
	p.File.Problems = append(p.File.Problems, p.At().Report(what, hint...))
}

// Problem is Report of texts without an id.
func (p Place) Problem(hint, format string, args ...any) {
	p.File.Problems = append(p.File.Problems, p.At().Problem(hint, format, args...))
}

// Resolved follows an alias to what it stands for.
func (p Place) Resolved() *yaml.Node {
	if p.Node.Kind == yaml.AliasNode {
		return p.Node.Alias
	}
	return p.Node
}

// IsMapping reports whether there are fields here.
func (p Place) IsMapping() bool { return p.Resolved().Kind == yaml.MappingNode }

// IsList reports whether there is a list here.
func (p Place) IsList() bool { return p.Resolved().Kind == yaml.SequenceNode }

// Entry is one field of a mapping.
type Entry struct {
	Key   string
	Name  Place // where its name stands
	Value Place
}

// Entries returns the fields of a mapping in the order written.
func (p Place) Entries() []Entry {
	n := p.Resolved()
	if n.Kind != yaml.MappingNode {
		p.Report(i18n.New("yaml.expected-fields", "expected fields (name: value), got %s", p.Describe()))
		return nil
	}
	if most := p.File.Form.MostItems; len(n.Content)/2 > most {
		p.Report(i18n.New("yaml.too-many-fields", "expected at most %d fields, got %d", most, len(n.Content)/2))
		return nil
	}
	seen := make(map[string]bool, len(n.Content)/2)
	list := make([]Entry, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		field := p.child(key.Value)
		e := Entry{key.Value, Place{p.File, key, field}, Place{p.File, n.Content[i+1], field}}
		switch {
		case key.Kind != yaml.ScalarNode || key.Value == "":
			Place{p.File, key, p.Field}.Report(i18n.New("yaml.expected-field-name", "expected a field's name, got %s", p.File.Form.describe(key)))
		case seen[key.Value]:
			e.Name.Report(i18n.New("yaml.given-twice", "the field is given twice"), i18n.New("yaml.remove-one-them", "remove one of them"))
		default:
			seen[key.Value] = true
			list = append(list, e)
		}
	}
	return list
}

// child names the field here that has the given key.
func (p Place) child(key string) string {
	if len(key) > p.File.Form.MostName || strings.ContainsFunc(key, func(r rune) bool { return !unicode.IsPrint(r) }) {
		key = p.Quote(key)
	}
	if p.Field == "" {
		return key
	}
	return p.Field + "." + key
}

// Unknown notes that the field isn't one of the valid ones.
func (e Entry) Unknown(valid []string) {
	e.Name.Report(i18n.New("yaml.unknown-field", "unknown field"), e.Name.File.Form.DidYouMean(e.Key, valid))
}

// Items returns the items of a list, nil after a problem.
func (p Place) Items() []Place {
	n := p.Resolved()
	if n.Kind != yaml.SequenceNode {
		p.Report(i18n.New("yaml.expected-list-got", "expected a list, got %s", p.Describe()), i18n.New("yaml.list-form", `write it as [a, b] or one "- item" a line`))
		return nil
	}
	if most := p.File.Form.MostItems; len(n.Content) > most {
		p.Report(i18n.New("yaml.too-many-items", "expected at most %d items, got %d", most, len(n.Content)))
		return nil
	}
	items := make([]Place, len(n.Content))
	for i, c := range n.Content {
		items[i] = Place{p.File, c, p.Field + "[" + strconv.Itoa(i) + "]"}
	}
	return items
}

// isTextTag reports whether values with a YAML tag can be read as they are written.
// Numbers and booleans are text too: GOGC: 100 needs no quotes.
func isTextTag(tag string) bool {
	return slices.Contains([]string{"!!str", "!!int", "!!float", "!!bool", "!!timestamp", "!!merge"}, tag)
}

// Scalar returns a single value as it is written, false if there is none.
func (p Place) Scalar() (string, bool) {
	n := p.Resolved()
	if n.Kind != yaml.ScalarNode || !isTextTag(n.ShortTag()) {
		return "", false
	}
	return n.Value, true
}

// Integer reads a whole number in plain decimal: 0100 would be read in two ways.
func (p Place) Integer(low, high int) int {
	text, _ := p.Scalar()
	x, err := strconv.Atoi(text)
	if err != nil || x < low || x > high || strconv.Itoa(x) != text {
		p.Report(i18n.New("yaml.expected-integer", "expected a whole number from %d to %d, got %s", low, high, p.Describe()))
		return low
	}
	return x
}

// Boolean reads true or false.
func (p Place) Boolean() bool {
	text, _ := p.Scalar()
	if text != "true" && text != "false" {
		p.Report(i18n.New("yaml.expected-boolean", "expected true or false, got %s", p.Describe()))
	}
	return text == "true"
}

// Duration reads a number with its unit.
func (p Place) Duration(low, high time.Duration) time.Duration {
	text, _ := p.Scalar()
	d, err := time.ParseDuration(text)
	if err != nil || d < low || d > high {
		var hint i18n.Message
		if err != nil {
			hint = i18n.New("yaml.duration-form", "write it with a unit, such as 500ms, 10s or 2m")
		}
		p.Report(i18n.New("yaml.expected-duration", "expected a duration from %s to %s, got %s", p.File.Form.Duration(low), p.File.Form.Duration(high), p.Describe()), hint)
		return low
	}
	return d
}

// Describe says what is here, in a few words.
func (p Place) Describe() i18n.Message { return p.File.Form.describe(p.Resolved()) }

func (f *Form) describe(n *yaml.Node) i18n.Message {
	switch n.Kind {
	case yaml.MappingNode:
		return i18n.New("yaml.fields", "fields")
	case yaml.SequenceNode:
		return i18n.New("yaml.list", "a list")
	case yaml.AliasNode:
		return i18n.New("yaml.alias", "an alias")
	}
	switch tag := n.ShortTag(); {
	case tag == "!!null":
		return i18n.New("yaml.nothing", "nothing")
	case !isTextTag(tag):
		return i18n.New("yaml.tagged-value", "a value with the tag %s", f.Quote(tag))
	}
	return i18n.Verbatim(f.Quote(n.Value))
}

// Quote returns text as a Go literal, as messages may repeat it: cut if it is long.
func (p Place) Quote(text string) string { return p.File.Form.Quote(text) }

// Quote returns text as a Go literal, as messages may repeat it: cut if it is long.
func (f *Form) Quote(text string) string {
	text = f.Shown(text)
	if len(text) <= f.MostQuoted {
		return strconv.Quote(text)
	}
	return strconv.Quote(strings.ToValidUTF8(text[:f.MostQuoted], "")) + "…"
}

// DidYouMean is the hint for a word that is none of the valid ones: the nearest of them,
// or what the form says of the choices where none is near.
func (f *Form) DidYouMean(written string, valid []string) i18n.Message {
	if name, ok := spelling.Nearest(written, valid); ok {
		return i18n.New("yaml.did-you-mean", "did you mean %q?", name)
	}
	return f.Choices(valid)
}
