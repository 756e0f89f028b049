package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"dyno.example/nano/wire/http1"
)

// What a value may be is checked on the values themselves, wherever they come from: a file's
// reader makes values of YAML and says what can't be read, and the same check follows as for
// routes that a source hands over as values ([Addition]).

// report notes what is wrong with a value; path leads to it, by names of fields as a file has
// them and by [index] of what stands in lists. [nameOf] leads to a field's name itself.
type report func(path []string, hint, format string, args ...any)

// in is report for what stands below some fields.
func (r report) in(above ...string) report {
	return func(path []string, hint, format string, args ...any) {
		r(slices.Concat(above, path), hint, format, args...)
	}
}

// value reports what a check says of the value at path; it says nothing of one that is fine.
func (r report) value(hint, message string, path ...string) {
	if message != "" {
		r(path, hint, "%s", message)
	}
}

const nameMark = "\x00" // before the name of a field in a path that means the name, not its value

func nameOf(field string) string { return nameMark + field }

// below reports problems with what was read at p: their places are found when there are any. What
// was said of a place while it was read isn't said again.
func (p place) below() report {
	since := len(p.in.Problems)
	return func(path []string, hint, format string, args ...any) {
		at := p.find(path)
		if !slices.ContainsFunc(p.in.Problems[since:], func(known Problem) bool { return known.At == at }) {
			p.in.Problems = append(p.in.Problems, at.Problem(hint, format, args...))
		}
	}
}

// find is where a value stands that a path leads to.
func (p place) find(path []string) At {
	if last := len(path) - 1; last >= 0 {
		if field, isName := strings.CutPrefix(path[last], nameMark); isName {
			name, _ := p.Find(append(slices.Clone(path[:last]), field)...)
			return name.At()
		}
	}
	_, value := p.Find(path...)
	return value.At()
}

// item is the step of a path to what stands in a list.
func item(i int) string { return "[" + strconv.Itoa(i) + "]" }

// span is how long something may take.
type span struct{ least, most time.Duration }

func (p place) duration(s span) time.Duration { return p.Duration(s.least, s.most) }

func (s span) check(d time.Duration) (hint, message string) {
	if d < s.least || d > s.most {
		return "", fmt.Sprintf("expected a duration from %s to %s, got %s", s.least, s.most, d)
	}
	return "", ""
}

// between checks a number.
func between(low, high, n int) (hint, message string) {
	if n < low || n > high {
		return "", fmt.Sprintf("expected a whole number from %d to %d, got %d", low, high, n)
	}
	return "", ""
}

// checkShare checks a part of all.
func checkShare(x float64) (hint, message string) {
	if !(x >= 0 && x <= 1) {
		return "", fmt.Sprintf("expected a share from 0%% to 100%%, got %g", x)
	}
	return "", ""
}

// checkText checks a text that isn't empty.
func checkText(text string) (hint, message string) {
	switch {
	case text == "":
		return "", "expected a text, got nothing"
	case strings.ContainsFunc(text, unicode.IsControl):
		return "", "expected a text without control characters, got " + form.Quote(text)
	}
	return "", ""
}

// checkToken checks a name as methods and fields have it (RFC 9110 5.6.2).
func checkToken(what, text string) (hint, message string) {
	if !http1.ValidToken(text) {
		return "", fmt.Sprintf("expected the name of a %s, got %s", what, form.Quote(text))
	}
	return "", ""
}

func checkHost(host string) (hint, message string) {
	if host != "" && host != "upstream" && !http1.ValidHost(host) {
		return "upstream, or a host such as api.example.com", "expected a host, got " + form.Quote(host)
	}
	return "", ""
}
