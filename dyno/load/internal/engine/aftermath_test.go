package engine

import (
	"testing"
	"time"

	"dyno.example/dyno/load/measure"
)

// ledger is a recorder with what it needs, and its own time.
func ledger() *Recorder {
	noUsage := func() (time.Duration, time.Duration) { return 0, 0 }
	return NewRecorder(0, 0, make(chan *Slot, SlotsPerLoop), NewSlots(0, 0), noUsage)
}

const (
	ms     = int64(time.Millisecond)
	second = int64(time.Second)
)

// TestAftermath: a stall near a window's end leaves a backlog that is worked off in
// the next ones. All until it is gone tell of the stall, and so does what was held
// up and has its responses later still.
func TestAftermath(t *testing.T) {
	r := ledger()
	stall := 500 * time.Millisecond
	marked := func(what string, want bool) {
		t.Helper()
		if got := r.Stall >= stall; got != want {
			t.Errorf("%s: the window has a stall of %v", what, r.Stall)
		}
	}
	r.arrived(400*ms, 400*ms) // takes long, but not by our doing
	r.away(499*ms, 999*ms)
	for at := 500 * ms; at < 999*ms; at += 10 * ms {
		r.arrived(at, 999*ms)
	}
	r.recover(999*ms, true)
	r.Advance(1001*ms, 10*second)
	marked("a window that begins with a backlog", true)

	for at := 500 * ms; at < 989*ms; at += 10 * ms {
		r.left(at, 1002*ms)
		r.Responded(Times{at, 999 * ms, 1002 * ms, 1002 * ms})
	}
	r.away(1003*ms, 1020*ms)
	r.recover(1020*ms, true) // two are in flight, one was before the stall
	r.Advance(2001*ms, 10*second)
	marked("a window that begins before the backlog is gone", true)

	r.arrived(2002*ms, 2002*ms)
	r.left(400*ms, 2003*ms)
	r.left(2002*ms, 2003*ms)
	r.recover(2003*ms, false)
	r.Advance(3001*ms, 10*second)
	marked("a window that begins before all is taken up", true)
	r.recover(3002*ms, true)
	r.Advance(4001*ms, 10*second)
	marked("the first window after", false)

	r.away(4002*ms, 4015*ms) // a short one must not make the long one forgotten
	r.recover(4015*ms, true)
	r.Responded(Times{4020 * ms, 4020 * ms, 4021 * ms, 4021 * ms})
	r.Responded(Times{400 * ms, 401 * ms, 4030 * ms, 4030 * ms})
	marked("what was due after it, and what was sent before it", false)
	r.Responded(Times{989 * ms, 999 * ms, 4031 * ms, 4031 * ms})
	marked("what it held up", true)
}

// TestWhoComesLateWasAway: an arrival that is taken up late is proof enough.
func TestWhoComesLateWasAway(t *testing.T) {
	r := ledger()
	r.arrived(100*ms, 100*ms+int64(measure.LateAfter))
	if r.Stall != 0 {
		t.Errorf("a stall of %v after an arrival that was not late", r.Stall)
	}
	r.arrived(100*ms, 300*ms)
	if r.Stall != 200*time.Millisecond || r.lasting != r.Stall || r.Late != 1 {
		t.Errorf("a stall of %v, %d late", r.Stall, r.Late)
	}
}

// TestNoEpisodeIsForgottenForLessOnes: there is room for a few; the longest stay.
func TestNoEpisodeIsForgottenForLessOnes(t *testing.T) {
	r := ledger()
	at := int64(0)
	for i := range int64(20) {
		at = i * 40 * ms
		length := 11 * ms
		if i == 0 {
			length = 200 * ms
		}
		r.away(at, at+length)
		r.recover(at+length, true)
	}
	r.Advance(second+1, 10*second)
	r.markHeldUp(100*ms, 200*ms)
	if r.Stall != 200*time.Millisecond {
		t.Errorf("the window has a stall of %v", r.Stall)
	}
}

// TestBusyOrStopped: a loop that used its CPU while it was away was at work.
func TestBusyOrStopped(t *testing.T) {
	var used time.Duration
	r := NewRecorder(0, 0, make(chan *Slot, SlotsPerLoop), NewSlots(0, 0), func() (time.Duration, time.Duration) { return used, 0 })
	r.watch(0, true)
	used = 900 * time.Millisecond // of the second
	r.away(800*ms, second-1)
	if r.Busy < 99*time.Millisecond || r.Busy > 101*time.Millisecond {
		t.Errorf("at work for %v of 200 ms, want the 100 that it can't have been without CPU", r.Busy)
	}
	r.Advance(second+1, 10*second)
	r.away(second+300*ms, second+600*ms)
	if r.Busy != 0 {
		t.Errorf("at work for %v of a time without CPU", r.Busy)
	}
}

// TestTimesAwayAddUp: of several that overlap, as a loop and those it took up late tell of
// them, each instant counts once; what is too short to be a stall doesn't.
func TestTimesAwayAddUp(t *testing.T) {
	r := ledger()
	for _, away := range [][2]int64{{100, 130}, {105, 131}, {120, 131}, {200, 205}, {300, 315}} {
		r.away(away[0]*ms, away[1]*ms)
	}
	if want := 46 * time.Millisecond; r.Away != want {
		t.Errorf("the loop was away for %v, want %v", r.Away, want)
	}
	a, b := measure.Window{Away: r.Away, Stall: r.Stall}, measure.Window{Away: time.Second, Stall: time.Millisecond}
	if a.AddCounts(&b); a.Away != time.Second+46*time.Millisecond || a.Stall != 31*time.Millisecond && a.Stall != 30*time.Millisecond {
		t.Errorf("together %v, the longest %v", a.Away, a.Stall)
	}
}
