package route

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// Tried is a value whose host and path are those of a request.
type Tried[T any] struct {
	Value   *T
	Host    string // as its match has it; "": any
	Why     string // what keeps it from taking the request; "": nothing
	Unclear bool   // a condition holds by only one of several values: the response is 400
	Method  bool   // only the method doesn't match: the response is 405 if no other route matches
}

// Explain returns what is tried for a request, in its order: the first without a Why is
// what [Table.Find] finds, and those after it would be if it weren't there.
func (t *Table[T]) Explain(r *request.Request) []Tried[T] {
	var tried []Tried[T]
	var f Found
	l := lookup[T]{r: r, path: r.Path, method: r.Method(), found: &f, tried: &tried}
	for _, tier := range t.tiers {
		t.find(tier, &l)
	}
	return tried
}

// trying notes for Explain which host's values are tried next.
func (l *lookup[T]) trying(prefix string, host []byte) {
	if l.tried != nil {
		l.host = prefix + string(host)
	}
}

// try notes entries for Explain, and why they don't take the request.
func (l *lookup[T]) try(list []*entry[T]) {
	for _, e := range list {
		one := Tried[T]{Value: e.value, Host: l.host, Why: e.conditions.why(l.r)}
		one.Unclear = e.conditions.hold(l.r) == unclear && (len(e.methods) == 0 || takes(e.methods, l.method))
		if one.Why == "" && len(e.methods) > 0 && !takes(e.methods, l.method) {
			one.Why, one.Method = fmt.Sprintf("the method is %s, not %s", l.method, strings.Join(e.methods, " or ")), true
		}
		*l.tried = append(*l.tried, one)
	}
}

// why says what doesn't hold; "" if all does, as hold says it.
func (c *conditions) why(r *request.Request) string {
	scheme := "http"
	if r.Secure {
		scheme = "https"
	}
	switch {
	case c.scheme != "" && c.scheme != scheme:
		return fmt.Sprintf("the scheme is %s, not %s", scheme, c.scheme)
	case c.method != "" && string(r.Method()) != c.method:
		return fmt.Sprintf("the method is %s, not just %s", r.Method(), c.method)
	case c.port != 0 && r.Port != c.port:
		return fmt.Sprintf("the port is %d, not %d", r.Port, c.port)
	}
	for _, part := range []struct {
		of     []config.Condition
		kind   string
		counts func(t *tally)
	}{
		{c.headers, "field", func(t *tally) { t.fields(r) }},
		{c.query, "parameter of the query", func(t *tally) { t.parameters(r.Query()) }},
		{c.cookies, "cookie", func(t *tally) { t.cookies(r) }},
	} {
		for i := range part.of {
			one := tally{condition: &part.of[i]}
			part.counts(&one)
			switch {
			case one.result() == held:
				continue
			case one.result() == unclear:
				return fmt.Sprintf("the %s %s is there several times, %s and not", part.kind, one.condition.Name, wanted(one.condition))
			case one.met+one.not == 0:
				return fmt.Sprintf("there is no %s %s", part.kind, one.condition.Name)
			}
			return fmt.Sprintf("the %s %s is %q, not %s", part.kind, one.condition.Name, one.first, wanted(one.condition))
		}
	}
	return ""
}

func wanted(c *config.Condition) string {
	switch c.Kind {
	case config.Absent:
		return "absent"
	case config.Begins:
		return fmt.Sprintf("begun with %q", strings.TrimSuffix(c.Shown(), "*"))
	}
	return fmt.Sprintf("%q", c.Shown())
}

// Ordered yields the values in the order in which they are tried, each once for each host of its
// match ("" for any). The order of two values that no request can both match has no meaning.
func (t *Table[T]) Ordered() iter.Seq2[string, *T] {
	return func(yield func(string, *T) bool) {
		for _, tier := range t.tiers {
			if !tier.exact.ordered(t, "", yield) || !tier.below.ordered(t, "*.", yield) {
				return
			}
			if tier.any != nil && !tier.any.ordered(func(v *T) bool { return yield("", v) }) {
				return
			}
		}
	}
}

// ordered yields the values of hosts: longer names first, as what is left of a host without
// its first labels is looked up later.
func (h *hosts[T]) ordered(t *Table[T], prefix string, yield func(string, *T) bool) bool {
	trees := map[string]*node[T]{}
	for _, b := range h.buckets {
		if b != nil {
			maps.Copy(trees, b.trees)
		}
	}
	names := slices.SortedFunc(maps.Keys(trees), func(a, b string) int {
		return cmp.Or(strings.Count(b, ".")-strings.Count(a, "."), strings.Compare(a, b))
	})
	for _, name := range names {
		if !trees[name].ordered(func(v *T) bool { return yield(prefix+name, v) }) {
			return false
		}
	}
	return true
}

// ordered yields the values below a node in the order of [lookup.find], those that stand at
// "/api" for "/api/*" only with the latter.
func (n *node[T]) ordered(yield func(*T) bool) bool {
	for _, e := range n.end {
		if !e.star && !yield(e.value) {
			return false
		}
	}
	for _, child := range n.children {
		if !child.ordered(yield) {
			return false
		}
	}
	if n.param != nil && !n.param.ordered(yield) {
		return false
	}
	for _, e := range n.tail {
		if !yield(e.value) {
			return false
		}
	}
	return true
}
