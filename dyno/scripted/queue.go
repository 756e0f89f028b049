package scripted

// answer is a request that waits for its time.
type answer struct {
	due     int64 // CLOCK_MONOTONIC, ns
	request int32 // its place in the record
	conn    int32
	life    uint32 // of the connection's slot: an answer never goes to a successor
}

// queue is a binary heap of answers, the first due on top; those due at the
// same time keep their order of arrival. Its array is allocated once.
type queue []answer

func (a answer) before(b answer) bool {
	return a.due < b.due || a.due == b.due && a.request < b.request
}

func (q *queue) push(a answer) {
	*q = append(*q, a)
	h := *q
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h[i].before(h[parent]) {
			return
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

// pop takes the first answer; the queue must not be empty.
func (q *queue) pop() answer {
	h := *q
	first, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	*q = h
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return first
		}
		if child+1 < last && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(h[i]) {
			return first
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}
