package load

import "maps"

// maxKinds is how many kinds of requests a mix may have for each to have figures
// of its own: each takes a histogram of every second under way.
const maxKinds = 32

// Bounds of what HTTP/1.1 takes for a status (RFC 9110 15).
const (
	lowestStatus  = 100
	highestStatus = 999
)

// breakdown is one loop's share of a window by status and by kind of request.
type breakdown struct {
	statuses [highestStatus - lowestStatus + 1]uint64
	kinds    []kindCount // by place in the mix; empty if it has one kind, or more than maxKinds
}

// kindCount is what became of one kind of request.
type kindCount struct {
	completed, drained, unfinished uint64
	errors                         Errors
	response                       *tally
}

// kinds is how many kinds of requests have figures of their own.
func (p *program) kinds() int {
	if n := len(p.requests); n > 1 && n <= maxKinds {
		return n
	}
	return 0
}

func newBreakdown(kinds int) *breakdown {
	b := &breakdown{kinds: make([]kindCount, kinds)}
	for i := range b.kinds {
		b.kinds[i].response = newTally()
	}
	return b
}

// breakDown makes the slots count so many kinds of requests apart.
func breakDown(slots chan *slot, kinds int) {
	for range len(slots) {
		s := <-slots
		s.breakdown = newBreakdown(kinds)
		slots <- s
	}
}

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

// told counts a complete answer by its status.
func (r *recorder) told(status int) {
	if status >= lowestStatus && status <= highestStatus {
		r.breakdown.statuses[status-lowestStatus]++
	}
}

// answeredKind records a complete answer of a kind of request: as completed, or
// as the error that it is, with its response time in ns.
func (r *recorder) answeredKind(of *wireRequest, kind string, response int64) {
	if of.place >= len(r.breakdown.kinds) {
		return
	}
	k := &r.breakdown.kinds[of.place]
	k.response.record(response)
	switch {
	case kind != "":
		k.errors.count(kind)
	case r.draining:
		k.drained++
	default:
		k.completed++
	}
}

// failedKind counts a request of a kind that got no usable answer.
func (r *recorder) failedKind(of *wireRequest, kind string) {
	if of != nil && of.place < len(r.breakdown.kinds) {
		r.breakdown.kinds[of.place].errors.count(kind)
	}
}

// cutKind counts a request of a kind that nobody waits for any more.
func (r *recorder) cutKind(of *wireRequest) {
	if of != nil && of.place < len(r.breakdown.kinds) {
		r.breakdown.kinds[of.place].unfinished++
	}
}

// RequestResult is what became of one kind of request of a mix.
type RequestResult struct {
	Name string
	// Total has the counts of requests that came to an end, and the response
	// times, in the windows that count.
	Total Window
}

// byRequest makes the results of the kinds of requests, in the order of the mix.
func (b *breakdown) byRequest(spec *Spec, total *Window) []RequestResult {
	var list []RequestResult
	for i := range b.kinds {
		k := &b.kinds[i]
		r := RequestResult{Name: spec.Requests[i].Name}
		r.Total.Length, r.Total.Completed, r.Total.Drained, r.Total.Errors = total.Length, k.completed, k.drained, k.errors
		r.Total.Unfinished = k.unfinished
		r.Total.Hist[Response] = k.response.histogram()
		list = append(list, r)
	}
	return list
}
