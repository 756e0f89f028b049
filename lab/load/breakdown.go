package load

import "maps"

// Bounds of what HTTP/1.1 takes for a status (RFC 9110 15).
const (
	lowestStatus  = 100
	highestStatus = 999
)

// breakdown is one loop's share of a window by status and by kind of request.
type breakdown struct {
	statuses [highestStatus - lowestStatus + 1]uint64
	kinds    []kindCount // by place in the mix; empty if they are not counted apart
}

// count counts a complete response by its status.
func (b *breakdown) count(status int) {
	if status >= lowestStatus && status <= highestStatus {
		b.statuses[status-lowestStatus]++
	}
}

// kind returns the counts of the kind at a place in the mix; nil if they are not
// kept.
func (b *breakdown) kind(place int) *kindCount {
	if place >= len(b.kinds) {
		return nil
	}
	return &b.kinds[place]
}

// kindCount is what became of one kind of request.
type kindCount struct {
	completed, drained, unfinished uint64
	errors                         Errors
	response                       *buckets
}

// newBreakdown counts so many kinds of requests apart.
func newBreakdown(kinds int) *breakdown {
	b := &breakdown{kinds: make([]kindCount, kinds)}
	for i := range b.kinds {
		b.kinds[i].response = newBuckets()
	}
	return b
}

// reset empties b, and keeps its memory.
func (b *breakdown) reset() {
	clear(b.statuses[:])
	for i := range b.kinds {
		k := &b.kinds[i]
		k.response.reset()
		*k = kindCount{response: k.response}
	}
}

// add adds o, which is of the same mix.
func (b *breakdown) add(o *breakdown) {
	for i, n := range o.statuses {
		b.statuses[i] += n
	}
	for i := range o.kinds {
		k, from := &b.kinds[i], &o.kinds[i]
		k.completed += from.completed
		k.drained += from.drained
		k.unfinished += from.unfinished
		k.errors.Add(from.errors)
		k.response.add(from.response)
	}
}

// byStatus returns the counts of the statuses that came; nil if none did.
func (b *breakdown) byStatus() map[int]uint64 {
	var counts map[int]uint64
	for i, n := range b.statuses {
		if n > 0 {
			counts = addStatus(counts, lowestStatus+i, n)
		}
	}
	return counts
}

func addStatus(counts map[int]uint64, status int, n uint64) map[int]uint64 {
	if counts == nil {
		counts = make(map[int]uint64)
	}
	counts[status] += n
	return counts
}

// AddStatuses returns the sums of both; it changes neither.
func AddStatuses(a, b map[int]uint64) map[int]uint64 {
	if len(b) == 0 {
		return a
	}
	sum := maps.Clone(a)
	for status, n := range b {
		sum = addStatus(sum, status, n)
	}
	return sum
}

// RequestResult is what became of one kind of request of a mix.
type RequestResult struct {
	Name string
	// Total has the counts of requests that came to an end, and the response
	// times, in the windows that count.
	Total Window
}
