//go:build linux

package proxy

// table finds connections by small numbers, their IDs, which are given out again one
// batch of events after they were given back: until then an event may still name the
// connection that was closed.
type table[T any] struct {
	all    []*T
	unused []int32
	closed []int32
	open   int
}

func (t *table[T]) at(id int32) *T { return t.all[id] }

// add returns a connection that is not in use, and its ID.
func (t *table[T]) add() (*T, int32) {
	t.open++
	if n := len(t.unused); n > 0 {
		id := t.unused[n-1]
		t.unused = t.unused[:n-1]
		return t.all[id], id
	}
	v := new(T)
	t.all = append(t.all, v)
	return v, int32(len(t.all) - 1)
}

// remove gives a connection back.
func (t *table[T]) remove(id int32) {
	t.open--
	t.closed = append(t.closed, id)
}

// reuse lets the IDs that were given back in this batch be used again.
func (t *table[T]) reuse() {
	if len(t.closed) > 0 {
		t.unused = append(t.unused, t.closed...)
		t.closed = t.closed[:0]
	}
}
