package nano

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// Histogram counts durations in log-linear buckets: eight to each power of two,
// so a quantile is off by at most 1/16 of its value. Durations above 137 s count
// as 137 s. Any number of goroutines may use it. The zero value is empty.
type Histogram struct {
	sum    atomic.Int64 // ns
	counts [histogramBuckets]atomic.Uint64
}

const (
	bucketBits       = 3  // 8 buckets to a power of two
	histogramTop     = 37 // 2^37 ns
	histogramBuckets = (histogramTop - bucketBits + 1) << bucketBits
)

// bucketOf returns the bucket of a duration: below 8 ns one for each, above that
// by its highest bit and the three after it.
func bucketOf(ns int64) int {
	if ns < 0 {
		return 0
	}
	octave := bits.Len64(uint64(ns)) - bucketBits - 1
	if octave < 0 {
		return int(ns)
	}
	return min(octave<<bucketBits+int(ns>>octave), histogramBuckets-1)
}

// bucketBounds returns the first duration of a bucket and the first above it.
func bucketBounds(i int) (from, to int64) {
	octave := max(i>>bucketBits-1, 0)
	base := int64(i - octave<<bucketBits)
	return base << octave, (base + 1) << octave
}

func (h *Histogram) record(ns int64) {
	h.counts[bucketOf(ns)].Add(1)
	h.sum.Add(max(ns, 0))
}

// Count returns how many durations were recorded.
func (h *Histogram) Count() uint64 {
	var n uint64
	for i := range h.counts {
		n += h.counts[i].Load()
	}
	return n
}

// Mean returns the mean duration; 0 if there is none.
func (h *Histogram) Mean() time.Duration {
	n := h.Count()
	if n == 0 {
		return 0
	}
	return time.Duration(h.sum.Load() / int64(n))
}

// Quantile returns the duration that the share q (0 to 1) of all don't exceed,
// as the middle of its bucket; 0 if there is none.
func (h *Histogram) Quantile(q float64) time.Duration {
	n := h.Count()
	if n == 0 {
		return 0
	}
	rank := uint64(q * float64(n))
	rank = min(max(rank, 0), n-1)
	for i := range h.counts {
		c := h.counts[i].Load()
		if rank < c {
			from, to := bucketBounds(i)
			return time.Duration(from + (to-from)/2)
		}
		rank -= c
	}
	return 0 // records that came in between can't take any away
}
