// Package stats counts what passes through the gateway: each loop in memory of its own,
// without allocating and without waiting; readers sum them up.
package stats

import (
	"math/bits"
	"sync/atomic"
	"time"

	"dyno.example/nanogate/internal/request"
)

// Counters are the counts of one thing, such as a route, of all loops.
type Counters struct {
	shards    []Shard
	exemplars exemplars
	since     time.Time
}

// New makes counters for so many loops.
func New(loops int) *Counters {
	return &Counters{shards: make([]Shard, max(1, loops)), since: time.Now()}
}

// Since is from when on they count.
func (c *Counters) Since() time.Time { return c.since }

// Aim sets the time that responses are to be in within; 0: none. What missed it is
// counted from then on.
func (c *Counters) Aim(objective time.Duration) {
	for i := range c.shards {
		c.shards[i].objective.Store(int64(objective))
	}
}

// Shard is one loop's part. Only that loop counts there; any goroutine may read.
type Shard struct {
	status  [6]atomic.Uint64 // by hundreds; 0: no response
	failed  [request.Failures]atomic.Uint64
	refused atomic.Pointer[[request.Refusals]atomic.Uint64] // nil until the first
	retried atomic.Uint64
	took    [buckets]atomic.Uint64
	sum     atomic.Uint64 // ns

	objective atomic.Int64  // ns; 0: none
	aimed     atomic.Uint64 // requests since there is one
	missed    atomic.Uint64 // of these, what took longer or failed

	_ [64]byte // the next shard is another loop's cache line
}

// Of returns a loop's shard.
func (c *Counters) Of(loop int) *Shard { return &c.shards[loop%len(c.shards)] }

// Count counts a request that has ended.
func (s *Shard) Count(o *request.Outcome) {
	s.status[min(o.Status/100, 5)].Add(1)
	took := max(o.Ended-o.Began, 0)
	s.took[bucketOf(took)].Add(1)
	s.sum.Add(uint64(took))
	if o.Failed != request.OK {
		s.failed[o.Failed].Add(1)
	}
	if aim := s.objective.Load(); aim > 0 && o.Failed != request.ClientGone {
		s.aimed.Add(1)
		if took > aim || o.Status >= 500 || o.Status == 0 {
			s.missed.Add(1)
		}
	}
	if o.Refused != request.NotRefused {
		s.refuse(o.Refused)
	}
	if o.Tries > 1 {
		s.retried.Add(uint64(o.Tries - 1))
	}
}

// refuse counts what was refused. Most routes refuse nothing, so there is only memory for
// it once one does.
func (s *Shard) refuse(why request.Refusal) {
	counts := s.refused.Load()
	if counts == nil {
		counts = new([request.Refusals]atomic.Uint64)
		s.refused.Store(counts)
	}
	counts[why].Add(1)
}

// Figures are the sums over all loops at one moment.
type Figures struct {
	Requests uint64
	Status   [6]uint64 // responses by the hundreds of their status; 0: none was given
	Failed   [request.Failures]uint64
	Refused  [request.Refusals]uint64
	Retried  uint64
	Aimed    uint64 // requests while the route had an objective
	Missed   uint64 // of these, what took longer or failed
	Took     Histogram
}

// Read sums up.
func (c *Counters) Read() (f Figures) {
	for i := range c.shards {
		s := &c.shards[i]
		for k := range s.status {
			n := s.status[k].Load()
			f.Status[k] += n
			f.Requests += n
		}
		for k := range s.failed {
			f.Failed[k] += s.failed[k].Load()
		}
		if refused := s.refused.Load(); refused != nil {
			for k := range refused {
				f.Refused[k] += refused[k].Load()
			}
		}
		f.Retried += s.retried.Load()
		f.Aimed += s.aimed.Load()
		f.Missed += s.missed.Load()
		f.Took.Sum += time.Duration(s.sum.Load())
		for k := range s.took {
			f.Took.Buckets[k] += s.took[k].Load()
		}
	}
	return f
}

// Buckets of histograms: four to each power of two, from about 1 µs to about 1 min.
const (
	lowest  = 10 // 1<<lowest ns and less is the first bucket
	perTwo  = 4
	buckets = (36-lowest)*perTwo + 2
)

// Histogram counts durations.
type Histogram struct {
	Buckets [buckets]uint64
	Sum     time.Duration
}

// bucketOf is the bucket of a duration in ns.
func bucketOf(ns int64) int {
	if ns < 1<<lowest {
		return 0
	}
	top := bits.Len64(uint64(ns)) - 1 // 1<<top <= ns
	sub := int(ns>>(top-2)) & (perTwo - 1)
	return min((top-lowest)*perTwo+sub+1, buckets-1)
}

// Upper is the end of a bucket, not included; of the last there is none, and it gives
// the greatest duration.
func Upper(bucket int) time.Duration {
	if bucket >= buckets-1 {
		return 1<<63 - 1
	}
	top, sub := bucket/perTwo, bucket%perTwo
	return time.Duration((1<<lowest)<<top/perTwo) * time.Duration(perTwo+sub)
}

// Count is how many durations there are.
func (h *Histogram) Count() (n uint64) {
	for _, k := range h.Buckets {
		n += k
	}
	return n
}

// Quantile returns the end of the bucket that the q-th part of all durations lies
// below or in, 0 if there are none.
func (h *Histogram) Quantile(q float64) time.Duration {
	left := int64(q * float64(h.Count()))
	for i, k := range h.Buckets {
		if left -= int64(k); left < 0 || k > 0 && left == 0 && q >= 1 {
			return Upper(i)
		}
	}
	return 0
}
