//go:build linux

package proxy

import "time"

// The wheel keeps deadlines up to 67 ms late, which is too much for a hedge after 20 ms
// or a time limit of 150 ms. What is due after a short time of a route's own waits in a
// queue: of those with the same time the order of arrival is the order of expiry, so
// that adding one is an append and finding the next a look at the first.

// soonest is up to which time a deadline is kept in a queue: the longer, the more
// requests that ended long ago are in it.
const soonest = time.Second

// mostQueues bounds how many different times there are; beyond that the wheel has to
// do. Hedges, which it doesn't have, are always kept.
const mostQueues = 32

// queue are the deadlines of one length.
type queue struct {
	after int64 // ns
	items []due
	first int
}

// due is a deadline of a request, or of one of its tries.
type due struct {
	at     int64 // ns
	client int32
	serial uint32 // of the client's requests: the deadline is void with the next one
	try    uint8  // 0: of the request as a whole
	what   what
}

// what happens when it is over.
type what uint8

const (
	wholeOver what = iota
	tryOver
	delayOver
	hedgeDue
	checkOver
)

// soon notes that something is due after d. It does nothing if d is too long to be kept
// so; the wheel has it in any case, unless it is a hedge.
func (l *deadlines) soon(c *client, d time.Duration, w what) {
	if d <= 0 || d > soonest {
		return
	}
	var q *queue
	for _, one := range l.queues {
		if one.after == int64(d) {
			q = one
		}
	}
	if q == nil && len(l.queues) >= mostQueues {
		q = l.unusedQueue() // of a time that the configuration had before, perhaps
	}
	switch {
	case q != nil:
		q.after = int64(d)
	case len(l.queues) >= mostQueues && w != hedgeDue:
		return
	default:
		q = &queue{after: int64(d)}
		l.queues = append(l.queues, q)
	}
	item := due{at: l.now + int64(d), client: c.id, serial: c.serial, what: w}
	if w == tryOver || w == hedgeDue {
		item.try = uint8(c.x.outcome.Tries)
	}
	if q.first > 0 && len(q.items) == cap(q.items) { // there is room at the front
		q.items = q.items[:copy(q.items, q.items[q.first:])]
		q.first = 0
	}
	q.items = append(q.items, item)
}

// unusedQueue returns a queue in which nothing waits; nil if there is none.
func (l *deadlines) unusedQueue() *queue {
	for _, q := range l.queues {
		if !l.trim(q) {
			return q
		}
	}
	return nil
}

// trim takes deadlines that are void away from the front. It reports whether one is
// left.
func (l *deadlines) trim(q *queue) bool {
	for q.first < len(q.items) {
		d := &q.items[q.first]
		if c := l.clients.At(d.client); c.fd >= 0 && c.serial == d.serial && c.x.route != nil && (d.try == 0 || d.try == uint8(c.x.outcome.Tries)) {
			return true
		}
		q.first++
	}
	q.items, q.first = q.items[:0], 0
	return false
}

// expireSoon does what is due.
func (l *deadlines) expireSoon() {
	for _, q := range l.queues {
		for l.trim(q) && q.items[q.first].at <= l.now {
			d := q.items[q.first]
			q.first++
			l.fire(l.clients.At(d.client), d.what)
		}
	}
}

// nextSoon returns when the next deadline is due.
func (l *deadlines) nextSoon() (at int64, ok bool) {
	for _, q := range l.queues {
		if l.trim(q) && (!ok || q.items[q.first].at < at) {
			at, ok = q.items[q.first].at, true
		}
	}
	return at, ok
}

// fire deals with a request for which something is due.
func (l *deadlines) fire(c *client, w what) {
	defer l.survive(clientEvent(c.id))
	l.current = nil
	switch w {
	case wholeOver:
		switch {
		case !c.state.busy() || c.state == stateTunnel || c.state == stateStored:
		case l.now < c.x.deadline:
			l.soonWhole(c)
		default:
			l.expired(c.id)
		}
	case tryOver:
		if c.state == stateResponse || c.state == stateConnect {
			l.late(c)
		}
	case delayOver:
		if c.state == stateDelay {
			l.expired(c.id)
		}
	case hedgeDue:
		if c.state == stateResponse || c.state == stateConnect {
			l.attempts.hedge(c)
		}
	case checkOver:
		if (c.state == stateCheck || c.state == stateShared) && l.now >= c.x.waits.until {
			l.expired(c.id)
		}
	}
}
