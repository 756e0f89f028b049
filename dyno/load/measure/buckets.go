package measure

import (
	"math/bits"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Buckets counts durations in the buckets of an HDR histogram, on the path where
// nanoseconds matter: recording is a shift and an increment, and emptying or
// adding touches only the buckets in use. Everything else is left to the
// histogram it turns into.
type Buckets struct {
	counts   []uint64
	low      int // the buckets in use are counts[low:high]
	high     int
	recorded uint64
}

// Layout of the buckets: as that of hdrhistogram.New(Resolution, …,
// histogramDigits), which buckets_test.go holds it to.
const (
	unitBits   = 6                       // Resolution = 1<<unitBits ns
	halfBits   = 10                      // a power of two of durations has 1<<halfBits buckets
	Longest    = int64(10 * time.Minute) // ns; longer times are not distinguished
	numBuckets = 25 << halfBits
)

// NewBuckets returns buckets with nothing in them. They take some 200 KB.
func NewBuckets() *Buckets { return &Buckets{counts: make([]uint64, numBuckets), low: numBuckets} }

// Record counts a duration in ns. One that is out of range counts as the
// nearest that is in it.
func (b *Buckets) Record(ns int64) {
	i := bucketOf(uint64(min(max(ns, 0), Longest)))
	b.counts[i]++
	b.recorded++
	b.low = min(b.low, i)
	b.high = max(b.high, i+1)
}

// bucketOf returns the index of the bucket that holds v.
func bucketOf(v uint64) int {
	const subMask = 1<<(halfBits+1+unitBits) - 1
	shift := 64 - bits.LeadingZeros64(v|subMask) - (halfBits + 1)
	return (shift-unitBits)<<halfBits + int(v>>shift)
}

// lowestIn returns the lowest duration of bucket i, in ns.
func lowestIn(i int) int64 {
	power := i>>halfBits - 1
	if power < 0 {
		return int64(i) << unitBits
	}
	return int64(i-power<<halfBits) << (power + unitBits)
}

// add adds o's counts to b.
func (b *Buckets) add(o *Buckets) {
	for i := o.low; i < o.high; i++ {
		b.counts[i] += o.counts[i]
	}
	b.recorded += o.recorded
	b.low, b.high = min(b.low, o.low), max(b.high, o.high)
}

// sub takes o's counts, which were added before, from b.
func (b *Buckets) sub(o *Buckets) {
	if b == nil || o == nil {
		return
	}
	for i := o.low; i < o.high; i++ {
		b.counts[i] -= o.counts[i]
	}
	b.recorded -= o.recorded
}

// Top returns the lowest duration of the highest bucket in use, in ns; -1 if none
// is.
func (b *Buckets) Top() int64 {
	if b.recorded == 0 {
		return -1
	}
	return lowestIn(b.high - 1)
}

// reset empties b.
func (b *Buckets) reset() {
	if b.low < b.high {
		clear(b.counts[b.low:b.high])
	}
	b.low, b.high, b.recorded = len(b.counts), 0, 0
}

// Histogram returns the counts as a histogram no larger than need be, or nil if
// there are none.
func (b *Buckets) Histogram() *hdrhistogram.Histogram {
	if b == nil || b.recorded == 0 {
		return nil
	}
	const smallest = 1 << 20 // ns
	h := hdrhistogram.New(Resolution, min(max(2*lowestIn(b.high-1), smallest), Longest), histogramDigits)
	for i := b.low; i < b.high; i++ {
		if n := b.counts[i]; n > 0 {
			h.RecordValues(lowestIn(i), int64(n))
		}
	}
	return h
}

// Resolution of the histograms of all clocks.
const (
	Resolution      = 64 // ns
	histogramDigits = 3
)

// NewHistogram returns the histogram all clocks use: 64 ns resolution, three
// significant digits, up to ten minutes. Values in nanoseconds.
func NewHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(Resolution, int64(10*time.Minute), histogramDigits)
}
