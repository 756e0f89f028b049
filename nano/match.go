package nano

import (
	"bytes"

	"dyno/nano/wire/http1"
)

const maxParams = 16

// match is what the router found besides the route.
type match struct {
	// values of the parameters, in the order of Route.params; then of the rest, if
	// the route has a rest without a name. The path's are pieces of the read
	// buffer, or of scratch if scratched.
	values    [maxParams + 1]http1.Span
	n         int
	scratched bool
	decoded   uint32 // bit i: values[i] of scratch has no escapes any more
	slashed   uint32 // bit i: one of them was a slash
	// scratch holds the canonical path if it differs from what was sent, then
	// values that have been decoded. It only grows while the request lasts: views
	// of it stay.
	scratch []byte
	outcome outcome
	marks   marks
}

const maxScratch = 16 << 10 // bytes of scratch kept between requests

// reset ends the match with its request.
func (m *match) reset() {
	m.n, m.scratched, m.decoded, m.slashed, m.outcome, m.scratch = 0, false, 0, 0, notFound, m.scratch[:0]
	if cap(m.scratch) > maxScratch {
		m.scratch = nil
	}
}

// param returns the value of a named parameter.
func (x *exchange) param(name string) []byte {
	if x.route == nil {
		return nil
	}
	for i, p := range x.route.params {
		if p == name {
			return x.value(i)
		}
	}
	return nil
}

// value returns what the i-th parameter matched, decoded.
func (x *exchange) value(i int) []byte {
	m := &x.match
	if i >= m.n {
		return nil
	}
	if !m.scratched || i == 0 && x.route.hostParam {
		return m.values[i].Of(x.buf)
	}
	v := m.values[i].Of(m.scratch)
	if m.decoded&(1<<i) != 0 {
		return x.handOut(v)
	}
	m.decoded |= 1 << i
	if bytes.IndexByte(v, '%') < 0 {
		return x.handOut(v)
	}
	if bytes.Contains(v, escapedSlash) {
		m.slashed |= 1 << i
	}
	from := uint32(len(m.scratch))
	m.scratch = appendDecoded(m.scratch, v)
	m.values[i] = http1.Span{Start: from, End: uint32(len(m.scratch))}
	return x.handOut(m.values[i].Of(m.scratch))
}

var escapedSlash = []byte("%2F") // as the canonical form spells it

// Rest returns what the end of a subtree pattern (/static/ or /{name...})
// matched, percent-decoded and without a slash in front; nil if the pattern
// isn't one.
func (c Ctx) Rest() View {
	x := c.live()
	if x.route == nil || !x.route.tail {
		return nil
	}
	return View(x.value(x.match.n - 1))
}

// lookup is one look through the trees for a path. It lives on the stack.
type lookup struct {
	path    []byte // canonical
	verb    []byte
	method  method
	base    uint32 // where path begins in its buffer
	values  *[maxParams + 1]http1.Span
	n       int
	viaTail bool // found by a rest that isn't empty
	slash   bool // the path with a slash at its end would have matched
	strict  bool // slash doesn't matter
	// allow collects the methods of all that matches instead of looking for one.
	allow *[]*leaf
}

// find returns the route below n for the path from i on; the tree's order makes
// it the most specific. A node is entered at one place of the path only, so a
// lookup takes at most as many steps as the tree has nodes.
func (l *lookup) find(n *node, i int) *Route {
	for {
		if i == len(l.path) {
			return l.findEnd(n)
		}
		if k := n.index(l.path[i]); k >= 0 {
			child := n.children[k]
			next := i + len(child.prefix)
			switch {
			case next > len(l.path):
				l.nearly(child, i)
			case string(l.path[i:next]) != child.prefix:
			case n.param == nil && n.tail == nil && n.segments == nil:
				n, i = child, next
				continue
			default:
				if r := l.find(child, next); r != nil {
					return r
				}
			}
		}
		if n.segments != nil {
			if r := l.findSegment(n.segments, i); r != nil {
				return r
			}
		}
		if n.param != nil {
			if r := l.findParam(n.param, i); r != nil {
				return r
			}
		}
		return l.findTail(n, i)
	}
}

// findEnd looks at a node at which the path ends.
func (l *lookup) findEnd(n *node) *Route {
	if n.end != nil {
		if r := l.pick(n.end); r != nil {
			return r
		}
	}
	if r := l.findTail(n, len(l.path)); r != nil {
		return r
	}
	if k := n.index('/'); k >= 0 {
		l.nearly(n.children[k], len(l.path))
	}
	return nil
}

func (l *lookup) findParam(param *node, i int) *Route {
	end := i
	for end < len(l.path) && l.path[end] != '/' {
		end++
	}
	if end == i {
		return nil
	}
	l.values[l.n] = http1.Span{Start: l.base + uint32(i), End: l.base + uint32(end)}
	l.n++
	r := l.find(param, end)
	if r == nil {
		l.n--
	}
	return r
}

// findSegment tries segments with constraints or text, the more specific first.
// Like a parameter each takes a whole segment of the path or nothing.
func (l *lookup) findSegment(branches []branch, i int) *Route {
	end := i
	for end < len(l.path) && l.path[end] != '/' {
		end++
	}
	from := l.n
	for k := range branches {
		b := &branches[k]
		if !b.match(l.path[i:end], l.base+uint32(i), l.values[from:]) {
			continue
		}
		l.n = from + len(b.checks)
		if r := l.find(b.node, end); r != nil {
			return r
		}
		l.n = from
	}
	return nil
}

func (l *lookup) findTail(n *node, i int) *Route {
	if n.tail == nil {
		return nil
	}
	r := l.pick(n.tail)
	if r == nil {
		return nil
	}
	l.values[l.n] = http1.Span{}
	if i < len(l.path) {
		l.values[l.n] = http1.Span{Start: l.base + uint32(i), End: l.base + uint32(len(l.path))}
		l.viaTail = true
	}
	l.n++
	return r
}

// nearly notes whether the path would match at n if it had one slash more.
func (l *lookup) nearly(n *node, i int) {
	last := len(n.prefix) - 1
	if l.strict || n.prefix[last] != '/' || string(l.path[i:]) != n.prefix[:last] {
		return
	}
	for _, leaf := range [...]*leaf{n.end, n.tail} {
		if leaf != nil && l.pick(leaf) != nil {
			l.slash = true
		}
	}
}

// pick returns the leaf's route for the request's method.
func (l *lookup) pick(at *leaf) *Route {
	if l.allow != nil {
		*l.allow = append(*l.allow, at)
		return nil
	}
	if l.method != methodUnknown {
		return at.known[l.method]
	}
	return at.answers(string(l.verb))
}
