package limit

import (
	"sync"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// Breaker refuses requests for a while when too many have failed, and then lets a few
// through to see whether it is over. What counts is what the upstream did; clients that
// hang up, and what the gateway refused itself, don't.
type Breaker struct {
	rules  config.Breaker
	refuse *request.Reply

	mu      sync.Mutex
	state   breakerState
	since   int64    // of the state, ns of [clock.Now]
	halves  [2]tally // of the time that is looked at, the newer first
	half    int64    // when the newer began
	opened  int      // times in a row
	probing int      // probes under way
	passed  int      // probes that succeeded
}

type breakerState uint8

const (
	closed   breakerState = iota
	open                  // nothing passes
	halfOpen              // probes do
)

type tally struct{ all, failed int }

const longestOpen = time.Minute

// NewBreaker makes the limit, closed.
func NewBreaker(rules *config.Breaker) *Breaker {
	return &Breaker{rules: *rules, refuse: request.Refuse(503, "the service fails too often at the moment", "Retry-After: 5\r\n").For(request.RefusedBreaker)}
}

// Check refuses while the breaker is open.
func (b *Breaker) Check(r *request.Request) *request.Reply {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state == open && r.Now-b.since >= b.openFor() {
		b.enter(halfOpen, r.Now)
	}
	switch {
	case b.state == open, b.state == halfOpen && b.probing+b.passed >= b.rules.Probes:
		return b.refuse
	case b.state == halfOpen:
		b.probing++
	}
	return nil
}

// openFor is how long it stays open: longer each time it did no good.
func (b *Breaker) openFor() int64 {
	d := b.rules.Open
	for range b.opened - 1 {
		if d *= 2; d >= longestOpen {
			return int64(longestOpen)
		}
	}
	return int64(d)
}

// Done counts how a request ended.
func (b *Breaker) Done(o *request.Outcome) {
	failed := b.failed(o)
	counts := failed || o.Upstream
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.state == closed:
		if counts {
			b.count(failed, o.Ended)
		}
	case b.state == open || o.Began < b.since:
		// It was sent before the state was what it is, and says nothing of it.
	default:
		b.probing--
		switch {
		case failed:
			b.enter(open, o.Ended)
		case counts:
			if b.passed++; b.passed >= b.rules.Probes {
				b.enter(closed, o.Ended)
			}
		}
	}
}

// failed reports whether the upstream failed.
func (b *Breaker) failed(o *request.Outcome) bool {
	switch o.Failed {
	case request.OK, request.ClientGone:
	default:
		return true
	}
	return o.Instead >= 500 || o.Upstream && (o.Status >= 500 || b.rules.Slow > 0 && o.Ended-o.Began > int64(b.rules.Slow))
}

// count counts a request while closed, and opens if that was one too many.
func (b *Breaker) count(failed bool, now int64) {
	half := int64(b.rules.Over) / 2
	switch passed := now - b.half; {
	case passed >= 2*half:
		b.halves, b.half = [2]tally{}, now
	case passed >= half:
		b.halves, b.half = [2]tally{1: b.halves[0]}, now
	}
	b.halves[0].all++
	if failed {
		b.halves[0].failed++
	}
	all := b.halves[0].all + b.halves[1].all
	if bad := b.halves[0].failed + b.halves[1].failed; failed && all >= b.rules.Least && float64(bad) >= b.rules.Errors*float64(all) {
		b.enter(open, now)
	}
}

// enter changes the state.
func (b *Breaker) enter(s breakerState, now int64) {
	b.state, b.since = s, now
	b.probing, b.passed = 0, 0
	switch s {
	case open:
		b.opened++
	case closed:
		b.opened = 0
		b.halves, b.half = [2]tally{}, now
	}
}

// State is closed, open or half-open, for the admin API.
func (b *Breaker) State() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return [...]string{"closed", "open", "half-open"}[b.state]
}
