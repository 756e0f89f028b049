package explain

import (
	"math"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno.example/dyno/stats"
)

// times is a coarse distribution of response times: logarithmic buckets of 2 %, which is
// as exact as sums over the tail need.
type times []timed

type timed struct {
	bucket int32
	count  uint32
}

// bucketsPerOctave make a bucket 2.2 % wide.
const bucketsPerOctave = 32

func bucketOf(ns float64) int32 { return int32(math.Floor(math.Log2(max(ns, 1)) * bucketsPerOctave)) }

// middle of a bucket, ns.
func middle(bucket int32) float64 { return math.Exp2((float64(bucket) + 0.5) / bucketsPerOctave) }

// timesOf are those of counted response times in µs and of a histogram of nanoseconds of
// requests that were given up, of which that is the least they took; it may be nil.
func timesOf(counted stats.Counts, waited *hdrhistogram.Histogram) times {
	counts := map[int32]uint64{}
	for _, b := range counted {
		if !math.IsInf(b.Value, 0) {
			counts[bucketOf(b.Value*1e3)] += b.Count
		}
	}
	if waited != nil && waited.TotalCount() > 0 {
		for _, bar := range waited.Distribution() {
			if bar.Count > 0 {
				counts[bucketOf(float64(bar.To))] += uint64(bar.Count)
			}
		}
	}
	var t times
	for bucket, count := range counts {
		t = append(t, timed{bucket, uint32(min(count, math.MaxUint32))})
	}
	slices.SortFunc(t, func(a, b timed) int { return int(a.bucket - b.bucket) })
	return t
}

// excess is what the times from a threshold on took more than base, together, and how many
// they are.
func (t times) excess(threshold, base float64) (ns, n float64) {
	for _, b := range t {
		if m := middle(b.bucket); m >= threshold {
			ns += float64(b.count) * (m - base)
			n += float64(b.count)
		}
	}
	return ns, n
}

// quantile of several distributions together; 0 of none.
func quantile(all []times, q float64) float64 {
	sums := map[int32]float64{}
	total := 0.0
	for _, t := range all {
		for _, b := range t {
			sums[b.bucket] += float64(b.count)
			total += float64(b.count)
		}
	}
	buckets := make([]int32, 0, len(sums))
	for b := range sums {
		buckets = append(buckets, b)
	}
	slices.Sort(buckets)
	seen := 0.0
	for _, b := range buckets {
		if seen += sums[b]; seen >= q*total {
			return middle(b)
		}
	}
	return 0
}
