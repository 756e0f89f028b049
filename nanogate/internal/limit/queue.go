package limit

import (
	"sync"
	"sync/atomic"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// Queue is where requests wait for a place of a [Concurrency], in the order in which
// they came, whatever loop they are on.
//
// It evens out bursts; against lasting overload a queue is no help, it only makes all
// requests as late as it is long. So when it hasn't been empty for as long as one may
// wait, those that have waited for more than a tenth of that make room for later ones
// (controlled delay: Maurer, "Fail at Scale", ACM Queue 13(8), 2015, after CoDel, RFC
// 8289): what is served then is served soon. The one that came last is always served, so
// no place stays empty.
type Queue struct {
	places  *Concurrency
	wait    int64        // ns that a request waits at most
	waiting atomic.Int64 // requests

	mu          sync.Mutex
	slots       []waiting
	first, last int32 // slots of the waiters, in order of arrival; none: empty
	free        int32 // the first free slot
	since       int64 // when the queue was empty last

	admitted, late, full, gone atomic.Uint64
	waited                     atomic.Int64 // ns, of those that were admitted
}

// waiting is a request in the queue.
type waiting struct {
	waiter       request.Waiter // nil: the slot is free
	since        int64
	client       int32
	round        uint32 // of the slot's uses: with its number it makes the ticket
	before, next int32  // slots; of a free one only next
}

const none = -1

// standing is which part of the wait is allowed in a queue that doesn't get empty.
const standing = 10

// newQueue makes a queue. All that it will ever need is allocated.
func newQueue(rules *config.Queue, places *Concurrency) *Queue {
	q := &Queue{places: places, wait: int64(rules.Wait), slots: make([]waiting, rules.Size), first: none, last: none}
	for i := range q.slots {
		q.slots[i].next = int32(i + 1)
	}
	q.slots[len(q.slots)-1].next = none
	return q
}

// Enter implements [request.Queue].
func (q *Queue) Enter(w request.Waiter, client int32, now int64) (ticket uint64, until int64, ok bool) {
	q.mu.Lock()
	at := q.free
	if at == none {
		q.mu.Unlock()
		q.full.Add(1)
		return 0, 0, false
	}
	e := &q.slots[at]
	q.free = e.next
	*e = waiting{waiter: w, since: now, client: client, round: e.round + 1, before: q.last, next: none}
	if q.last == none {
		q.first = at
	} else {
		q.slots[q.last].next = at
	}
	q.last = at
	if q.waiting.Add(1) == 1 {
		q.since = now
	}
	ticket = e.ticket(at)
	q.mu.Unlock()
	q.serve(now) // the last place may have become free before it was in
	return ticket, now + q.wait, true
}

func (e *waiting) ticket(at int32) uint64 { return uint64(e.round)<<32 | uint64(at) }

// remove takes a request out. q.mu is held.
func (q *Queue) remove(at int32) {
	e := &q.slots[at]
	if e.before == none {
		q.first = e.next
	} else {
		q.slots[e.before].next = e.next
	}
	if e.next == none {
		q.last = e.before
	} else {
		q.slots[e.next].before = e.before
	}
	e.waiter, e.next = nil, q.free
	q.free = at
	q.waiting.Add(-1)
}

// Leave implements [request.Queue].
func (q *Queue) Leave(ticket uint64, late bool) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := int32(uint32(ticket))
	if e := &q.slots[at]; e.waiter == nil || e.ticket(at) != ticket {
		return false
	}
	q.remove(at)
	if late {
		q.late.Add(1)
	} else {
		q.gone.Add(1)
	}
	return true
}

// Return implements [request.Queue].
func (q *Queue) Return(now int64) {
	q.places.running.Add(-1)
	q.serve(now)
}

// serve gives free places to waiters.
func (q *Queue) serve(now int64) {
	for q.waiting.Load() > 0 && q.places.take(q.places.bound.Load()) {
		if !q.next(now) {
			q.places.running.Add(-1) // and look again: a request that came meanwhile saw no place
		}
	}
}

// next gives a place to the first one, or to a later one if that has waited for too long
// in a queue that stands. It reports whether there was one.
func (q *Queue) next(now int64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	stands := now-q.since > q.wait
	for at := q.first; at != none; at = q.first {
		e := q.slots[at]
		q.remove(at)
		waited := max(now-e.since, 0)
		admitted := !stands || q.first == none || waited <= q.wait/standing
		if admitted {
			q.admitted.Add(1)
			q.waited.Add(waited)
		} else {
			q.late.Add(1)
		}
		e.waiter.Called(q, e.ticket(at), e.client, admitted)
		if admitted {
			return true
		}
	}
	return false
}

// Waits are what became of requests that came to a queue.
type Waits struct {
	Waiting                    int           // now
	Admitted, Late, Full, Gone uint64        // had their place; waited for too long; found no room; their clients left
	Waited                     time.Duration // of those that were admitted, all together
}

// Queued is a limit that may have a queue. Any goroutine may call it.
type Queued interface{ Waits() (w Waits, ok bool) }

// Waits says what became of requests that came to the queue; not ok: there is none.
func (l *Concurrency) Waits() (w Waits, ok bool) {
	q := l.queue
	if q == nil {
		return w, false
	}
	return Waits{Waiting: int(q.waiting.Load()), Admitted: q.admitted.Load(), Late: q.late.Load(), Full: q.full.Load(), Gone: q.gone.Load(), Waited: time.Duration(q.waited.Load())}, true
}
