package scripted

// response is one to a request that waits for its time.
type response struct {
	due     int64 // CLOCK_MONOTONIC, ns
	request int32 // its place in the record
	conn    int32
	life    uint32 // of the connection's slot: a response never goes to a successor
}

// queue is a binary heap of responses, the first due on top; those due at the
// same time keep their order of arrival. Its array is allocated once.
type queue []response

func (a response) before(b response) bool {
	return a.due < b.due || a.due == b.due && a.request < b.request
}

func (q *queue) push(a response) {
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

// pop takes the first response; the queue must not be empty.
func (q *queue) pop() response {
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
