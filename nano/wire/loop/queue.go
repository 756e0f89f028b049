package loop

// Queue is a queue of things that wait for their turn, such as streams that have something
// to send. Each is in it at most once, and has its [Place] itself: adding one allocates
// nothing, and removing one takes no search.
type Queue[T any] struct{ first, last *Place[T] }

// Place is the place of something in a queue, if it is in one.
type Place[T any] struct {
	of           *T // nil: in none
	before, next *Place[T]
}

// Empty reports whether the queue is empty.
func (q *Queue[T]) Empty() bool { return q.first == nil }

// Push adds v at the end, unless it is in the queue already.
func (q *Queue[T]) Push(v *T, p *Place[T]) {
	if p.of != nil {
		return
	}
	p.of, p.before, p.next = v, q.last, nil
	if q.last == nil {
		q.first = p
	} else {
		q.last.next = p
	}
	q.last = p
}

// Pop takes the first out; nil: there is none.
func (q *Queue[T]) Pop() *T {
	p := q.first
	if p == nil {
		return nil
	}
	v := p.of
	q.Remove(p)
	return v
}

// Remove takes out what has the place, if it is in the queue.
func (q *Queue[T]) Remove(p *Place[T]) {
	if p.of == nil {
		return
	}
	if p.before == nil {
		q.first = p.next
	} else {
		p.before.next = p.next
	}
	if p.next == nil {
		q.last = p.before
	} else {
		p.next.before = p.before
	}
	*p = Place[T]{}
}
