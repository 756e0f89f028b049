package loop

import "math/bits"

// Table finds connections by small numbers, their IDs. An ID is given out again one batch
// of events after it was given back: until then an event may still name the connection
// that was closed.
//
// Connections lie in pages, so that pointers to them stay valid and the collector has few
// objects to visit. The memory of one that was closed is the next one's: whoever adds it
// finds there what the last one left.
type Table[T any] struct {
	pages  []*[perPage]T
	open   []uint16 // by page: which of its connections there are
	unused []int32
	closed []int32
	count  int
}

const perPage = 16

// At returns the connection with an ID that was given out once.
func (t *Table[T]) At(id int32) *T {
	return &t.pages[uint32(id)/perPage][uint32(id)%perPage]
}

// Len is how many connections there are.
func (t *Table[T]) Len() int { return t.count }

// Add returns a connection that is not in use, and its ID.
func (t *Table[T]) Add() (*T, int32) {
	if len(t.unused) == 0 {
		first := int32(len(t.pages) * perPage)
		t.pages, t.open = append(t.pages, new([perPage]T)), append(t.open, 0)
		for i := int32(perPage) - 1; i >= 0; i-- {
			t.unused = append(t.unused, first+i)
		}
	}
	id := t.unused[len(t.unused)-1]
	t.unused = t.unused[:len(t.unused)-1]
	t.open[id/perPage] |= 1 << (id % perPage)
	t.count++
	return t.At(id), id
}

// Remove gives a connection back. Its ID may be used again after Reuse.
func (t *Table[T]) Remove(id int32) {
	t.open[id/perPage] &^= 1 << (id % perPage)
	t.closed = append(t.closed, id)
	t.count--
}

// Reuse lets the IDs that were given back in this batch be used again.
func (t *Table[T]) Reuse() {
	if len(t.closed) > 0 {
		t.unused = append(t.unused, t.closed...)
		t.closed = t.closed[:0]
	}
}

// Each calls f for every connection, which may remove any, and add others.
func (t *Table[T]) Each(f func(*T)) {
	for page := range t.pages {
		for left := t.open[page]; left != 0; left &= left - 1 {
			i := bits.TrailingZeros16(left)
			if t.open[page]&(1<<i) != 0 {
				f(&t.pages[page][i])
			}
		}
	}
}
