package cel

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
)

// kind is a part of a request that is names with values.
type kind uint8

const (
	headers    kind = iota // names in lower case; those of a name that is there several times are joined (RFC 9110 5.3)
	parameters             // of the query
	cookies
)

// part is the state of such a part during an evaluation: the first access scans it, the
// second parses all of it, so that no expression scans it repeatedly.
type part struct {
	asked bool
	all   map[string]entry
}

type entry struct {
	value string // the first, or all with commas between them
	times int
}

func (e *entry) add(value string) {
	if e.times++; e.times == 1 {
		e.value = value
	} else {
		e.value += ", " + value
	}
}

// find returns the value of a name, and how many times that is there.
func (v *view) find(k kind, name string) (value string, times int) {
	if k == headers {
		name = strings.ToLower(name)
	}
	if p := &v.parts[k]; p.asked {
		e := v.all(k)[name]
		return e.value, e.times
	}
	v.parts[k].asked = true
	var e entry
	v.each(k, func(one, value []byte) {
		if named(k, one, name) {
			e.add(text(k, value))
		}
	})
	return e.value, e.times
}

// all returns everything.
func (v *view) all(k kind) map[string]entry {
	p := &v.parts[k]
	if p.all != nil {
		return p.all
	}
	p.asked, p.all = true, map[string]entry{}
	v.each(k, func(name, value []byte) {
		key := text(k, name)
		if k == headers {
			key = strings.ToLower(key)
		}
		e := p.all[key]
		e.add(text(k, value))
		p.all[key] = e
	})
	return p.all
}

// named reports whether a name as it was sent is the one that is looked for.
func named(k kind, sent []byte, name string) bool {
	switch {
	case k == headers:
		return len(sent) == len(name) && strings.EqualFold(string(sent), name)
	case k == parameters && bytes.ContainsAny(sent, "%+"):
		return text(k, sent) == name
	}
	return string(sent) == name
}

// text is what was sent as it is meant: of the query decoded. What isn't coded as it should be
// stays as it is.
func text(k kind, sent []byte) string {
	if k == parameters && bytes.ContainsAny(sent, "%+") {
		if plain, err := url.QueryUnescape(string(sent)); err == nil {
			return plain
		}
	}
	return string(sent)
}

// each calls f with names and values as they were sent.
func (v *view) each(k kind, f func(name, value []byte)) {
	switch k {
	case headers:
		v.eachHeader(f)
	case parameters:
		for rest := v.r.Query(); len(rest) > 0; {
			var pair []byte
			if pair, rest, _ = bytes.Cut(rest, []byte("&")); len(pair) > 0 {
				name, value, _ := bytes.Cut(pair, []byte("="))
				f(name, value)
			}
		}
	case cookies: // RFC 6265 5.4
		v.r.Headers("cookie", func(list []byte) bool {
			for len(list) > 0 {
				var pair []byte
				pair, list, _ = bytes.Cut(list, []byte(";"))
				if name, value, ok := bytes.Cut(bytes.TrimSpace(pair), []byte("=")); ok {
					f(name, value)
				}
			}
			return true
		})
	}
}

// eachHeader calls f with the fields that the upstream will have by now: as the client sent
// them, but for those that guards have taken out or put in.
func (v *view) eachHeader(f func(name, value []byte)) {
	r := v.r
	taken := func(name []byte) bool {
		is := func(one string) bool { return len(one) == len(name) && strings.EqualFold(one, string(name)) }
		return slices.ContainsFunc(r.Drops(), is) || slices.ContainsFunc(v.scope.Strip, is)
	}
	for _, field := range r.Head.Fields {
		if name := field.Name.Of(r.Buf); !taken(name) {
			f(name, field.Value.Of(r.Buf))
		}
	}
	for rest := r.Forwards(); len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\r\n"))
		if name, value, ok := bytes.Cut(line, []byte(": ")); ok {
			f(name, value)
		}
	}
}
