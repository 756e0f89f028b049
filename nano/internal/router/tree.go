package router

import (
	"slices"
	"strconv"
)

// node is a node of a radix tree over canonical paths. What leads to it has been
// matched; below it are, in the order they are tried, static bytes, segments with
// constraints or text in them, a parameter, and any rest.
type node[T any] struct {
	prefix   string // static bytes that lead here from the parent; "" for a parameter
	first    []byte // the first byte of each of children
	children []*node[T]
	segments []branch[T]
	param    *node[T] // a segment that isn't empty
	end      *leaf[T] // the path ends here
	tail     *leaf[T] // any rest, also none
}

// branch is a segment that isn't one plain parameter, and what follows it.
type branch[T any] struct {
	*segment
	node  *node[T]
	first *T // the first one that was added with it
}

// leaf holds the values of one path, one per method.
type leaf[T any] struct {
	entries []entry[T]
	known   [methods]*T // which is each known method's
	any     *T
}

// entry is a value for one method, "" for all.
type entry[T any] struct {
	method string
	value  *T
}

// insert returns the place of a leaf, made if need be. It fails if v's segment is
// one of several that match the same without one of them being more specific.
func (n *node[T]) insert(parts []part, tail bool, v *T) (*leaf[T], error) {
	for _, part := range parts {
		switch {
		case part.static != "":
			n = n.below(part.static)
		case part.segment != nil:
			var err error
			if n, err = n.behind(part.segment, v); err != nil {
				return nil, err
			}
		default:
			if n.param == nil {
				n.param = &node[T]{}
			}
			n = n.param
		}
	}
	at := &n.end
	if tail {
		at = &n.tail
	}
	if *at == nil {
		*at = &leaf[T]{}
	}
	return *at, nil
}

// behind returns the node that a segment leads to from n.
func (n *node[T]) behind(s *segment, v *T) (*node[T], error) {
	at := len(n.segments)
	for i, b := range n.segments {
		if b.shape == s.shape {
			return b.node, nil
		}
		order, ok := s.compare(b.segment)
		if ok && order < 0 {
			at = min(at, i)
		}
		if ok {
			continue
		}
		if word, overlap := commonWord(s.expression(), b.expression()); overlap {
			example := ""
			if word != "" {
				example = ", such as " + strconv.Quote(word)
			}
			return nil, &Conflict[T]{With: b.first, Reason: "segments of both match the same" + example + ", and none is the more specific"}
		}
	}
	child := &node[T]{}
	n.segments = slices.Insert(n.segments, at, branch[T]{s, child, v})
	return child, nil
}

// below returns the node that static bytes lead to from n.
func (n *node[T]) below(static string) *node[T] {
	for static != "" {
		i := n.index(static[0])
		if i < 0 {
			child := &node[T]{prefix: static}
			n.first, n.children = append(n.first, static[0]), append(n.children, child)
			return child
		}
		child := n.children[i]
		same := commonPrefix(static, child.prefix)
		if same < len(child.prefix) {
			upper := &node[T]{prefix: child.prefix[:same], first: []byte{child.prefix[same]}, children: []*node[T]{child}}
			child.prefix = child.prefix[same:]
			n.children[i], child = upper, upper
		}
		n, static = child, static[same:]
	}
	return n
}

// index returns which child begins with c; -1: none.
func (n *node[T]) index(c byte) int {
	for i, f := range n.first {
		if f == c {
			return i
		}
	}
	return -1
}

func commonPrefix(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return i
}

// of returns the value for exactly that method.
func (l *leaf[T]) of(method string) *T {
	for _, e := range l.entries {
		if e.method == method {
			return e.value
		}
	}
	return nil
}

// add puts a value on the leaf.
func (l *leaf[T]) add(method string, v *T) {
	l.entries = append(l.entries, entry[T]{method, v})
	if method == "" {
		l.any = v
	}
	for id := range l.known {
		l.known[id] = l.serves(methodNames[id])
	}
}

// serves returns the value for a method: its own, GET's for HEAD, or that of all
// methods.
func (l *leaf[T]) serves(method string) *T {
	for _, m := range [...]string{method, "GET"} {
		if v := l.of(m); v != nil {
			return v
		}
		if method != "HEAD" {
			break
		}
	}
	return l.any
}
