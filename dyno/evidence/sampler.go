package evidence

import (
	"math"
	"sync"
	"sync/atomic"
)

// Settings of the sampler.
const (
	drawsKept  = 1 << 10 // samples of a loop that wait to be fetched
	mostWanted = 8       // slow requests of a loop that wait for a match at once
	matchAfter = int64(1e9)
)

// Sampler says which requests of a load are looked at, and hands them over. It belongs to
// whoever collects; each loop of the load has its own Draws of it.
type Sampler struct {
	slow  atomic.Int64  // ns; from there on a request is in the tail
	far   atomic.Int64  // ns; from there on it is kept whatever else is
	tail  atomic.Uint32 // one in how many slow ones is kept
	body  atomic.Uint32 // one in how many ordinary ones is; 0: none
	mask  atomic.Uint32 // as in LeftOut
	awake atomic.Bool
	reach reach

	mu    sync.Mutex
	loops []*Draws
}

// NewSampler makes one that draws nothing until it is told what is slow.
func NewSampler() *Sampler {
	s := new(Sampler)
	s.Slow(math.MaxInt64, math.MaxInt64)
	s.Every(1, 0)
	s.all()
	return s
}

// Slow sets from which response times on requests are in the tail, and far out in it; ns.
func (s *Sampler) Slow(slow, far int64) {
	s.slow.Store(slow)
	s.far.Store(max(far, slow))
}

// Every sets one in how many slow requests is kept, and one in how many others; 0: none.
func (s *Sampler) Every(tail, body uint32) {
	s.tail.Store(max(tail, 1))
	s.body.Store(body)
}

// Trace sets which connections requests are drawn from: see LeftOut.
func (s *Sampler) Trace(mask uint32) { s.mask.Store(mask) }

// Awake says if anything is drawn.
func (s *Sampler) Awake(on bool) { s.awake.Store(on) }

// Loop is the part of one loop of the load, which alone may call its Wants and Push.
func (s *Sampler) Loop(i int) *Draws {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.loops) <= i {
		s.loops = append(s.loops, &Draws{from: s, loop: len(s.loops)})
	}
	return s.loops[i]
}

// Fetch calls f with each sample that was drawn since the last call, until it returns false: that
// one is not taken, and the next call begins with it. The sample is f's only during the call.
func (s *Sampler) Fetch(f func(*Sample) bool) {
	s.mu.Lock()
	loops := s.loops
	s.mu.Unlock()
	for _, d := range loops {
		for tail := d.taken.Load(); tail < d.pushed.Load(); tail++ {
			if !f(&d.ring[tail%drawsKept]) {
				return
			}
			d.taken.Store(tail + 1)
		}
	}
}

// Seen is how many requests ended while the sampler was awake, how many of them were slow,
// and how many samples were given up as too many waited.
func (s *Sampler) Seen() (requests, slow, dropped uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.loops {
		requests += d.requests.Load()
		slow += d.slow.Load()
		dropped += d.dropped.Load()
	}
	return requests, slow, dropped
}

// Draws is what one loop draws. Its methods allocate nothing.
type Draws struct {
	from          *Sampler
	loop          int
	thread        int32
	ring          [drawsKept]Sample
	timings       [drawsKept][TimingRoom]byte // what samples say in Timing
	pushed, taken atomic.Uint64

	requests, slow, dropped atomic.Uint64 // written by the loop only
	open                    open

	untilTail, untilBody uint32
	number               uint32 // of slow ones kept
	wanted               [mostWanted]wanted
	waiting              int // of wanted, the first
}

// wanted is a slow request that waits for one like it.
type wanted struct {
	connection uint64
	until      int64 // ns
	kind       int32
	number     uint32
	skip       uint8 // requests of the connection to pass over: the next one is not as any
}

// Draw is why a request is kept.
type Draw struct {
	Class  Class // "" if it isn't
	Weight float64
	Of     uint32
	Number uint32
}

// On notes the thread that the loop runs on.
func (d *Draws) On(thread int) { d.thread = int32(thread) }

// Wants says whether a request that is over is to be kept, and then wants it pushed.
// Instants are in ns of CLOCK_MONOTONIC.
func (d *Draws) Wants(connection uint64, kind int32, intended, done int64) (draw Draw) {
	s := d.from
	if !s.awake.Load() {
		return Draw{}
	}
	d.requests.Store(d.requests.Load() + 1)
	response := done - intended
	slow := response >= s.slow.Load()
	if slow {
		d.slow.Store(d.slow.Load() + 1)
	}
	if !s.reach.has(intended) {
		return Draw{}
	}
	d.open.ended(s.reach.from.Load())
	if slow {
		return d.wantsSlow(connection, kind, response, done)
	}
	if d.waiting > 0 {
		if of := d.matches(connection, kind, done); of != 0 {
			return Draw{Class: Match, Weight: 1, Of: of}
		}
	}
	body := s.body.Load()
	if body == 0 {
		return Draw{}
	}
	if d.untilBody++; d.untilBody < body {
		return Draw{}
	}
	d.untilBody = 0
	if LeftOut(connection, s.mask.Load()) {
		return Draw{}
	}
	return Draw{Class: Body, Weight: float64(body)}
}

func (d *Draws) wantsSlow(connection uint64, kind int32, response, done int64) Draw {
	s := d.from
	if LeftOut(connection, s.mask.Load()) {
		return Draw{}
	}
	weight := 1.0
	if response < s.far.Load() {
		every := s.tail.Load()
		if d.untilTail++; d.untilTail < every {
			return Draw{}
		}
		d.untilTail, weight = 0, float64(every)
	}
	d.number++
	if d.waiting < mostWanted {
		d.wanted[d.waiting] = wanted{connection, done + matchAfter, kind, d.number, uint8(1 + d.number%4)}
		d.waiting++
	}
	return Draw{Class: Tail, Weight: weight, Number: d.number}
}

// matches is the number of the slow request that an ordinary one is a match for; 0 if none.
func (d *Draws) matches(connection uint64, kind int32, done int64) (of uint32) {
	for i := 0; i < d.waiting; i++ {
		w := &d.wanted[i]
		switch {
		case done > w.until:
		case w.connection != connection || w.kind != kind:
			continue
		case w.skip > 0:
			w.skip--
			continue
		default:
			of = w.number
		}
		d.waiting--
		d.wanted[i] = d.wanted[d.waiting]
		if of != 0 {
			return of
		}
		i--
	}
	return 0
}

// Push keeps a sample that was wanted.
func (d *Draws) Push(s *Sample, w Draw) {
	at := d.pushed.Load()
	if at-d.taken.Load() == drawsKept {
		d.dropped.Store(d.dropped.Load() + 1)
		return
	}
	into := &d.ring[at%drawsKept]
	*into = *s
	into.Class, into.Weight, into.Of, into.Number, into.Loop = w.Class, w.Weight, w.Of, w.Number, d.loop
	into.Thread = d.thread
	into.Timing = AppendTiming(d.timings[at%drawsKept][:0], s.Timing)
	d.pushed.Store(at + 1)
}
