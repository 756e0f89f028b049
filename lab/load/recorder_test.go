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
