package stats

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// Durations are exported with these bounds: each power of two from 131 µs to 17 s.
const (
	lowestBound = 17 // 1<<lowestBound ns
	Bounds      = 18 // how many there are
)

// Bound returns a bound, from 0.
func Bound(i int) time.Duration { return 1 << (lowestBound + i) }

// boundOf is the bound that a duration in ns is within; Bounds: none.
func boundOf(ns int64) int {
	return min(max(bits.Len64(uint64(max(ns, 1)-1))-lowestBound, 0), Bounds)
}

// Bounded is how many durations lie within each bound and not within the one before; the
// last of them are beyond all.
func (h *Histogram) Bounded() (counts [Bounds + 1]uint64) {
	i := 0
	for bucket, n := range h.Buckets {
		for i < Bounds && Upper(bucket) > Bound(i) {
			i++
		}
		counts[i] += n
	}
	return counts
}

// Exemplar is a request that was traced.
type Exemplar struct {
	Trace [16]byte
	Took  time.Duration
	At    time.Time
}

// exemplars are the last ones, by bound.
type exemplars [Bounds + 1]atomic.Pointer[Exemplar]

// Exemplify keeps a request as an example of its duration.
func (c *Counters) Exemplify(e *Exemplar) { c.exemplars[boundOf(int64(e.Took))].Store(e) }

// Exemplar returns the last request that was kept for a bound, [Bounds] for those that
// took longer than all; nil if there is none.
func (c *Counters) Exemplar(bound int) *Exemplar { return c.exemplars[bound].Load() }
