package router

import (
	"bytes"
	"cmp"
	"regexp"
	"strings"
	"unsafe"

	"dyno.example/nano/wire/http1"
)

// segment is a segment of a pattern that isn't one plain parameter: with a
// constraint, with more than one parameter, or with text beside them, as in
// {year:int}-{month:int} or v{version}.
//
// Each parameter takes as little as it can, at least a character: {a}-{b} splits
// x-y-z into x and y-z. The texts are looked for from left to right and the last
// one at the end, which finds a way to split if there is one, without going back.
// Constraints are looked at after that; another way to split isn't tried.
type segment struct {
	texts  []string      // canonical: before, between and after the parameters
	checks []*constraint // of each parameter; nil: any value
	shape  string        // the segment without the names

	rest, optional bool // {name...}, {name?}
}

// plain reports whether the segment is one parameter that takes all.
func (s *segment) plain() bool {
	return len(s.checks) == 1 && s.checks[0] == nil && s.texts[0] == "" && s.texts[1] == ""
}

// match splits a segment of a path, in canonical form. values gets one span for
// each parameter, counted from base.
func (s *segment) match(path []byte, base uint32, values []http1.Span) bool {
	last := len(s.checks)
	tail := s.texts[last]
	end := len(path) - len(tail)
	at := len(s.texts[0])
	if end <= at || string(path[:at]) != s.texts[0] || string(path[end:]) != tail || insideEscape(path, end) {
		return false
	}
	for i := range s.checks {
		to, next := end, end
		if i+1 < last {
			if to = indexText(path[:end], at+1, s.texts[i+1]); to < 0 {
				return false
			}
			next = to + len(s.texts[i+1])
		}
		if to <= at || s.checks[i] != nil && !s.checks[i].accepts(path[at:to]) {
			return false
		}
		values[i] = http1.Span{Start: base + uint32(at), End: base + uint32(to)}
		at = next
	}
	return true
}

// indexText returns where text begins in path, from at on; -1: nowhere.
func indexText(path []byte, at int, text string) int {
	for at < len(path) {
		i := bytes.Index(path[at:], unsafe.Slice(unsafe.StringData(text), len(text)))
		if i < 0 {
			return -1
		}
		if at += i; !insideEscape(path, at) {
			return at
		}
		at++
	}
	return -1
}

// insideEscape reports whether path[i] is one of the digits of a %2F or %25: a
// canonical path has no other escapes.
func insideEscape(path []byte, i int) bool {
	return i >= 1 && i < len(path) && path[i-1] == '%' || i >= 2 && path[i-2] == '%'
}

// expression is the regular expression of all that the segment could match.
func (s *segment) expression() string {
	var b strings.Builder
	for i, text := range s.texts {
		b.WriteString(regexp.QuoteMeta(string(appendDecoded(nil, []byte(text)))))
		switch {
		case i == len(s.checks):
		case s.checks[i] == nil:
			b.WriteString("(?s:.+)")
		default:
			b.WriteString("(?:" + s.checks[i].expr + ")")
		}
	}
	return b.String()
}

// compare decides which of two segments is tried first, from left to right: the one
// with more text at its start, at its end, and in all; then the one whose first
// constraint that differs is the more specific. ok is false if neither goes before the
// other.
func (s *segment) compare(o *segment) (order int, ok bool) {
	last, olast := len(s.texts)-1, len(o.texts)-1
	order = cmp.Or(
		cmp.Compare(len(o.texts[0]), len(s.texts[0])),
		cmp.Compare(len(o.texts[olast]), len(s.texts[last])),
		cmp.Compare(len(strings.Join(o.texts, "")), len(strings.Join(s.texts, ""))),
		cmp.Compare(olast, last),
	)
	if order != 0 {
		return order, true
	}
	for i, c := range s.checks {
		d := o.checks[i]
		switch {
		case c == nil && d == nil || c != nil && d != nil && c.text == d.text:
		case c == nil:
			return 1, true
		case d == nil:
			return -1, true
		case c.rank >= 0 && d.rank >= 0:
			return cmp.Compare(c.rank, d.rank), true
		default:
			return 0, false
		}
	}
	return 0, false
}
