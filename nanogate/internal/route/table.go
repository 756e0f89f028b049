// Package route finds the route of a request: by priority, then host, then the most
// specific path, then methods and conditions. A table isn't changed: an [Edit] makes
// another one of it, which shares what is the same in both. Looking something up
// allocates nothing and waits for nothing.
package route

import (
	"hash/maphash"
	"slices"

	"dyno.example/nanogate/internal/request"
)

// MaxParams is how many values a path's pattern can give, the rest included.
const MaxParams = 9

// Table finds values of type T. The zero table finds none.
type Table[T any] struct {
	tiers []*tier[T] // by priority, the highest first
	seed  maphash.Seed
}

// tier are the routes of one priority.
type tier[T any] struct {
	of       *owner
	priority int
	size     int      // entries at their hosts
	exact    hosts[T] // by host
	below    hosts[T] // by what follows "*."
	any      *node[T]
}

// entry is a route in a table.
type entry[T any] struct {
	value      *T
	methods    []string
	conditions conditions
	rank       int
	star       bool // it is here as "/api/*" is at "/api"
}

// Found is what a lookup finds in addition to the value. It may be reused.
type Found struct {
	Params      [MaxParams]Span // of the canonical path, in the order of the pattern's
	N           int             // how many
	WrongMethod bool            // nothing was found, but would be with another method
	Unclear     bool            // a condition holds by one of several values of its name, and not by another
}

// Span is a part of the canonical path.
type Span = request.Span

// Find returns the value for a request, nil if there is none.
func (t *Table[T]) Find(r *request.Request, f *Found) *T {
	l := lookup[T]{r: r, path: r.Path, method: r.Method(), found: f}
	f.N, f.WrongMethod, f.Unclear = 0, false, false
	for _, tier := range t.tiers {
		if v := t.find(tier, &l); v != nil {
			return v
		}
	}
	f.N = 0
	return nil
}

func (t *Table[T]) find(tier *tier[T], l *lookup[T]) *T {
	if tier.exact.n+tier.below.n > 0 {
		if v := t.findHost(tier, l); v != nil {
			return v
		}
	}
	if tier.any == nil {
		return nil
	}
	l.trying("", nil)
	return l.find(tier.any, 0)
}

// findHost looks below the request's host, then below what is left of it without its
// first labels.
func (t *Table[T]) findHost(tier *tier[T], l *lookup[T]) *T {
	var buf [256]byte
	host := lower(buf[:0], l.r.Host())
	if n := tier.exact.find(t.seed, host); n != nil {
		l.trying("", host)
		if v := l.find(n, 0); v != nil {
			return v
		}
	}
	if tier.below.n == 0 {
		return nil
	}
	for i, c := range host {
		if c != '.' {
			continue
		}
		if n := tier.below.find(t.seed, host[i+1:]); n != nil {
			l.trying("*.", host[i+1:])
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
		t.find(tier, &l)
	}
	slices.Sort(allowed)
	return slices.Compact(allowed)
}
