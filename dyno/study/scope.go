package study

import (
	"slices"

	"dyno.example/internal/i18n"
	"dyno.example/internal/yamlfile"
)

// scope is a place in the file, as this package reads it. After a problem its
// methods return a zero value, so that one reading finds everything that is wrong.
type scope struct {
	yamlfile.Place
	in *input
}

// entry is one field of a mapping.
type entry struct {
	key   string
	name  scope // the key's place
	value scope
}

// entries returns the fields of a mapping in the order written.
func (s scope) entries() (list []entry) {
	for _, e := range s.Entries() {
		list = append(list, entry{e.Key, scope{e.Name, s.in}, scope{e.Value, s.in}})
	}
	return list
}

// fields returns the fields of a mapping by name; names that are not among the
// valid ones are problems. After a problem it returns false: a field that seems
// to be missing may be one that was not understood.
func (s scope) fields(valid ...string) (found map[string]scope, ok bool) {
	before := len(s.in.Problems)
	found = make(map[string]scope)
	for _, e := range s.Entries() {
		if !slices.Contains(valid, e.Key) {
			e.Unknown(valid)
			continue
		}
		found[e.Key] = scope{e.Value, s.in}
	}
	return found, len(s.in.Problems) == before
}

// list returns the items of a sequence, which must not be empty.
func (s scope) list() (items []scope) {
	for _, item := range s.Items() {
		items = append(items, scope{item, s.in})
	}
	if len(items) == 0 && s.IsList() && len(s.Resolved().Content) == 0 {
		s.Report(i18n.New("study.expected-item", "expected at least one item, got an empty list"))
	}
	return items
}
