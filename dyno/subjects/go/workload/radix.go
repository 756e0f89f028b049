package main

import "strings"

// radix is a trie in which a chain of nodes with one child each is one node.
type radix struct {
	prefix   string
	number   int
	children []*radix // no two begin with the same byte
	param    *radix
}

func (t *radix) add(pattern string, number int) {
	before, after, more := cutParam(pattern)
	end := t.grow(before)
	if !more {
		end.number = number
		return
	}
	if end.param == nil {
		end.param = new(radix)
	}
	end.param.add(after, number)
}

func (t *radix) match(path string) (number int, param string, hops int) {
	for ; path != ""; hops++ {
		if next := t.child(path[0]); next != nil && strings.HasPrefix(path, next.prefix) {
			t, path = next, path[len(next.prefix):]
			continue
		}
		if t = t.param; t == nil {
			return 0, "", hops
		}
		param, path = upToSlash(path)
	}
	return t.number, param, hops
}

func (t *radix) child(b byte) *radix {
	for _, c := range t.children {
		if c.prefix[0] == b {
			return c
		}
	}
	return nil
}

// grow returns the node for text below t, which it makes if there is none.
func (t *radix) grow(text string) *radix {
	if text == "" {
		return t
	}
	c := t.child(text[0])
	if c == nil {
		c = &radix{prefix: text}
		t.children = append(t.children, c)
		return c
	}
	n := common(c.prefix, text)
	if n < len(c.prefix) {
		c.split(n)
	}
	return c.grow(text[n:])
}

// split makes two nodes of t, the first with n bytes.
func (t *radix) split(n int) {
	rest := *t
	rest.prefix = t.prefix[n:]
	*t = radix{prefix: t.prefix[:n], children: []*radix{&rest}}
}

// common is how many bytes a and b have in common at their beginnings.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
