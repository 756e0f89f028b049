package main

// trie is the plain form: a node for every byte.
type trie struct {
	byte     byte
	number   int
	children []*trie
	param    *trie
}

func (t *trie) add(pattern string, number int) {
	before, after, more := cutParam(pattern)
	for i := range len(before) {
		t = t.grow(before[i])
	}
	if !more {
		t.number = number
		return
	}
	if t.param == nil {
		t.param = new(trie)
	}
	t.param.add(after, number)
}

func (t *trie) match(path string) (number int, param string, hops int) {
	for ; path != ""; hops++ {
		if next := t.child(path[0]); next != nil {
			t, path = next, path[1:]
			continue
		}
		if t = t.param; t == nil {
			return 0, "", hops
		}
		param, path = upToSlash(path)
	}
	return t.number, param, hops
}

func (t *trie) child(b byte) *trie {
	for _, c := range t.children {
		if c.byte == b {
			return c
		}
	}
	return nil
}

// grow returns the child, which it makes if there is none.
func (t *trie) grow(b byte) *trie {
	if c := t.child(b); c != nil {
		return c
	}
	c := &trie{byte: b}
	t.children = append(t.children, c)
	return c
}
