package load

import (
	"math/bits"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// tally counts durations in the buckets of an HDR histogram, on the path where
// nanoseconds matter: recording is a shift and an increment, and emptying or
// adding touches only the buckets in use. Everything else is left to the
// histogram it turns into.
type tally struct {
	counts   []uint64
	low      int // the buckets in use are counts[low:high]
	high     int
	recorded uint64
}

// Layout of the buckets: as that of hdrhistogram.New(histogramUnit, …,
// histogramDigits), which tally_test.go holds it to.
const (
	unitBits    = 6  // histogramUnit = 1<<unitBits ns
	halfBits    = 10 // a power of two of durations has 1<<halfBits buckets
	longest     = int64(10 * time.Minute)
	tallyLength = 25 << halfBits
)

func newTally() *tally { return &tally{counts: make([]uint64, tallyLength), low: tallyLength} }

// record counts a duration in ns. One that is out of range counts as the
// nearest that is in it.
func (t *tally) record(ns int64) {
	i := bucketOf(uint64(min(max(ns, 0), longest)))
	t.counts[i]++
	t.recorded++
	t.low = min(t.low, i)
	t.high = max(t.high, i+1)
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

// add adds o's counts to t.
func (t *tally) add(o *tally) {
	for i := o.low; i < o.high; i++ {
		t.counts[i] += o.counts[i]
	}
	t.recorded += o.recorded
	t.low, t.high = min(t.low, o.low), max(t.high, o.high)
}

// top returns the lowest duration of the highest bucket in use, in ns; -1 if none
// is.
func (t *tally) top() int64 {
	if t.recorded == 0 {
		return -1
	}
	return lowestIn(t.high - 1)
}

// reset empties t.
func (t *tally) reset() {
	if t.low < t.high {
		clear(t.counts[t.low:t.high])
	}
	t.low, t.high, t.recorded = len(t.counts), 0, 0
}

// histogram returns the counts as a histogram no larger than need be, or nil if
// there are none.
func (t *tally) histogram() *hdrhistogram.Histogram {
	if t == nil || t.recorded == 0 {
		return nil
	}
	const smallest = 1 << 20 // ns
	h := hdrhistogram.New(histogramUnit, min(max(2*lowestIn(t.high-1), smallest), longest), histogramDigits)
	for i := t.low; i < t.high; i++ {
		if n := t.counts[i]; n > 0 {
			h.RecordValues(lowestIn(i), int64(n))
		}
	}
	return h
}
