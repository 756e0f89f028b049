package route

import (
	"hash/maphash"
	"slices"
	"strings"

	"dyno.example/nanogate/internal/config"
)

// Edit makes a table from another one. What isn't changed is shared by both, and the
// one before stays as it is: a change costs what lies on the way to it, however many
// routes there are.
type Edit[T any] struct {
	table *Table[T]
	owner *owner
	order func(*T) int
}

// owner marks what was made in one edit, and may be changed in place by it.
type owner struct{ _ byte }

// Edit begins an edit. order is a value's position in the file: of routes that match
// alike the first is found.
func (t *Table[T]) Edit(order func(*T) int) *Edit[T] {
	e := &Edit[T]{table: &Table[T]{tiers: slices.Clone(t.tiers), seed: t.seed}, owner: new(owner), order: order}
	if len(t.tiers) == 0 {
		e.table.seed = maphash.MakeSeed()
	}
	return e
}

// Table ends the edit.
func (e *Edit[T]) Table() *Table[T] { return e.table }

// Add puts a value into the table.
func (e *Edit[T]) Add(m *config.Match, priority int, v *T) {
	one := &entry[T]{value: v, conditions: conditionsOf(m), rank: m.Rank}
	if !m.Exactly {
		one.methods = m.Methods
	}
	e.each(m, priority, func(n *node[T]) *node[T] {
		n = e.own(n)
		e.insert(n, m.Path.Text, one)
		return n
	})
	e.tier(priority).size++
}

// Remove takes a value out, which was added with this match and priority.
func (e *Edit[T]) Remove(m *config.Match, priority int, v *T) {
	e.each(m, priority, func(n *node[T]) *node[T] {
		return e.change(n, m.Path.Text, func(list []*entry[T]) []*entry[T] {
			return slices.DeleteFunc(list, func(one *entry[T]) bool { return one.value == v })
		})
	})
	t := e.tier(priority)
	if t.size--; t.size == 0 {
		e.table.tiers = slices.DeleteFunc(e.table.tiers, func(one *tier[T]) bool { return one == t })
	}
}

// Replace puts another value in the place of one that was added with this match and
// priority.
func (e *Edit[T]) Replace(m *config.Match, priority int, before, after *T) {
	e.each(m, priority, func(n *node[T]) *node[T] {
		return e.change(n, m.Path.Text, func(list []*entry[T]) []*entry[T] {
			for i, one := range list {
				if one.value == before {
					another := *one
					another.value = after
					list[i] = &another
				}
			}
			return list
		})
	})
}

// tier returns the tier of a priority, which is the edit's own.
func (e *Edit[T]) tier(priority int) *tier[T] {
	tiers := e.table.tiers
	i, found := slices.BinarySearchFunc(tiers, priority, func(have *tier[T], want int) int { return want - have.priority })
	switch {
	case !found:
		e.table.tiers = slices.Insert(tiers, i, &tier[T]{of: e.owner, priority: priority})
	case tiers[i].of != e.owner:
		t := *tiers[i]
		t.of, t.exact, t.below = e.owner, t.exact.clone(), t.below.clone()
		tiers[i] = &t
	}
	return e.table.tiers[i]
}

// each puts what f makes of each tree that a match stands in in its place.
func (e *Edit[T]) each(m *config.Match, priority int, f func(*node[T]) *node[T]) {
	t := e.tier(priority)
	if len(m.Hosts) == 0 {
		t.any = f(t.any)
	}
	for _, host := range m.Hosts {
		if rest, ok := strings.CutPrefix(host, "*."); ok {
			t.below.change(e, rest, f)
		} else {
			t.exact.change(e, host, f)
		}
	}
}

// change applies f to the lists that a pattern's entries stand in below n. It returns
// what takes the place of n; nil: nothing is left.
func (e *Edit[T]) change(n *node[T], pattern string, f func([]*entry[T]) []*entry[T]) *node[T] {
	body, star := strings.CutSuffix(pattern, "*")
	if !star {
		return e.walk(n, body, func(n *node[T]) { n.end = f(n.end) })
	}
	n = e.walk(n, body, func(n *node[T]) { n.tail = f(n.tail) })
	if bare, ok := strings.CutSuffix(body, "/"); ok && bare != "" {
		n = e.walk(n, bare, func(n *node[T]) { n.end = f(n.end) })
	}
	return n
}

// walk applies f to the node of a pattern below n, and takes away what is empty then. It
// returns what takes the place of n.
func (e *Edit[T]) walk(n *node[T], pattern string, f func(*node[T])) *node[T] {
	if n == nil {
		return nil
	}
	switch {
	case pattern == "":
		n = e.own(n)
		f(n)
	case pattern[0] == '{':
		n = e.own(n)
		n.param = e.walk(n.param, pattern[strings.IndexByte(pattern, '}')+1:], f)
	default:
		i := n.index(pattern[0])
		if i < 0 || !strings.HasPrefix(pattern, n.children[i].prefix) {
			return n
		}
		n = e.own(n)
		child := e.walk(n.children[i], pattern[len(n.children[i].prefix):], f)
		if n.children[i] = child; child == nil {
			n.first, n.children = slices.Delete(n.first, i, i+1), slices.Delete(n.children, i, i+1)
		}
	}
	return e.collapse(n)
}

// collapse returns what stands for a node that something was taken from: nothing, or its
// only child with both prefixes.
func (e *Edit[T]) collapse(n *node[T]) *node[T] {
	if n.param != nil || len(n.end)+len(n.tail) > 0 || len(n.children) > 1 {
		return n
	}
	if len(n.children) == 0 {
		return nil
	}
	if n.prefix == "" { // a tree's root, or a parameter
		return n
	}
	child := e.own(n.children[0])
	child.prefix = n.prefix + child.prefix
	return child
}
