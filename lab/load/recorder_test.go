package load

import (
	"testing"
	"time"
)

// TestWhatAStallHeldUpMarksItsWindow: a stall near a window's end leaves a
// backlog that is answered in the next one. That window tells of the stall too.
func TestWhatAStallHeldUpMarksItsWindow(t *testing.T) {
	const second = int64(time.Second)
	out, noUsage := make(chan *slot, slotsPerLoop), func() (time.Duration, time.Duration) { return 0, 0 }
	r := newRecorder(0, 0, out, newSlots(0), noUsage)
	r.advance(second-1000, 10*second)
	r.away(second/2, second-1000)
	r.advance(second+1000, 10*second)
	r.answered(second/2-500, second/2-400, second+10, second+20) // sent before: slow, but not our doing
	if r.Stall != 0 {
		t.Errorf("the second window has a stall of %v, before anything it held up", r.Stall)
	}
	r.answered(second/2+500, second-900, second+10, second+20) // due meanwhile, sent after
	if r.Stall < 400*time.Millisecond {
		t.Errorf("the second window has a stall of %v", r.Stall)
	}
	r.advance(2*second+1000, 10*second)
	r.answered(2*second+100, 2*second+100, 2*second+900, 2*second+900)
	if r.Stall != 0 {
		t.Errorf("the third window has a stall of %v", r.Stall)
	}
}

// TestInFlightIsExact: however seldom the ledger is taken on, what is in flight
// over time is the sum of the requests' times, which Little's law is judged by.
func TestInFlightIsExact(t *testing.T) {
	noUsage := func() (time.Duration, time.Duration) { return 0, 0 }
	r := newRecorder(0, 0, make(chan *slot, slotsPerLoop), newSlots(0), noUsage)
	sum := 0.0
	for i := range int64(1000) {
		intended := i * 100_000
		if i%3 == 0 {
			r.advance(intended-40_000, int64(time.Second))
		}
		r.arrived(intended, intended+7_000)
		if i%2 == 0 {
			r.advance(intended+20_000, int64(time.Second))
		}
		done := intended + 60_000
		r.left(done)
		sum += float64(done - intended)
	}
	r.advance(200_000_000, int64(time.Second))
	if r.pending != sum || r.inFlight != 0 {
		t.Errorf("%.0f ns in flight, want %.0f; %d left", r.pending, sum, r.inFlight)
	}
}
