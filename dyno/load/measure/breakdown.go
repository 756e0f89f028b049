package measure

import (
	"maps"

	"dyno.example/nano/wire/grpc"
)

// Bounds of what HTTP/1.1 takes for a status (RFC 9110 15).
const (
	lowestStatus  = 100
	highestStatus = 999
)

// Breakdown is one loop's share of a window by status and by kind of request.
type Breakdown struct {
	statuses [highestStatus - lowestStatus + 1]uint64
	codes    [grpc.Codes]uint64 // of gRPC
	Kinds    []KindCount        // by place in the mix; empty if they are not counted apart
}

// Count counts a complete response by its status.
func (b *Breakdown) Count(status int) {
	if status >= lowestStatus && status <= highestStatus {
		b.statuses[status-lowestStatus]++
	}
}

// CountCode counts a gRPC call with a complete response by its status.
func (b *Breakdown) CountCode(code grpc.Code) { b.codes[code]++ }

// Kind returns the counts of the kind at a place in the mix; nil if they are not
// kept.
func (b *Breakdown) Kind(place int) *KindCount {
	if place >= len(b.Kinds) {
		return nil
	}
	return &b.Kinds[place]
}

// KindCount is what became of one kind of request. What was never sent, as it was shed,
// got no connection or still waited at the end, is of the kind that the mix would have
// made of it, drawn by the weights.
type KindCount struct {
	Completed, Drained, Unfinished, Shed, Unconnected uint64

	Carried  uint64 // of Completed; see [Window]
	Errors   Errors
	Response *Buckets // nil if there was none yet
	Waited   *Buckets // how long those had taken that were given up; nil if none was yet
}

// Timed notes the response time of a request with a complete response, in ns.
func (k *KindCount) Timed(ns int64) { recordIn(&k.Response, ns) }

// GaveUp notes how long a request had taken, in ns, when it was given up.
func (k *KindCount) GaveUp(after int64) { recordIn(&k.Waited, after) }

// Window is what is known of the kind as a window of its own.
func (k *KindCount) Window() Window {
	w := Window{Completed: k.Completed, Carried: k.Carried, Drained: k.Drained, Unfinished: k.Unfinished, Shed: k.Shed, Unconnected: k.Unconnected, Errors: k.Errors}
	w.Hist[Response], w.Waited[Response] = k.Response.Histogram(), k.Waited.Histogram()
	return w
}

// NewBreakdown counts so many kinds of requests apart.
func NewBreakdown(kinds int) *Breakdown {
	b := &Breakdown{Kinds: make([]KindCount, kinds)}
	for i := range b.Kinds {
		b.Kinds[i].Response = NewBuckets()
	}
	return b
}

// NewPartBreakdown is NewBreakdown for what is rarely much: memory is taken as it is
// needed.
func NewPartBreakdown(kinds int) *Breakdown { return &Breakdown{Kinds: make([]KindCount, kinds)} }

// Reset empties b, and keeps its memory.
func (b *Breakdown) Reset() {
	clear(b.statuses[:])
	clear(b.codes[:])
	for i := range b.Kinds {
		k := &b.Kinds[i]
		for _, b := range []*Buckets{k.Response, k.Waited} {
			if b != nil {
				b.reset()
			}
		}
		*k = KindCount{Response: k.Response, Waited: k.Waited}
	}
}

// Add adds o, which is of the same mix.
func (b *Breakdown) Add(o *Breakdown) {
	for i, n := range o.statuses {
		b.statuses[i] += n
	}
	for i, n := range o.codes {
		b.codes[i] += n
	}
	for i := range o.Kinds {
		k, from := &b.Kinds[i], &o.Kinds[i]
		k.Completed += from.Completed
		k.Carried += from.Carried
		k.Drained += from.Drained
		k.Unfinished += from.Unfinished
		k.Shed += from.Shed
		k.Unconnected += from.Unconnected
		k.Errors.Add(from.Errors)
		addTo(&k.Response, from.Response)
		addTo(&k.Waited, from.Waited)
	}
}

// Keep adds o, which is of a window that is left out, but of requests that count.
func (b *Breakdown) Keep(o *Breakdown) {
	b.Add(o)
	for i := range o.Kinds {
		b.Kinds[i].Completed -= o.Kinds[i].Completed
		b.Kinds[i].Drained += o.Kinds[i].Completed
	}
}

// Leave takes o, which was added before as a part of a window, from b: it is of requests
// that don't count.
func (b *Breakdown) Leave(o *Breakdown) {
	for i, n := range o.statuses {
		b.statuses[i] -= n
	}
	for i, n := range o.codes {
		b.codes[i] -= n
	}
	for i := range o.Kinds {
		k, from := &b.Kinds[i], &o.Kinds[i]
		k.Carried += from.Completed
		k.Drained -= from.Drained
		k.Unfinished -= from.Unfinished
		k.Shed -= from.Shed
		k.Unconnected -= from.Unconnected
		k.Errors.Sub(from.Errors)
		k.Response.sub(from.Response)
		k.Waited.sub(from.Waited)
	}
}

// ByStatus returns the counts of the statuses that came; nil if none did.
func (b *Breakdown) ByStatus() map[int]uint64 {
	var counts map[int]uint64
	for i, n := range b.statuses {
		if n > 0 {
			counts = addStatus(counts, lowestStatus+i, n)
		}
	}
	return counts
}

// ByCode returns the counts of the statuses of gRPC that came, by name; nil if none did.
func (b *Breakdown) ByCode() map[string]uint64 {
	var counts map[string]uint64
	for i, n := range b.codes {
		if n == 0 {
			continue
		}
		if counts == nil {
			counts = make(map[string]uint64)
		}
		counts[grpc.Code(i).String()] = n
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

// subCounts returns a without b's counts, which are among them; it changes neither.
func subCounts[K comparable](a, b map[K]uint64) map[K]uint64 {
	if len(b) == 0 {
		return a
	}
	left := maps.Clone(a)
	for key, n := range b {
		if left[key] -= n; left[key] == 0 {
			delete(left, key)
		}
	}
	return left
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

// AddCodes returns the sums of both; it changes neither.
func AddCodes(a, b map[string]uint64) map[string]uint64 {
	if len(b) == 0 {
		return a
	}
	sum := maps.Clone(a)
	if sum == nil {
		sum = make(map[string]uint64)
	}
	for code, n := range b {
		sum[code] += n
	}
	return sum
}

// RequestResult is what became of one kind of request of a mix.
type RequestResult struct {
	Name string
	// Total has the counts of requests that came to an end or were given up, and the
	// response times, in the windows that count: see [KindCount].
	Total Window
	All   Window // the same, in all measured windows
}

// Shown is the window that figures are shown of: All if no window counts.
func (r *RequestResult) Shown() *Window {
	if r.Total.Length <= 0 && r.All.Length > 0 {
		return &r.All
	}
	return &r.Total
}
