package reactor

// Deadlines orders connections by when they became due to respond. All have the
// same time limit, so the order of arrival is the order of expiry, and adding,
// removing and finding the oldest cost a few memory writes: no timer per
// connection, no heap.
//
// IDs index a table given at creation; each can be in the list once.
type Deadlines struct {
	nodes      []deadline
	head, tail int32
}

type deadline struct {
	since      int64 // ns, on the caller's clock; 0: not in the list
	prev, next int32
}

const none = -1

// NewDeadlines makes an empty list for IDs 0 to n-1.
func NewDeadlines(n int) *Deadlines {
	return &Deadlines{nodes: make([]deadline, n), head: none, tail: none}
}

// Start puts id at the end of the list, due from now on. now must be positive
// and not before any earlier one. An id that is in the list is moved.
func (d *Deadlines) Start(id int32, now int64) {
	d.Stop(id)
	n := &d.nodes[id]
	*n = deadline{since: now, prev: d.tail, next: none}
	if d.tail == none {
		d.head = id
	} else {
		d.nodes[d.tail].next = id
	}
	d.tail = id
}

// Stop takes id out of the list, if it is in.
func (d *Deadlines) Stop(id int32) {
	n := &d.nodes[id]
	if n.since == 0 {
		return
	}
	if n.prev == none {
		d.head = n.next
	} else {
		d.nodes[n.prev].next = n.next
	}
	if n.next == none {
		d.tail = n.prev
	} else {
		d.nodes[n.next].prev = n.prev
	}
	n.since = 0
}

// Oldest returns the id that has been in the list longest and since when; ok is
// false when the list is empty.
func (d *Deadlines) Oldest() (id int32, since int64, ok bool) {
	if d.head == none {
		return 0, 0, false
	}
	return d.head, d.nodes[d.head].since, true
}
