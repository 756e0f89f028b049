package httprule

import (
	"bytes"
	"slices"
)

// Table finds the value of the template that a path matches. Of several the one is
// found that is most specific at the first segment in which they differ: a literal
// before "*", that before "**". So no two can match alike, whatever their order.
type Table[T any] struct {
	root  node[T]
	verbs map[string]bool // that there are
}

type node[T any] struct {
	literals map[string]*node[T]
	star     *node[T]
	ends     []end[T] // of templates whose last segment this is
	rest     []end[T] // of those that go on with "**"
}

type end[T any] struct {
	verb, method string
	template     *Template
	value        T
}

// AnyMethod stands for all methods of HTTP.
const AnyMethod = "*"

// Add puts a value into the table. ok is false if another one is found for the same
// method and the same paths: that is returned, and nothing is added.
func (t *Table[T]) Add(method string, tp *Template, value T) (other T, ok bool) {
	n := &t.root
	list := &n.ends
	for _, s := range tp.Segments {
		switch s.Kind {
		case DoubleStar:
			list = &n.rest
			continue
		case Star:
			if n.star == nil {
				n.star = &node[T]{}
			}
			n = n.star
		default:
			child := n.literals[s.Text]
			if child == nil {
				if n.literals == nil {
					n.literals = map[string]*node[T]{}
				}
				child = &node[T]{}
				n.literals[s.Text] = child
			}
			n = child
		}
		list = &n.ends
	}
	for i := range *list {
		if e := &(*list)[i]; e.verb == tp.Verb && e.method == method {
			return e.value, false
		}
	}
	*list = append(*list, end[T]{tp.Verb, method, tp, value})
	if t.verbs == nil {
		t.verbs = map[string]bool{}
	}
	t.verbs[tp.Verb] = true
	return value, true
}

// Match is what a path matched. It may be reused.
type Match struct {
	Template    *Template
	WrongMethod bool // nothing was found, but would be with another method

	path    []byte
	n       int                 // segments of it, MaxSegments at most
	at      [MaxSegments][2]int // where each begins and ends
	stop    int                 // where the path ends, without its verb
	allowed []string            // methods that something would be found with
}

// Allowed are the methods with which something would have been found, each once.
func (m *Match) Allowed() []string {
	slices.Sort(m.allowed)
	return slices.Compact(m.allowed)
}

// Append appends the text that a variable of the template has taken, decoded.
func (m *Match) Append(dst []byte, v *Variable) []byte {
	if v.From >= m.n {
		return dst // "**" has matched nothing
	}
	stop := m.stop
	if last := v.To - 1; m.Template.Segments[last].Kind != DoubleStar {
		stop = m.at[last][1]
	}
	return unescape(dst, m.path[m.at[v.From][0]:stop], m.Template.several(v))
}

// Find returns the value for a method and a path, which begins with a slash and has its
// escapes; m keeps a view of it. HEAD is GET where there is no rule of its own.
func (t *Table[T]) Find(method string, path []byte, m *Match) (value T, ok bool) {
	m.Template, m.WrongMethod, m.path, m.allowed = nil, false, path, m.allowed[:0]
	l := lookup[T]{m: m, method: method}
	if colon := bytes.LastIndexByte(path, ':'); colon > bytes.LastIndexByte(path, '/') {
		l.verb = string(unescape(nil, path[colon+1:], false))
		if l.verb != "" && t.verbs[l.verb] {
			if e := l.under(&t.root, colon); e != nil {
				return e.value, true
			}
		}
	}
	l.verb = ""
	if e := l.under(&t.root, len(path)); e != nil {
		return e.value, true
	}
	return value, false
}

// lookup is one look through a table.
type lookup[T any] struct {
	m      *Match
	method string
	verb   string
	buf    [128]byte // of a segment whose escapes are decoded
}

// under looks for the path up to stop.
func (l *lookup[T]) under(root *node[T], stop int) *end[T] {
	m := l.m
	m.n, m.stop = 0, stop
	for i := 0; i < stop && m.n < MaxSegments; {
		next := i + 1
		for next < stop && m.path[next] != '/' {
			next++
		}
		if stop == 1 { // "/" has no segment
			break
		}
		m.at[m.n] = [2]int{i + 1, next}
		m.n++
		i = next
	}
	e := l.find(root, 0)
	if e != nil {
		m.Template, m.WrongMethod = e.template, false
	}
	return e
}

// find looks below n for the segments from i on. A node is entered at one segment of the
// path only, so there are at most as many steps as nodes.
func (l *lookup[T]) find(n *node[T], i int) *end[T] {
	m := l.m
	if i == m.n && (m.n == 0 || m.at[m.n-1][1] == m.stop) {
		if e := l.pick(n.ends); e != nil {
			return e
		}
		return l.pick(n.rest)
	}
	if i < m.n {
		segment := m.path[m.at[i][0]:m.at[i][1]]
		if child := l.literal(n, segment); child != nil {
			if e := l.find(child, i+1); e != nil {
				return e
			}
		}
		if n.star != nil && len(segment) > 0 {
			if e := l.find(n.star, i+1); e != nil {
				return e
			}
		}
	}
	return l.pick(n.rest)
}

func (l *lookup[T]) literal(n *node[T], segment []byte) *node[T] {
	if len(n.literals) == 0 {
		return nil
	}
	if bytes.IndexByte(segment, '%') >= 0 {
		segment = unescape(l.buf[:0], segment, false)
	}
	return n.literals[string(segment)]
}

// pick returns what there is for the verb and the method.
func (l *lookup[T]) pick(list []end[T]) *end[T] {
	var head, any *end[T]
	for i := range list {
		e := &list[i]
		switch {
		case e.verb != l.verb:
		case e.method == l.method:
			return e
		case e.method == AnyMethod:
			any = e
		case e.method == "GET" && l.method == "HEAD":
			head = e
		default:
			l.m.WrongMethod = true
			l.m.allowed = append(l.m.allowed, e.method)
		}
	}
	if head != nil {
		return head
	}
	return any
}
