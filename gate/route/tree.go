package route

import (
	"cmp"
	"slices"
	"strings"
)

// node is a node of a radix tree over canonical paths. What leads to it has been
// matched. Below it are tried, in this order, static bytes, a parameter, any rest.
type node[T any] struct {
	prefix   string // static bytes that lead here from the parent; "" for a parameter
	first    []byte // the first byte of each of children
	children []*node[T]
	param    *node[T]    // a segment that isn't empty
	end      []*entry[T] // the path ends here; the more particular first
	tail     []*entry[T] // any rest, also none
	added    int         // of a tier's own tree: routes in the tier
}

// insert puts an entry at its pattern.
func (n *node[T]) insert(pattern string, e *entry[T]) {
	body, star := strings.CutSuffix(pattern, "*")
	at := n.at(body)
	if !star {
		at.end = add(at.end, e)
		return
	}
	at.tail = add(at.tail, e)
	if bare, ok := strings.CutSuffix(body, "/"); ok && bare != "" {
		also := *e
		also.star = true
		at = n.at(bare)
		at.end = add(at.end, &also)
	}
}

// at returns the node of a pattern, made if need be.
func (n *node[T]) at(pattern string) *node[T] {
	for pattern != "" {
		open := strings.Index(pattern, "/{")
		if open < 0 {
			return n.below(pattern)
		}
		n = n.below(pattern[:open+1])
		if n.param == nil {
			n.param = &node[T]{}
		}
		n = n.param
		end := strings.IndexByte(pattern[open+1:], '/')
		if end < 0 {
			return n
		}
		pattern = pattern[open+1+end:]
	}
	return n
}

// add keeps entries in the order in which they are tried.
func add[T any](list []*entry[T], e *entry[T]) []*entry[T] {
	list = append(list, e)
	slices.SortStableFunc(list, func(a, b *entry[T]) int {
		return cmp.Or(boolean(a.star)-boolean(b.star), b.conditions.count()-a.conditions.count(), boolean(len(b.methods) > 0)-boolean(len(a.methods) > 0), a.order-b.order)
	})
	return list
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// below returns the node that static bytes lead to from n, made if need be.
func (n *node[T]) below(static string) *node[T] {
	for static != "" {
		i := n.index(static[0])
		if i < 0 {
			child := &node[T]{prefix: static}
			n.first, n.children = append(n.first, static[0]), append(n.children, child)
			return child
		}
		child := n.children[i]
		same := 0
		for same < len(static) && same < len(child.prefix) && static[same] == child.prefix[same] {
			same++
		}
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
