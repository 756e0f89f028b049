package engine

import (
	"math"
	"time"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

const (
	windowLength = int64(time.Second)
	// stallFloor is how long a loop must have been away for it to be noted.
	stallFloor = time.Millisecond
)

// Slot is a window that one loop is filling.
type Slot struct {
	measure.Window
	Durations measure.Durations // waited are made when the first request is given up
	end       int64             // CLOCK_MONOTONIC, ns; first instant that is no longer in it
	Pending   float64           // integral of requests in flight over time, in request·ns
	Sends     Sends
	Loop      int  // which loop fills it
	Last      bool // the loop has ended with it
	Home      chan<- *Slot

	Breakdown *measure.Breakdown
	parts     []*Part // the first ones are of this window …
	filled    int     // … this many
}

// NewSlot returns an empty slot that counts so many kinds of requests apart.
func NewSlot(kinds int) *Slot {
	s := &Slot{Breakdown: measure.NewBreakdown(kinds), Sends: Sends{At: make([]int64, 0, SendsKept)}}
	for c := range s.Durations.Timed {
		s.Durations.Timed[c] = measure.NewBuckets()
	}
	return s
}

// Clear empties the slot for the window with the given index.
func (s *Slot) Clear(index int, start, end int64) {
	s.Durations.Reset()
	*s = Slot{
		Window: measure.Window{Index: index, Start: start}, Durations: s.Durations, end: end,
		Sends: Sends{At: s.Sends.At[:0]}, Loop: s.Loop, Home: s.Home, Breakdown: s.Breakdown, parts: s.parts,
	}
	s.Breakdown.Reset()
}

// Free empties the slot, whose window was taken, and gives it back to its loop.
func (s *Slot) Free() {
	s.Clear(s.Index, s.Start, s.end)
	s.Home <- s
}

// Recorder is one loop's share of the ledger. It belongs to the loop's thread,
// allocates nothing, and hands full slots to the collector.
type Recorder struct {
	*Slot
	start    int64 // of the measured time; windows are counted from here
	out      chan<- *Slot
	free     <-chan *Slot
	usage    func() (user, sys time.Duration)
	user     time.Duration // usage when the slot began
	sys      time.Duration
	sampling sampling
	draining bool
	inFlight int   // requests due or sent and not yet done
	since    int64 // when inFlight was last accounted for
	due      int64 // sum of their intended starts; may wrap around
	aftermath

	redirected bool   // a redirect was received
	edges      *Edges // see [Recorder.Edges]; nil: without
	over       uint64 // requests that are, in whichever way
}

// SlotsPerLoop lets a loop run ahead of a delayed collector by some seconds.
const SlotsPerLoop = 6

// NewSlots makes the slots that a loop fills in turn, which count so many kinds of
// requests apart.
func NewSlots(loop, kinds int) chan *Slot {
	free := make(chan *Slot, SlotsPerLoop)
	for range SlotsPerLoop {
		s := NewSlot(kinds)
		s.Home, s.Loop = free, loop
		free <- s
	}
	return free
}

// NewRecorder starts the ledger at instant begin; the measured time starts at
// start ≥ begin.
func NewRecorder(begin, start int64, out chan<- *Slot, free <-chan *Slot, usage func() (user, sys time.Duration)) *Recorder {
	r := &Recorder{start: start, out: out, usage: usage, free: free, since: begin}
	r.user, r.sys = usage()
	r.usedAt, r.used = begin, r.user+r.sys
	r.open(begin)
	return r
}

// windowOf is the index of the window that an instant is in, in ns since the measured time
// began.
func windowOf(since int64) int {
	return int(math.Floor(float64(since) / float64(windowLength)))
}

// open takes a fresh slot for the window that holds the instant at. Should the
// collector be seconds behind, it waits, and the wait shows as a stall.
func (r *Recorder) open(at int64) {
	index := windowOf(at - r.start)
	r.Slot = <-r.free
	r.Slot.Clear(index, at, r.start+int64(index+1)*windowLength)
	r.Stall = r.lasting
	r.Unrecorded = -r.ages(at)
}

// Advance accounts for the time up to now and closes the windows that ended.
// No window begins at or after limit.
func (r *Recorder) Advance(now, limit int64) {
	if r.draining {
		return
	}
	now = min(now, limit)
	r.look(now)
	for now >= r.end && r.end < limit {
		end := r.end // the slot is the collector's once it is closed
		r.account(end)
		r.close(end)
		r.open(end)
		r.beginEdge(end)
	}
	r.split(now)
	r.account(now)
}

// drain ends the measured time at instant end: what completes from now on
// counts as drained.
func (r *Recorder) drain(end int64) {
	if r.draining {
		return
	}
	r.Advance(end, end)
	r.endEdge(end)
	r.draining = true
	r.Unrecorded += r.ages(end)
}

// Finish closes the last window, which ended at instant end. What is still in
// flight has been cut off.
func (r *Recorder) Finish(end int64) {
	r.drain(end)
	r.Last = true
	r.close(end)
}

// arrived counts an arrival of the schedule that is taken up at instant now. It
// has been in flight since it was intended.
func (r *Recorder) arrived(intended, now int64) {
	r.Offered++
	if p := r.part(intended); p != nil {
		p.Offered++
	}
	r.inFlight++
	r.due += intended
	if r.draining {
		r.Unrecorded += time.Duration(r.since - intended) // it was due before the end
	}
	r.Pending += float64(r.since - intended) // account adds what has been since, and is to come
	if now-intended > int64(measure.LateAfter) {
		r.Late++
		if now-intended >= int64(measure.StallSuspect) {
			r.away(intended, now) // a loop that is so late was away, whatever else it says
		}
	}
}

// ages is how long the requests in flight have been so at an instant, all together.
func (r *Recorder) ages(at int64) time.Duration {
	return time.Duration(int64(r.inFlight)*at - r.due)
}

// left counts a request that is over at instant now: completed, failed or shed.
func (r *Recorder) left(intended, now int64) {
	r.inFlight--
	r.over++
	r.due -= intended
	if !r.draining {
		r.Pending += float64(now - r.since)
	}
}

// failed counts a request that is over without a time on any clock.
func (r *Recorder) failed(intended, now int64) {
	r.left(intended, now)
	if !r.draining {
		r.Unrecorded += time.Duration(now - intended)
	}
}

// gaveUp notes how long something that belongs to no request of a window, such as a
// connection, had taken in ns when it was given up.
func (r *Recorder) gaveUp(clock measure.Clock, after int64) { r.Durations.GaveUp(clock, after) }

// gaveUpOn notes for clocks how long a request that was due at an instant had taken.
func (r *Recorder) gaveUpOn(intended, after int64, clocks ...measure.Clock) {
	p := r.part(intended)
	for _, clock := range clocks {
		r.Durations.GaveUp(clock, after)
		if p != nil {
			p.Durations.GaveUp(clock, after)
		}
	}
}

// waitedFor notes on all clocks how long a request of a kind that was sent has taken.
func (r *Recorder) waitedFor(of *request.Compiled, intended, sent, now int64) {
	r.gaveUpKind(of, intended, now, func(*measure.Window, *measure.KindCount) {})
	r.waitedSince(intended, sent, now)
}

func (r *Recorder) waitedSince(intended, sent, now int64) {
	r.gaveUpOn(intended, now-intended, measure.Response)
	r.gaveUpOn(intended, now-sent, measure.Service, measure.FirstByte)
}

// unconnected counts a request of a kind that got no connection in time.
func (r *Recorder) unconnected(of *request.Compiled, intended, now int64) {
	r.gaveUpKind(of, intended, now, func(w *measure.Window, k *measure.KindCount) {
		w.Unconnected++
		if k != nil {
			k.Unconnected++
		}
	})
	r.gaveUpOn(intended, now-intended, measure.Response, measure.Lag)
}

// cut ends a request that is given up after the load; sent is 0 if it wasn't. In a
// closed loop one that has taken no longer than others before it says nothing. of is
// its kind.
func (r *Recorder) cut(mode profile.Mode, of *request.Compiled, intended, sent, now int64) {
	r.inFlight--
	r.due -= intended
	if mode == profile.Closed && now-intended <= r.Durations.Timed[measure.Response].Top() {
		r.CutOff++
		if p := r.part(intended); p != nil {
			p.CutOff++
		}
		return
	}
	r.gaveUpKind(of, intended, now, func(w *measure.Window, k *measure.KindCount) {
		w.Unfinished++
		if sent == 0 {
			w.Unsent++
		}
		if k != nil {
			k.Unfinished++
		}
	})
	if sent == 0 {
		r.gaveUpOn(intended, now-intended, measure.Response, measure.Lag)
		return
	}
	r.waitedSince(intended, sent, now)
}

// shed counts an arrival of a kind that is given up, as nothing can be sent for it.
func (r *Recorder) shed(of *request.Compiled, intended, now int64) {
	r.Queued++
	r.Shed++
	if k := r.Breakdown.Kind(of.Place); k != nil {
		k.Shed++
	}
	if p := r.part(intended); p != nil {
		p.Shed++
		if k := p.Breakdown.Kind(of.Place); k != nil {
			k.Shed++
		}
	}
	r.failed(intended, now)
}

// account adds the time of all that is in flight up to instant now.
func (r *Recorder) account(now int64) {
	r.Pending += float64(r.inFlight) * float64(now-r.since)
	r.since = now
}

// close hands the slot to the collector as ending at instant end.
func (r *Recorder) close(end int64) {
	user, sys := r.usage()
	r.CPUUser, r.CPUSys = user-r.user, sys-r.sys
	r.user, r.sys = user, sys
	r.usedAt, r.used = end, user+sys
	if !r.draining {
		r.Unrecorded += r.ages(end)
	}
	if r.Stall < measure.StallSuspect && end > r.Start {
		r.usual = r.Pending / float64(end-r.Start)
	}
	r.Length = time.Duration(end - r.Start)
	r.out <- r.Slot
}

// Times are when a request with a complete response was due, sent, when the first byte
// of its response came, and its last. All in ns on the same clock.
type Times struct{ Intended, Sent, First, Done int64 }

// Responded records a response that came in full and is as expected.
func (r *Recorder) Responded(t Times) {
	r.seen(t)
	if r.draining {
		r.Unrecorded -= time.Duration(t.Done - t.Intended)
	}
	record(&r.Durations, t)
	if p := r.part(t.Intended); p != nil {
		record(&p.Durations, t)
	}
}

// errant records one that came in full and is an error. No time is as bad as that, however
// soon it came: it has none, but that for which it waited here.
func (r *Recorder) errant(t Times) {
	r.seen(t)
	if !r.draining {
		r.Unrecorded += time.Duration(t.Done - t.Intended)
	}
	r.Durations.Record(measure.Lag, t.Sent-t.Intended)
	if p := r.part(t.Intended); p != nil {
		p.Durations.Record(measure.Lag, t.Sent-t.Intended)
	}
}

// seen marks the window if the request was held up by the generator.
func (r *Recorder) seen(t Times) {
	if t.Intended < r.touched {
		r.markHeldUp(t.Intended, t.Sent)
	}
}

func record(d *measure.Durations, t Times) {
	d.Record(measure.Response, t.Done-t.Intended)
	d.Record(measure.Service, t.Done-t.Sent)
	d.Record(measure.Lag, t.Sent-t.Intended)
	d.Record(measure.FirstByte, t.First-t.Sent)
}

// delayed records how long an event took, from when the server stamped it to now. It
// has been in flight meanwhile.
func (r *Recorder) delayed(stamped, now int64) {
	if stamped < r.touched {
		r.markHeldUp(stamped, stamped)
	}
	r.Pending += float64(now - stamped)
	r.Durations.Timed[measure.Response].Record(now - stamped)
}

func (r *Recorder) connected(took int64) {
	r.Connects++
	r.Durations.Timed[measure.Connect].Record(took)
}

// secured records a TLS handshake, in ns.
func (r *Recorder) secured(took int64, resumed bool) {
	if resumed {
		r.Durations.Timed[measure.ResumedHandshake].Record(took)
		return
	}
	r.Durations.Timed[measure.FullHandshake].Record(took)
}
