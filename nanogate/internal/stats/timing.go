package stats

import (
	"sync/atomic"
	"time"

	"dyno.example/nano/wire/clock"
	"dyno.example/nanogate/internal/request"
)

// Timing is how long a part of a route, such as a guard, takes: of a sample of the
// requests, as looking at the clock costs about as much as most of these.
type Timing struct {
	Name string
	Made time.Time

	took [buckets]atomic.Uint64
	sum  atomic.Uint64 // ns
}

// sampledOf is of how many requests one is timed. It is decided by when the request
// came, which takes no memory that loops would share.
const sampledOf = 64

// Sampled reports whether a request is among those that are timed.
func Sampled(r *request.Request) bool {
	return uint64(r.Now)*0x9E3779B97F4A7C15>>58 == 0
}

// Since counts a request that began at a time of [clock.Now].
func (t *Timing) Since(began int64) {
	took := max(clock.Now()-began, 0)
	t.took[bucketOf(took)].Add(1)
	t.sum.Add(uint64(took))
}

// Read returns how long the requests that were timed took, and how many requests one of
// them stands for.
func (t *Timing) Read() (h Histogram, each int) {
	for i := range t.took {
		h.Buckets[i] = t.took[i].Load()
	}
	h.Sum = time.Duration(t.sum.Load())
	return h, sampledOf
}
