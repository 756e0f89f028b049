// Package router finds what was registered for a method, a host and a path: a radix
// tree over paths in canonical form, generic over what it finds. It does no I/O and
// doesn't allocate when it looks something up. Patterns are those of net/http's
// ServeMux, with constraints, optional parameters and text beside parameters.
package router

import (
	"bytes"
	"cmp"

	"dyno.example/nano/wire/http1"
)

// Slash says what becomes of a path that matches but for its last slash.
type Slash uint8

const (
	Redirect Slash = iota
	Strict         // it isn't found
	Merge          // it is served as if it were the other
)

// Router finds the value of a request's route, or why there is none. Add all before the
// first Find.
type Router[T any] struct {
	Slash Slash
	paths Table[T]
}

// Add puts a value in its place: see [Table.Add].
func (t *Router[T]) Add(p *Pattern, method string, v *T) error { return t.paths.Add(p, method, v) }

// Find returns the value for a request that was parsed from buf, and sets m's values;
// nil, and m's outcome, if there is none.
func (t *Router[T]) Find(q *http1.Request, buf []byte, m *Match) *T {
	l := lookup[T]{path: Path(q, buf), base: q.Path.Start, verb: q.Method.Of(buf), values: &m.values}
	l.method = methodOf(l.verb)
	if bytes.IndexByte(l.path, '%') >= 0 {
		path, ok := appendCanonical(m.Scratch[:0], l.path)
		m.Scratch, m.scratched, l.path, l.base = path, true, path, 0
		if !ok {
			m.N, m.Outcome = 0, BadPath
			return nil
		}
	}
	v := t.paths.find(q, buf, &l)
	if v == nil || l.viaTail && l.slash || l.n > 0 && l.uncleanValues() {
		if v = t.findOther(q, buf, m, &l, v); v == nil {
			m.N = 0
			return nil
		}
	}
	m.N, m.viaHost = l.n, l.viaHost
	return v
}

// FindBelow returns the value of t for a request that [Router.Find] found none for.
// No values are kept of it.
func (t *Table[T]) FindBelow(q *http1.Request, buf []byte, m *Match) *T {
	l := lookup[T]{path: m.Canonical(q, buf), values: &m.values}
	return t.find(q, buf, &l)
}

// uncleanValues reports whether the path has segments in what the parameters
// matched that a clean path hasn't. Its static parts are clean.
func (l *lookup[T]) uncleanValues() bool {
	from := 0
	if l.viaHost {
		from = 1
	}
	for i := from; i < l.n; i++ {
		v := l.values[i]
		if v.Empty() {
			continue
		}
		value := l.path[v.Start-l.base : v.End-l.base]
		if l.tail && i == l.n-1 {
			return unclean(value)
		}
		if isDots(value) {
			return true
		}
	}
	return false
}

// findOther decides about a path that nothing matches as it is, or only the
// rest of one that is less specific than the same path with a slash. It returns
// a value to serve all the same, or nil and sets the outcome.
func (t *Router[T]) findOther(q *http1.Request, buf []byte, m *Match, l *lookup[T], found *T) *T {
	m.Outcome = NotFound
	switch {
	case l.path[0] != '/':
		m.Outcome = BadPath
		if string(l.path) == "*" && string(l.verb) == "OPTIONS" {
			m.Outcome = OptionsOfAll
		}
		return nil
	case unclean(l.path[1:]):
		if t.Slash != Strict {
			m.Outcome = UncleanPath
		}
		return nil
	case t.Slash == Strict:
		if found == nil {
			m.Outcome = t.outcomeByMethod(q, buf, m, l)
		}
		return found
	}
	how := SlashAdded
	if !l.slash {
		if found != nil {
			return found
		}
		if m.Outcome = t.outcomeByMethod(q, buf, m, l); m.Outcome != NotFound {
			return nil
		}
		how = SlashCut
	}
	v := t.findSlashed(q, buf, m, l, how)
	if v == nil || t.Slash == Merge {
		return cmp.Or(v, found)
	}
	m.Outcome = how
	return nil
}

// findSlashed looks for the path with a slash more or less at its end.
func (t *Router[T]) findSlashed(q *http1.Request, buf []byte, m *Match, l *lookup[T], how Outcome) *T {
	path := append([]byte(nil), l.path...)
	switch {
	case how == SlashAdded:
		path = append(path, '/')
	case len(path) > 1 && path[len(path)-1] == '/':
		path = path[:len(path)-1]
	default:
		return nil
	}
	other := lookup[T]{path: path, verb: l.verb, method: l.method, values: l.values, strict: true}
	v := t.paths.find(q, buf, &other)
	if v == nil || how == SlashCut && other.viaTail || other.uncleanValues() {
		return nil
	}
	if t.Slash == Merge {
		m.Scratch, m.scratched = append(m.Scratch[:0], path...), true
		l.n, l.viaHost = other.n, other.viaHost
	}
	return v
}

// outcomeByMethod distinguishes a path without routes from one whose routes don't have
// the method.
func (t *Router[T]) outcomeByMethod(q *http1.Request, buf []byte, m *Match, l *lookup[T]) Outcome {
	if len(t.leaves(q, buf, m, l.path)) == 0 {
		return NotFound
	}
	if string(l.verb) == "OPTIONS" {
		return OptionsOfPath
	}
	return WrongMethod
}

// Allowed returns the methods of all that matches the path of a request for which
// nothing was found, "" for all methods.
func (t *Router[T]) Allowed(q *http1.Request, buf []byte, m *Match) (served []string) {
	for _, l := range t.leaves(q, buf, m, m.Canonical(q, buf)) {
		for _, e := range l.entries {
			served = append(served, e.method)
		}
	}
	return served
}

// leaves returns what matches a path whatever the method.
func (t *Router[T]) leaves(q *http1.Request, buf []byte, m *Match, path []byte) []*leaf[T] {
	var found []*leaf[T]
	l := lookup[T]{path: path, values: &m.values, allow: &found, strict: t.Slash == Strict}
	t.paths.find(q, buf, &l)
	return found
}
