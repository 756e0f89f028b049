package router

import "dyno.example/nano/wire/http1"

// lookup is one look through the trees for a path. It lives on the stack.
type lookup[T any] struct {
	path    []byte // canonical
	verb    []byte
	method  method
	base    uint32 // where path begins in its buffer
	values  *[MaxParams + 1]http1.Span
	n       int
	tail    bool // found by a rest,
	viaTail bool // which isn't empty
	viaHost bool // values[0] is the parameter of a host
	slash   bool // the path with a slash at its end would have matched
	strict  bool // slash doesn't matter
	// allow collects the methods of all that matches instead of looking for one.
	allow *[]*leaf[T]
}

// find returns the value below n for the path from i on; the tree's order makes
// it the most specific. A node is entered at one place of the path only, so a
// lookup takes at most as many steps as the tree has nodes.
func (l *lookup[T]) find(n *node[T], i int) *T {
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
				if v := l.find(child, next); v != nil {
					return v
				}
			}
		}
		if n.segments != nil {
			if v := l.findSegment(n.segments, i); v != nil {
				return v
			}
		}
		if n.param != nil {
			if v := l.findParam(n.param, i); v != nil {
				return v
			}
		}
		return l.findTail(n, i)
	}
}

// findEnd finds the route of a node at which the path ends.
func (l *lookup[T]) findEnd(n *node[T]) *T {
	if n.end != nil {
		if v := l.pick(n.end); v != nil {
			return v
		}
	}
	if v := l.findTail(n, len(l.path)); v != nil {
		return v
	}
	if k := n.index('/'); k >= 0 {
		l.nearly(n.children[k], len(l.path))
	}
	return nil
}

func (l *lookup[T]) findParam(param *node[T], i int) *T {
	end := i
	for end < len(l.path) && l.path[end] != '/' {
		end++
	}
	if end == i {
		return nil
	}
	l.values[l.n] = http1.Span{Start: l.base + uint32(i), End: l.base + uint32(end)}
	l.n++
	v := l.find(param, end)
	if v == nil {
		l.n--
	}
	return v
}

// findSegment tries segments with constraints or text, the more specific first.
// Like a parameter each takes a whole segment of the path or nothing.
func (l *lookup[T]) findSegment(branches []branch[T], i int) *T {
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
		if v := l.find(b.node, end); v != nil {
			return v
		}
		l.n = from
	}
	return nil
}

func (l *lookup[T]) findTail(n *node[T], i int) *T {
	if n.tail == nil {
		return nil
	}
	v := l.pick(n.tail)
	if v == nil {
		return nil
	}
	l.values[l.n] = http1.Span{}
	if i < len(l.path) {
		l.values[l.n] = http1.Span{Start: l.base + uint32(i), End: l.base + uint32(len(l.path))}
		l.viaTail = true
	}
	l.n++
	l.tail = true
	return v
}

// nearly notes whether the path would match at n if it had one slash more.
func (l *lookup[T]) nearly(n *node[T], i int) {
	last := len(n.prefix) - 1
	if l.strict || n.prefix[last] != '/' || string(l.path[i:]) != n.prefix[:last] {
		return
	}
	for _, leaf := range [...]*leaf[T]{n.end, n.tail} {
		if leaf != nil && l.pick(leaf) != nil {
			l.slash = true
		}
	}
}

// pick returns the leaf's value for the request's method.
func (l *lookup[T]) pick(at *leaf[T]) *T {
	if l.allow != nil {
		*l.allow = append(*l.allow, at)
		return nil
	}
	if l.method != methodUnknown {
		return at.known[l.method]
	}
	return at.serves(string(l.verb))
}
