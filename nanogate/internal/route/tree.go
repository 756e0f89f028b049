package route

import (
	"cmp"
	"slices"
	"strings"
)

// node is a node of a radix tree over canonical paths. What leads to it has been
// matched. Below it are tried, in this order, static bytes, a parameter, any rest.
// It belongs to the edit that made it: others make a copy.
type node[T any] struct {
	of       *owner
	prefix   string // static bytes that lead here from the parent; "" for a parameter
	first    []byte // the first byte of each of children
	children []*node[T]
	param    *node[T]    // a segment that isn't empty
	end      []*entry[T] // the path ends here; the more particular first
	tail     []*entry[T] // any rest, also none
}

// own returns n for the edit to change: n itself if it was made in it, else a copy. A
// node that isn't there is made.
func (e *Edit[T]) own(n *node[T]) *node[T] {
	switch {
	case n == nil:
		return &node[T]{of: e.owner}
	case n.of == e.owner:
		return n
	}
	return &node[T]{
		of: e.owner, prefix: n.prefix, first: slices.Clone(n.first), children: slices.Clone(n.children),
		param: n.param, end: slices.Clone(n.end), tail: slices.Clone(n.tail),
	}
}

// insert puts an entry at its pattern below n, which is the edit's own.
func (e *Edit[T]) insert(n *node[T], pattern string, one *entry[T]) {
	body, star := strings.CutSuffix(pattern, "*")
	at := e.at(n, body)
	if !star {
		at.end = e.add(at.end, one)
		return
	}
	at.tail = e.add(at.tail, one)
	if bare, ok := strings.CutSuffix(body, "/"); ok && bare != "" {
		also := *one
		also.star = true
		at = e.at(n, bare)
		at.end = e.add(at.end, &also)
	}
}

// at returns the node of a pattern, made if need be, for the edit to change.
func (e *Edit[T]) at(n *node[T], pattern string) *node[T] {
	for pattern != "" {
		open := strings.Index(pattern, "/{")
		if open < 0 {
			return e.below(n, pattern)
		}
		n = e.below(n, pattern[:open+1])
		n.param = e.own(n.param)
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
func (e *Edit[T]) add(list []*entry[T], one *entry[T]) []*entry[T] {
	i, _ := slices.BinarySearchFunc(list, one, func(a, b *entry[T]) int {
		if c := cmp.Or(boolean(a.star)-boolean(b.star), a.rank-b.rank, b.conditions.count()-a.conditions.count(), boolean(len(b.methods) > 0)-boolean(len(a.methods) > 0)); c != 0 {
			return c
		}
		return e.order(a.value) - e.order(b.value)
	})
	return slices.Insert(list, i, one)
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// below returns the node that static bytes lead to from n, made if need be, for the edit
// to change.
func (e *Edit[T]) below(n *node[T], static string) *node[T] {
	for static != "" {
		i := n.index(static[0])
		if i < 0 {
			child := &node[T]{of: e.owner, prefix: static}
			n.first, n.children = append(n.first, static[0]), append(n.children, child)
			return child
		}
		child := e.own(n.children[i])
		n.children[i] = child
		same := 0
		for same < len(static) && same < len(child.prefix) && static[same] == child.prefix[same] {
			same++
		}
		if same < len(child.prefix) {
			upper := &node[T]{of: e.owner, prefix: child.prefix[:same], first: []byte{child.prefix[same]}, children: []*node[T]{child}}
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
