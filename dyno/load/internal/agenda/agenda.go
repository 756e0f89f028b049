// Package agenda orders what is due later by when it is due.
package agenda

// Agenda is a binary heap in a table of fixed size, so that it does not allocate.
type Agenda struct {
	heap []Entry
}

// Entry is what is due, and when.
type Entry struct {
	At int64 // ns, on the caller's clock
	ID int32
}

// New makes an empty agenda for n entries.
func New(n int) Agenda { return Agenda{heap: make([]Entry, 0, n)} }

// Len is how many entries there are.
func (a *Agenda) Len() int { return len(a.heap) }

// First returns what is due first; there must be something.
func (a *Agenda) First() Entry { return a.heap[0] }

// Push adds an entry.
func (a *Agenda) Push(at int64, id int32) {
	a.heap = append(a.heap, Entry{at, id})
	i := len(a.heap) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if a.heap[parent].At <= at {
			break
		}
		a.heap[i] = a.heap[parent]
		i = parent
	}
	a.heap[i] = Entry{at, id}
}

// Pop removes what is due first.
func (a *Agenda) Pop() Entry {
	first := a.heap[0]
	last := a.heap[len(a.heap)-1]
	a.heap = a.heap[:len(a.heap)-1]
	if len(a.heap) == 0 {
		return first
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(a.heap) {
			break
		}
		if child+1 < len(a.heap) && a.heap[child+1].At < a.heap[child].At {
			child++
		}
		if last.At <= a.heap[child].At {
			break
		}
		a.heap[i] = a.heap[child]
		i = child
	}
	a.heap[i] = last
	return first
}
