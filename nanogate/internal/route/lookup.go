package route

import "dyno.example/nanogate/internal/request"

// lookup is one look through a table. It lives on the stack.
type lookup[T any] struct {
	r       *request.Request
	path    []byte
	method  []byte
	found   *Found
	allowed *[]string // collects methods instead of finding

	tried *[]Tried[T] // collects all that is tried instead of finding
	host  string      // that they are tried for
}

// find returns the value below n for the path from i on. The tree's order makes it the
// most specific one whose methods and conditions hold. A node is entered at one place
// of the path only, so there are at most as many steps as nodes.
func (l *lookup[T]) find(n *node[T], i int) *T {
	for {
		if i == len(l.path) {
			if v := l.pick(n.end); v != nil {
				return v
			}
			return l.findTail(n, i)
		}
		if k := n.index(l.path[i]); k >= 0 {
			child := n.children[k]
			if next := i + len(child.prefix); next <= len(l.path) && string(l.path[i:next]) == child.prefix {
				if n.param == nil && n.tail == nil {
					n, i = child, next
					continue
				}
				if v := l.find(child, next); v != nil {
					return v
				}
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

func (l *lookup[T]) findParam(param *node[T], i int) *T {
	end := i
	for end < len(l.path) && l.path[end] != '/' {
		end++
	}
	if end == i {
		return nil
	}
	l.keep(i, end)
	v := l.find(param, end)
	if v == nil {
		l.found.N--
	}
	return v
}

func (l *lookup[T]) findTail(n *node[T], i int) *T {
	v := l.pick(n.tail)
	if v != nil {
		l.keep(i, len(l.path))
	}
	return v
}

func (l *lookup[T]) keep(start, end int) {
	l.found.Params[l.found.N] = Span{Start: int32(start), End: int32(end)}
	l.found.N++
}

// pick returns the first value whose methods and conditions hold.
func (l *lookup[T]) pick(list []*entry[T]) *T {
	if l.tried != nil {
		l.try(list)
		return nil
	}
	for _, e := range list {
		is := e.conditions.hold(l.r)
		if is == fails {
			continue
		}
		if len(e.methods) > 0 && !takes(e.methods, l.method) {
			l.found.WrongMethod = true
			if l.allowed != nil {
				*l.allowed = append(*l.allowed, e.methods...)
			}
			continue
		}
		if is == unclear {
			l.found.Unclear = true
			continue
		}
		return e.value
	}
	return nil
}

// takes reports whether methods has the method; GET stands for HEAD too.
func takes(methods []string, method []byte) bool {
	for _, m := range methods {
		if m == string(method) || m == "GET" && string(method) == "HEAD" {
			return true
		}
	}
	return false
}
