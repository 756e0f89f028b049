package config

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"dyno.example/internal/i18n"
	"dyno.example/internal/yamlfile"
)

// place is a node of the file, as this package reads it. After a problem its methods
// return a zero value, so that one reading finds everything that is wrong.
type place struct {
	yamlfile.Place
	in *input
}

// field is one field of a mapping.
type field struct {
	key   string
	named place // where its name stands
	value place
}

// fields returns the fields of a mapping in the order written.
func (p place) fields() (list []field) {
	for _, e := range p.Entries() {
		list = append(list, field{e.Key, place{e.Name, p.in}, place{e.Value, p.in}})
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
	for _, f := range p.Entries() {
		for i := range all {
			if all[i].name == f.Key {
				found[f.Key] = place{f.Value, p.in}
				all[i].read(t, found[f.Key])
				continue next
			}
		}
		names := make([]string, len(all))
		for i := range all {
			names[i] = all[i].name
		}
		f.Unknown(names)
	}
	return found
}

// list returns the items of a sequence; a single value is a list of one.
func (p place) list() (items []place) {
	if n := p.Resolved(); n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
		return []place{p}
	}
	for _, item := range p.Items() {
		items = append(items, place{item, p.in})
	}
	return items
}

// didYouMean is the hint for a word that is none of the valid ones.
func didYouMean(written string, valid []string) string {
	return form.DidYouMean(written, valid).String()
}

// choices lists the valid words, if they aren't too many.
func choices(valid []string) i18n.Message {
	if len(valid) > 24 {
		return i18n.Message{}
	}
	return i18n.Verbatim("there are " + strings.Join(valid, ", "))
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
