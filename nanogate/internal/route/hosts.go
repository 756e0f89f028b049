package route

import (
	"hash/maphash"
	"maps"
	"slices"
)

// hosts finds the tree of a host. They lie in buckets, so that a table that differs in
// one host shares all but that one's bucket with the table it was made from.
type hosts[T any] struct {
	buckets []*bucket[T] // manyBuckets, or none
	n       int          // hosts
}

const manyBuckets = 256

type bucket[T any] struct {
	of    *owner
	trees map[string]*node[T]
}

// find returns the tree of a host in lower case, nil if there is none.
func (h *hosts[T]) find(seed maphash.Seed, host []byte) *node[T] {
	if h.n == 0 {
		return nil
	}
	if b := h.buckets[maphash.Bytes(seed, host)%manyBuckets]; b != nil {
		return b.trees[string(host)]
	}
	return nil
}

// change puts what f makes of a host's tree in its place; nil stands for none. h is the
// edit's own.
func (h *hosts[T]) change(e *Edit[T], host string, f func(*node[T]) *node[T]) {
	if h.buckets == nil {
		h.buckets = make([]*bucket[T], manyBuckets)
	}
	at := &h.buckets[maphash.String(e.table.seed, host)%manyBuckets]
	b := *at
	var before *node[T]
	if b != nil {
		before = b.trees[host]
	}
	after := f(before)
	if after == before {
		return
	}
	switch {
	case b == nil:
		b = &bucket[T]{of: e.owner, trees: map[string]*node[T]{}}
	case b.of != e.owner:
		b = &bucket[T]{of: e.owner, trees: maps.Clone(b.trees)}
	}
	*at = b
	switch {
	case after == nil:
		delete(b.trees, host)
		h.n--
	case before == nil:
		h.n++
		fallthrough
	default:
		b.trees[host] = after
	}
}

// clone is for an edit that changes them.
func (h *hosts[T]) clone() hosts[T] { return hosts[T]{slices.Clone(h.buckets), h.n} }
