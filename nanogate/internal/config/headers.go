package config

import (
	"strings"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/request"
)

// Headers is what is changed of a message's fields: what is removed, then set in place
// of what was there, then added to it. Names are in lower case in Remove, and as
// written in the others.
type Headers struct {
	Remove   []string
	Set, Add []Field
}

// Field is a header field.
type Field struct{ Name, Value string }

// Empty reports whether nothing is changed.
func (h *Headers) Empty() bool { return len(h.Remove)+len(h.Set)+len(h.Add) == 0 }

func readHeaders(p place) (h Headers) {
	readFields(p, &h, []known[Headers]{
		// Names of fields that are removed, first of all.
		{"remove", func(h *Headers, p place) {
			for _, item := range p.list() {
				h.Remove = append(h.Remove, strings.ToLower(item.text()))
			}
		}},
		// Fields that replace those of the same name.
		{"set", func(h *Headers, p place) { h.Set = readPairs(p) }},
		// Fields that are added to those of the same name.
		{"add", func(h *Headers, p place) { h.Add = readPairs(p) }},
	})
	return h
}

func readPairs(p place) (all []Field) {
	for _, f := range p.fields() {
		value, ok := f.value.Scalar()
		if !ok {
			f.value.Problem("", "expected a value without control characters, got %s", f.value.Describe())
			continue
		}
		all = append(all, Field{f.key, value})
	}
	return all
}

// check says what is wrong with changes of fields.
func (h *Headers) check(report report) {
	for i, name := range h.Remove {
		hint, message := checkFieldName(name)
		report.value(hint, message, "remove", item(i))
	}
	for _, list := range []struct {
		name   string
		fields []Field
	}{{"set", h.Set}, {"add", h.Add}} {
		for _, f := range list.fields {
			hint, message := checkFieldName(f.Name)
			report.value(hint, message, list.name, nameOf(f.Name))
			if !http1.ValidFieldValue(f.Value) {
				report([]string{list.name, f.Name}, "", "expected a value without control characters, got %s", form.Quote(f.Value))
			}
		}
	}
}

// checkFieldName checks the name of a field that is changed.
func checkFieldName(name string) (hint, message string) {
	if hint, message = checkToken("header field", name); message != "" {
		return hint, message
	}
	if request.Reserved(name) {
		return "", name + " frames messages and can't be changed"
	}
	return "", ""
}

// readFieldName reads the name of a field that the gateway puts in.
func readFieldName(p place, name string) string {
	if hint, message := checkFieldName(name); name != "" && message != "" {
		p.Problem(hint, "%s", message)
	}
	return name
}
