package simulated

// moment is something that happens at a time.
type moment struct {
	at    int64
	order uint64 // among those of the same time
	do    func()
}

// schedule is what is to happen, the next first: a heap.
type schedule struct {
	heap  []moment
	order uint64
}

func (q *schedule) add(at int64, do func()) {
	q.order++
	q.heap = append(q.heap, moment{at, q.order, do})
	for i := len(q.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !q.before(i, up) {
			break
		}
		q.heap[i], q.heap[up] = q.heap[up], q.heap[i]
		i = up
	}
}

func (q *schedule) before(i, j int) bool {
	a, b := &q.heap[i], &q.heap[j]
	return a.at < b.at || a.at == b.at && a.order < b.order
}

func (q *schedule) next() moment {
	first := q.heap[0]
	last := len(q.heap) - 1
	q.heap[0] = q.heap[last]
	q.heap[last] = moment{}
	q.heap = q.heap[:last]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if q.before(child, least) {
				least = child
			}
		}
		if least == i {
			return first
		}
		q.heap[i], q.heap[least] = q.heap[least], q.heap[i]
		i = least
	}
}
