package load

import (
	"math"
	"time"

	"dyno.example/dyno/load/internal/engine"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/stats"
)

// The arrivals of an open loop are checked where they matter: not as the
// schedule has them but as they were sent. Each loop samples every k-th sending,
// and batches of gaps between samples are held to what k arrivals of the
// schedule take. See dyno/docs/findings.md, arrivals-off.
const (
	batchGaps  = 256
	batchLeast = 64 // gaps that will do for a load too short or too slow for a batch

	// Of a uniform schedule: a gap is off by more than a tenth, and more than a
	// millisecond.
	unevenShare   = 0.1
	unevenAtLeast = time.Millisecond
)

// arrivalBatch is the outcome of testing one batch of gaps.
type arrivalBatch struct {
	first, last int     // windows
	gaps        int     // tested
	a2, p       float64 // Poisson: Anderson and Darling's statistic and its p-value
	uneven      int     // uniform: gaps that are off
}

// arrivalTest collects the gaps of one loop. It belongs to the collector.
//
// Gaps are measured in the arrivals planned meanwhile (time rescaling, as the
// schedule is made): so the test holds whatever the rate does.
type arrivalTest struct {
	plan    *profile.Timetable
	uniform bool
	every   int
	parts   float64
	start   int64 // of the measured time, CLOCK_MONOTONIC, ns
	last    int64 // instant of the last sample, or of the load's beginning
	first   int   // window in which the batch began
	gaps    []gap
	sorted  []float64 // room for the test
	done    []arrivalBatch
}

// gap is the time between two samples.
type gap struct {
	arrivals float64 // planned meanwhile, of this loop
	lately   float64 // planned in its last millisecond
}

// newArrivalTest returns the test of one loop of so many; nil for a load whose
// arrivals have no one distribution: closed loops, traces, and phases of both
// kinds.
func newArrivalTest(s *Spec, parts int, begin int64) *arrivalTest {
	plan := s.Profile.Timetable(s.Warmup)
	arrivals, ok := plan.Arrivals()
	if !ok {
		return nil
	}
	return &arrivalTest{
		plan: plan, uniform: arrivals == profile.Uniform, every: engine.SampleEvery(&s.Profile, parts), parts: float64(parts),
		start: begin + int64(s.Warmup), last: begin, gaps: make([]gap, 0, batchGaps), sorted: make([]float64, batchGaps),
	}
}

// planned is how many arrivals of this loop are planned between two instants.
func (t *arrivalTest) planned(from, to int64) float64 {
	return t.plan.Planned(time.Duration(from-t.start), time.Duration(to-t.start)) / t.parts
}

// add takes the samples of the next window.
func (t *arrivalTest) add(s *engine.Sends, window int) {
	for _, at := range s.At {
		if len(t.gaps) == 0 {
			t.first = window
		}
		t.gaps = append(t.gaps, gap{t.planned(t.last, at), t.planned(at-int64(unevenAtLeast), at)})
		if t.last = at; len(t.gaps) == batchGaps {
			t.test(window)
		}
	}
	if s.Lost {
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

// test ends a batch.
func (t *arrivalTest) test(window int) {
	b := arrivalBatch{first: t.first, last: window, gaps: len(t.gaps), p: 1}
	if t.uniform {
		b.uneven = t.uneven()
	} else {
		u := t.sorted[:len(t.gaps)]
		for i := range t.gaps {
			u[i] = stats.ErlangCDF(t.every, t.gaps[i].arrivals)
		}
		b.a2, b.p = stats.AndersonDarling(u)
	}
	t.done = append(t.done, b)
	t.gaps = t.gaps[:0]
}

// uneven counts the gaps that a uniform schedule does not have.
func (t *arrivalTest) uneven() (n int) {
	k := float64(t.every)
	for i := range t.gaps {
		if math.Abs(t.gaps[i].arrivals-k) > max(unevenShare*k, t.gaps[i].lately) {
			n++
		}
	}
	return n
}
