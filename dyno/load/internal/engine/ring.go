package engine

// ring is a first-in-first-out queue that grows by doubling and never shrinks:
// no allocation once it has reached its size. The zero value is an empty one.
type ring[T any] struct {
	items []T // length is a power of two
	head  int
	count int
}

func newRing[T any](capacity int) ring[T] {
	size := 1
	for size < capacity {
		size *= 2
	}
	return ring[T]{items: make([]T, size)}
}

func (r *ring[T]) len() int { return r.count }

func (r *ring[T]) push(x T) {
	if r.count == len(r.items) {
		r.grow()
	}
	r.items[(r.head+r.count)&(len(r.items)-1)] = x
	r.count++
}

// pop removes the oldest item; the ring must not be empty.
func (r *ring[T]) pop() T {
	x := r.items[r.head]
	r.head = (r.head + 1) & (len(r.items) - 1)
	r.count--
	return x
}

// popLast removes the newest item; the ring must not be empty.
func (r *ring[T]) popLast() T {
	r.count--
	return r.items[(r.head+r.count)&(len(r.items)-1)]
}

// first returns the oldest item; the ring must not be empty.
func (r *ring[T]) first() T { return r.items[r.head] }

// last returns the newest item; the ring must not be empty.
func (r *ring[T]) last() T { return r.items[(r.head+r.count-1)&(len(r.items)-1)] }

// clear removes all items.
func (r *ring[T]) clear() { r.head, r.count = 0, 0 }

func (r *ring[T]) grow() {
	larger := newRing[T](max(1, 2*len(r.items)))
	n := copy(larger.items, r.items[r.head:])
	copy(larger.items[n:], r.items[:r.head])
	larger.count = r.count
	*r = larger
}
