package engine

import (
	"testing"
	"time"
)

// A clock that stands still between the kernel's ticks has no part in what requests cost: of a server
// that uses 10 µs for each, whose clock moves every 4 ms only, some slices' ends are right after a
// tick and others right before one.
func TestEdgesKnowWhatAClockHasLeftOut(t *testing.T) {
	const (
		cost   = 10 * time.Microsecond
		settle = 20 * time.Millisecond
		length = 26*time.Millisecond + 30*time.Microsecond
	)
	for _, tick := range []time.Duration{time.Microsecond, 4 * time.Millisecond, 10 * time.Millisecond} {
		worst, plain := 0.0, 0.0
		for phase := time.Duration(0); phase < tick; phase += max(tick/16, time.Microsecond) {
			over, now := uint64(0), int64(0)
			stale := func() time.Duration { // what the requests that were over at the last tick have cost
				return (time.Duration(now)+phase)/tick*tick - phase
			}
			e := &Edges{Read: stale, End: int64(settle + length)}
			r := edgesLedger(int64(settle), e)
			for ; now <= e.End; now += int64(cost) {
				r.Advance(now, e.End)
				r.arrived(now, now)
				r.left(now, now)
				over++
			}
			now = e.End
			r.drain(e.End)
			used, n := e.Ended.Used-e.Begin.Used, e.Ended.Over-e.Begin.Over
			worst = max(worst, off(used, n, cost))
			plain = max(plain, off(e.Ended.Read-e.Begin.Read, e.Ended.Due-e.Begin.Due, cost))
			if due := e.Ended.Due - e.Begin.Due; due < uint64(length/cost)-1 || due > uint64(length/cost)+1 {
				t.Errorf("tick %v: %d requests were over between the ends of %v", tick, due, length)
			}
		}
		if worst > 0.01 {
			t.Errorf("tick %v: the cost of a request is off by %.1f %%", tick, 100*worst)
		}
		if tick > time.Millisecond && plain < 0.05 {
			t.Errorf("tick %v: what is read at the ends is off by %.1f %% only: the test proves nothing", tick, 100*plain)
		}
	}
}

// A server whose requests cost more at first is known by what they cost before and after a split.
func TestEdgesSplit(t *testing.T) {
	const (
		settle = 20 * time.Millisecond
		length = 30 * time.Millisecond
		first  = 10 * time.Millisecond
		tick   = 4 * time.Millisecond
	)
	for phase := time.Duration(0); phase < tick; phase += tick / 8 {
		used, now := time.Duration(0), int64(0)
		clock, ticked := time.Duration(0), int64(-1)
		e := &Edges{Split: int64(settle + first), End: int64(settle + length), Read: func() time.Duration {
			if at := (now + int64(phase)) / int64(tick); at != ticked {
				clock, ticked = used, at
			}
			return clock
		}}
		r := edgesLedger(int64(settle), e)
		for now <= e.End {
			r.Advance(now, e.End)
			r.arrived(now, now)
			r.left(now, now)
			cost := 10 * time.Microsecond
			if now < int64(settle+first) {
				cost = 15 * time.Microsecond
			}
			used, now = used+cost, now+int64(cost)
		}
		now = e.End
		r.drain(e.End)
		if e.Apart.Due == 0 {
			t.Fatal("the split was not read")
		}
		if n, want := e.Apart.Due-e.Begin.Due, uint64(first/(15*time.Microsecond)); n < want-1 || n > want+1 {
			t.Errorf("%d requests were over before the split, not %d", n, want)
		}
		if got := off(e.Apart.Used-e.Begin.Used, e.Apart.Over-e.Begin.Over, 15*time.Microsecond); got > 0.02 {
			t.Errorf("before the split the cost is off by %.1f %%", 100*got)
		}
		// The clock's last step before the split can be a tick away: of what comes after it, as much is of before.
		if got := off(e.Ended.Used-e.Apart.Used, e.Ended.Over-e.Apart.Over, 10*time.Microsecond); got > 0.11 {
			t.Errorf("after the split the cost is off by %.1f %%", 100*got)
		}
	}
}

// off is by what part what was used for n requests is not n times the cost of one.
func off(used time.Duration, n uint64, cost time.Duration) float64 {
	d := float64(used)/float64(n)/float64(cost) - 1
	return max(d, -d)
}

// A server that uses nothing while the ends are near has a clock that is right as it stands.
func TestEdgesOfARest(t *testing.T) {
	e := &Edges{Read: func() time.Duration { return time.Second }, End: int64(60 * time.Millisecond)}
	r := edgesLedger(int64(20*time.Millisecond), e)
	for now := int64(0); now <= e.End; now += int64(10 * time.Microsecond) {
		r.Advance(now, e.End)
	}
	r.drain(e.End)
	for name, edge := range map[string]Edge{"begin": e.Begin, "end": e.Ended} {
		if edge.Used != time.Second || edge.Read != time.Second || edge.Over != 0 {
			t.Errorf("%s: %+v", name, edge)
		}
	}
}

// edgesLedger is a recorder with edges, of a load that begins at 0.
func edgesLedger(start int64, e *Edges) *Recorder {
	slots, free := make(chan *Slot, 8), make(chan *Slot, 8)
	for range 8 {
		free <- NewSlot(1)
	}
	r := NewRecorder(0, start, slots, free, func() (user, sys time.Duration) { return 0, 0 })
	r.Edges(e)
	return r
}
