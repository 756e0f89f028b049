package probe

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// bucket is a number of events that took from low to high, in seconds.
type bucket struct {
	low, high float64
	count     uint64
}

// newBuckets returns the buckets that have grown from before to counts, with
// what they have grown by. Bucket i ends at uppers[i]. The last has no end: its
// events are taken to be at its beginning. before may be empty.
func newBuckets(uppers []float64, before, counts []uint64) (filled []bucket) {
	for i, n := range counts {
		if i < len(before) {
			n = grown(before[i], n)
		}
		if n == 0 {
			continue
		}
		b := bucket{count: n}
		if i > 0 {
			b.low = max(0, uppers[i-1])
		}
		b.high = b.low
		if i < len(uppers) {
			b.high = max(b.low, uppers[i])
		}
		filled = append(filled, b)
	}
	return filled
}

// histogram is a distribution of times, its buckets in order. Those that come
// from several programs may overlap.
type histogram []bucket

// newHistogram puts buckets in order; it keeps them.
func newHistogram(buckets []bucket) histogram {
	slices.SortFunc(buckets, func(a, b bucket) int { return cmp.Compare(a.high, b.high) })
	return buckets
}

// total is the sum of all times, each taken as the middle of its bucket: the
// runtime's buckets are narrow enough for an error of at most an eighth.
func (h histogram) total() time.Duration {
	var sum float64
	for _, b := range h {
		sum += float64(b.count) * (b.low + b.high) / 2
	}
	return seconds(sum)
}

// quantile returns the end of the bucket that holds the q-th part (0 < q ≤ 1) of
// the times; 0 if there are none.
func (h histogram) quantile(q float64) time.Duration {
	var count, seen uint64
	for _, b := range h {
		count += b.count
	}
	rank := max(1, uint64(math.Ceil(q*float64(count))))
	for _, b := range h {
		if seen += b.count; seen >= rank {
			return seconds(b.high)
		}
	}
	return 0
}

// max returns the end of the last bucket.
func (h histogram) max() time.Duration {
	if len(h) == 0 {
		return 0
	}
	return seconds(h[len(h)-1].high)
}

// seconds converts, stopping short of what a Duration can't hold.
func seconds(s float64) time.Duration {
	return time.Duration(min(s*float64(time.Second), 1<<62))
}
