package limit

import (
	"sync/atomic"

	"dyno.example/nano/wire/clock"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// Concurrency admits so many requests at once. With an objective it looks for how many
// may be under way so that nine in ten responses begin in time: the bound grows while
// it is used up and they do, and shrinks when they don't (additive increase,
// multiplicative decrease, as congestion is avoided in RFC 5681). Requests that would
// wait in queues of the upstream are then refused here, at once, and can go to another.
type Concurrency struct {
	rules   config.Concurrency
	running atomic.Int64
	bound   atomic.Int64
	window  window
	full    *request.Reply
	queue   *Queue // of what finds no place; nil: it is refused at once
}

// window is what was seen since the bound was last set.
type window struct {
	began           atomic.Int64
	completed, late atomic.Int64
	sum             atomic.Int64 // ns until responses began
	most            atomic.Int64 // that were under way
	full            atomic.Bool  // some were refused
	tooMany         atomic.Int64 // the bound before it shrank last
	shrunk          atomic.Int64 // when the bound did last, ns: it takes until later requests have ended to see what that did
}

const (
	windowTime  = int64(1e8) // ns that a bound is kept at least
	windowLeast = 10         // responses, before it is judged
	growth      = 0.1        // of the bound, in a window
	careful     = 0.02       // in the same way, near the bound that was too much (as CUBIC, RFC 9438)
	shrinkage   = 0.8        // the bound becomes that part of what was under way
)

// NewConcurrency makes the limit. A bound that is sought begins at a hundred.
func NewConcurrency(rules *config.Concurrency) *Concurrency {
	l := &Concurrency{rules: *rules, full: request.Refuse(503, "more requests are under way than can be served in time", "Retry-After: 1\r\n").For(request.RefusedConcurrency)}
	start := int64(rules.Most)
	if rules.Objective > 0 {
		start = min(start, max(100, int64(rules.Least)))
	}
	l.bound.Store(start)
	if rules.Queue != nil {
		l.queue = newQueue(rules.Queue, l)
		l.full.Queue, l.full.Why = l.queue, request.RefusedQueue
	}
	l.window.began.Store(clock.Now())
	return l
}

// Bound is how many requests may be under way now.
func (l *Concurrency) Bound() int { return int(l.bound.Load()) }

// Check refuses what would be one too many, or has it wait. Nobody overtakes who waits.
func (l *Concurrency) Check(*request.Request) *request.Reply {
	if l.queue != nil && l.queue.waiting.Load() > 0 || !l.enter(l.bound.Load()) {
		return l.full
	}
	return nil
}

// enter counts a request, if no more than so many are under way with it.
func (l *Concurrency) enter(places int64) bool {
	if l.take(places) {
		return true
	}
	if !l.window.full.Load() {
		l.window.full.Store(true)
	}
	return false
}

// take takes a place, if there is one.
func (l *Concurrency) take(places int64) bool {
	running := l.running.Add(1)
	if running > places {
		l.running.Add(-1)
		return false
	}
	if l.rules.Objective > 0 {
		for most := l.window.most.Load(); running > most && !l.window.most.CompareAndSwap(most, running); {
			most = l.window.most.Load()
		}
	}
	return true
}

// Done makes room for another.
func (l *Concurrency) Done(o *request.Outcome) {
	l.running.Add(-1)
	l.learn(o)
	if l.queue != nil {
		l.queue.serve(o.Ended)
	}
}

// learn learns from how long a response took to begin. One that never did was late if it
// was given up for its time, and says nothing otherwise.
func (l *Concurrency) learn(o *request.Outcome) {
	if l.rules.Objective == 0 || !o.Upstream && o.Failed != request.TimedOut {
		return
	}
	began := o.Responded
	if began == 0 {
		began = o.Ended
	}
	sent := max(o.Began, o.Forwarded)
	if sent < l.window.shrunk.Load() {
		return // it says how long the queue was before
	}
	took := began - sent
	l.window.completed.Add(1)
	l.window.sum.Add(took)
	if o.Failed == request.TimedOut || took > int64(l.rules.Objective) {
		l.window.late.Add(1)
	}
	l.adapt(o.Ended)
}

// adapt sets the bound once in a window; whoever comes first does it for all.
func (l *Concurrency) adapt(now int64) {
	w := &l.window
	began := w.began.Load()
	if now-began < windowTime || w.completed.Load() < windowLeast || !w.began.CompareAndSwap(began, now) {
		return
	}
	completed, late, sum := w.completed.Swap(0), w.late.Swap(0), w.sum.Swap(0)
	most := w.most.Swap(l.running.Load())
	full := w.full.Swap(false)
	bound := l.bound.Load()
	switch {
	case late*10 > completed && sum > completed*int64(l.rules.Objective)/2:
		// When most take less than half of the time, it is not the queue that makes
		// some late, and a shorter one would only cost throughput.
		if !full { // of a bound that wasn't reached, what was under way is what was too much
			bound = min(bound, most)
		}
		w.tooMany.Store(bound)
		bound = int64(float64(bound) * shrinkage)
		w.shrunk.Store(now)
	case most >= bound || full:
		step := growth
		if was := w.tooMany.Load(); bound <= was && float64(bound) > 0.85*float64(was) {
			step = careful
		}
		bound += max(1, int64(float64(bound)*step))
	}
	l.bound.Store(min(max(bound, int64(l.rules.Least)), int64(l.rules.Most)))
}
