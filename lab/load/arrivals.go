package load

import (
	"math"
	"time"

	"dyno/lab/stats"
)

// The arrivals of an open loop are checked where they matter: not as the
// schedule has them but as they were sent. Each loop samples every k-th sending,
// and batches of gaps between samples are held to what k arrivals of the
// schedule take. See docs/findings.md, arrivals-off.
const (
	sendsAWindow = 512 // samples of one loop, as k is chosen
	sendsKept    = 1024
	batchGaps    = 256
	batchLeast   = 64 // gaps that will do for a load too short or too slow for a batch

	// Of a uniform schedule: a gap is off by more than a tenth, and more than a
	// millisecond.
	unevenShare   = 0.1
	unevenAtLeast = float64(time.Millisecond)
)

// sends is a loop's sample of the instants at which it sent, in a slot.
type sends struct {
	at   []int64 // CLOCK_MONOTONIC, ns, in order
	lost bool    // more than there is room for
}

// sampling says which sendings a recorder samples.
type sampling struct {
	every int // 0: none
	next  int // sendings until the next sample
}

// sampleEvery returns k for a loop that sends one of so many parts of the load;
// 0 if there is no schedule to hold it to.
func sampleEvery(p *Profile, parts int) int {
	if p.Mode != Open {
		return 0
	}
	return int(math.Ceil(p.Rate / float64(parts) / sendsAWindow))
}

// sampleEvery makes r sample every k-th sending from now on.
func (r *recorder) sampleEvery(k int) { r.sampling = sampling{every: k, next: k} }

// sent counts a request handed to the kernel at instant now. Loops call it in
// the order of the schedule. It allocates nothing.
func (r *recorder) sent(now int64) {
	r.Sent++
	if r.sampling.next--; r.sampling.next == 0 {
		r.sample(now)
	}
}

func (r *recorder) sample(now int64) {
	r.sampling.next = r.sampling.every
	if len(r.sends.at) == sendsKept {
		r.sends.lost = true
		return
	}
	r.sends.at = append(r.sends.at, now)
}

// arrivalBatch is the outcome of testing one batch of gaps.
type arrivalBatch struct {
	first, last int     // windows
	gaps        int     // tested
	a2, p       float64 // Poisson: Anderson and Darling's statistic and its p-value
	uneven      int     // uniform: gaps that are off
}

// arrivalTest collects the gaps of one loop. It belongs to the collector.
type arrivalTest struct {
	uniform bool
	every   int
	mean    float64 // ns between the loop's arrivals
	last    int64   // instant of the last sample
	first   int     // window in which the batch began
	gaps    []float64
	done    []arrivalBatch
}

func newArrivalTest(p *Profile, parts int, begin int64) *arrivalTest {
	return &arrivalTest{
		uniform: p.Arrivals == Uniform, every: sampleEvery(p, parts), mean: 1e9 / p.Rate * float64(parts),
		last: begin, gaps: make([]float64, 0, batchGaps),
	}
}

// add takes the samples of the next window.
func (t *arrivalTest) add(s *sends, window int) {
	for _, at := range s.at {
		if len(t.gaps) == 0 {
			t.first = window
		}
		t.gaps = append(t.gaps, float64(at-t.last)/t.mean)
		if t.last = at; len(t.gaps) == batchGaps {
			t.test(window)
		}
	}
	if s.lost {
		t.gaps = t.gaps[:0] // gaps around the hole say nothing
	}
}

// finish tests what is left, if nothing else could be.
func (t *arrivalTest) finish(window int) []arrivalBatch {
	if len(t.done) == 0 && len(t.gaps) >= batchLeast {
		t.test(window)
	}
	return t.done
}

// test ends a batch. Gaps are in mean gaps of the loop's arrivals.
func (t *arrivalTest) test(window int) {
	b := arrivalBatch{first: t.first, last: window, gaps: len(t.gaps), p: 1}
	if t.uniform {
		limit := max(unevenShare*float64(t.every), unevenAtLeast/t.mean)
		for _, gap := range t.gaps {
			if math.Abs(gap-float64(t.every)) > limit {
				b.uneven++
			}
		}
	} else {
		for i, gap := range t.gaps {
			t.gaps[i] = stats.ErlangCDF(t.every, gap)
		}
		b.a2, b.p = stats.AndersonDarling(t.gaps)
	}
	t.done = append(t.done, b)
	t.gaps = t.gaps[:0]
}
