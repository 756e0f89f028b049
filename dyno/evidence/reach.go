package evidence

import (
	"math"
	"sync/atomic"
)

// reach is which requests may be drawn: those that are due from one instant until before another,
// ns of CLOCK_MONOTONIC.
type reach struct{ from, to atomic.Int64 }

func (r *reach) has(due int64) bool { return due >= r.from.Load() && due < r.to.Load() }

// Only sets that requests are drawn which are due from one instant until before another, and no
// others. At first all are.
func (s *Sampler) Only(from, to int64) {
	s.reach.from.Store(from)
	s.reach.to.Store(to)
}

// all is the reach of a sampler that draws from all requests.
func (s *Sampler) all() { s.Only(math.MinInt64, math.MaxInt64) }

// Settled reports whether each request that may be drawn has ended, and no other will begin. It
// may be false for longer, where requests end of which the loops say nothing.
func (s *Sampler) Settled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	from, to := s.reach.from.Load(), s.reach.to.Load()
	for _, d := range s.loops {
		if d.open.of.Load() != from || d.open.latest.Load() < to || d.open.n.Load() != 0 {
			return false
		}
	}
	return true
}

// open are the requests of a loop that are in reach and under way. Its loop alone writes it.
type open struct {
	of     atomic.Int64 // the beginning of the reach that is meant
	latest atomic.Int64 // when the request was due that began last
	n      atomic.Int64
}

// Began says that the loop has taken up a request that was due at an instant.
func (d *Draws) Began(due int64) {
	d.open.meet(d.from.reach.from.Load())
	d.open.latest.Store(due)
	if d.from.reach.has(due) {
		d.open.n.Store(d.open.n.Load() + 1)
	}
}

// ended says that a request in reach is over.
func (o *open) ended(from int64) {
	o.meet(from)
	if n := o.n.Load(); n > 0 { // it began before anybody asked
		o.n.Store(n - 1)
	}
}

// meet begins anew where it is another reach.
func (o *open) meet(from int64) {
	if o.of.Load() != from {
		o.n.Store(0)
		o.of.Store(from)
	}
}
