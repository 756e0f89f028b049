// Package route finds the route of a request: by priority, then host, then the most
// specific path, then methods and conditions. Tables are built once and never changed;
// looking something up allocates nothing and waits for nothing.
package route

import (
	"slices"

	"dyno/gate/config"
	"dyno/gate/request"
)

// MaxParams is how many values a path's pattern can give, the rest included.
const MaxParams = 9

// Table finds values of type T.
type Table[T any] struct {
	tiers []*tier[T] // by priority, the highest first
}

// tier are the routes of one priority.
type tier[T any] struct {
	priority int
	exact    map[string]*node[T] // by host
	below    map[string]*node[T] // by what follows "*."
	any      *node[T]
}

// entry is a route in a table.
type entry[T any] struct {
	value      *T
	methods    []string
	conditions conditions
	order      int  // in the file
	star       bool // it is here as "/api/*" is at "/api"
}

// Found is what a lookup tells besides the value. It may be reused.
type Found struct {
	Params      [MaxParams]Span // of the canonical path, in the order of the pattern's
	N           int             // how many
	WrongMethod bool            // nothing was found, but would be with another method
}

// Span is a part of the canonical path.
type Span struct{ Start, End int32 }

// Add puts a value into the table. Of routes that match alike, the one that was added
// first is found.
func (t *Table[T]) Add(m *config.Match, priority int, v *T) {
	tier := t.tier(priority)
	e := &entry[T]{value: v, methods: m.Methods, conditions: conditionsOf(m), order: tier.size()}
	if len(m.Hosts) == 0 {
		tier.any.insert(m.Path.Text, e)
	}
	for _, host := range m.Hosts {
		hosts := &tier.exact
		if len(host) > 2 && host[:2] == "*." {
			hosts, host = &tier.below, host[2:]
		}
		if *hosts == nil {
			*hosts = map[string]*node[T]{}
		}
		if (*hosts)[host] == nil {
			(*hosts)[host] = &node[T]{}
		}
		(*hosts)[host].insert(m.Path.Text, e)
	}
	tier.any.added++
}

func (t *Table[T]) tier(priority int) *tier[T] {
	i, found := slices.BinarySearchFunc(t.tiers, priority, func(have *tier[T], want int) int { return want - have.priority })
	if !found {
		t.tiers = slices.Insert(t.tiers, i, &tier[T]{priority: priority, any: &node[T]{}})
	}
	return t.tiers[i]
}

func (t *tier[T]) size() int { return t.any.added }

// Find returns the value for a request, nil if there is none.
func (t *Table[T]) Find(r *request.Request, f *Found) *T {
	l := lookup[T]{r: r, path: r.Path, method: r.Method(), found: f}
	f.N, f.WrongMethod = 0, false
	for _, tier := range t.tiers {
		if v := tier.find(&l); v != nil {
			return v
		}
	}
	f.N = 0
	return nil
}

func (t *tier[T]) find(l *lookup[T]) *T {
	if t.exact != nil || t.below != nil {
		if v := t.findHost(l); v != nil {
			return v
		}
	}
	return l.find(t.any, 0)
}

// findHost looks below the request's host, then below what is left of it without its
// first labels.
func (t *tier[T]) findHost(l *lookup[T]) *T {
	var buf [256]byte
	host := lower(buf[:0], l.r.Host())
	if n := t.exact[string(host)]; n != nil {
		if v := l.find(n, 0); v != nil {
			return v
		}
	}
	if t.below == nil {
		return nil
	}
	for i, c := range host {
		if c != '.' {
			continue
		}
		if n := t.below[string(host[i+1:])]; n != nil {
			if v := l.find(n, 0); v != nil {
				return v
			}
		}
	}
	return nil
}

// lower appends b in lower case, and without the dot that absolute names end with.
func lower(dst, b []byte) []byte {
	if len(b) > 0 && b[len(b)-1] == '.' {
		b = b[:len(b)-1]
	}
	for _, c := range b {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}

// Allowed returns the methods that would have been found for a request for which
// nothing was, in the order of the table, each once.
func (t *Table[T]) Allowed(r *request.Request) []string {
	var allowed []string
	var f Found
	l := lookup[T]{r: r, path: r.Path, method: r.Method(), found: &f, allowed: &allowed}
	for _, tier := range t.tiers {
		tier.find(&l)
	}
	slices.Sort(allowed)
	return slices.Compact(allowed)
}
