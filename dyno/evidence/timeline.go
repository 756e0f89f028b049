package evidence

import "sort"

// doing is what a thread does.
type doing uint8

const (
	unknown doing = iota
	running
	runnable // it could run, and another does
	asleep
)

// span is a time in which a thread does one thing.
type span struct {
	from, to int64
	doing    doing
	out      *Event // how it came off the CPU; nil if that is not known
	in       *Event // of a runnable one: who ran until it could
	wake     *Event
}

// timeline is what a thread did, in order, without gaps.
type timeline []span

// timelineOf puts together what a thread's events, which are in order, say of it between two
// instants. Events before say what it did at the first.
func timelineOf(events []*Event, from, to int64) timeline {
	var line timeline
	cur := span{from: from}
	turn := func(at int64, next span) {
		if at = min(max(at, from), to); at > cur.from {
			cur.to = at
			line = append(line, cur)
		}
		next.from = max(at, cur.from)
		cur = next
	}
	for _, e := range events[lately(events, from):] {
		if e.Time > to {
			break
		}
		switch e.Kind {
		case SwitchOut:
			if cur.doing == unknown {
				cur.doing = running
			}
			next := span{doing: asleep, out: e}
			if e.A&Preempted != 0 {
				next.doing = runnable
			}
			turn(e.Time, next)
		case Waking:
			if cur.doing == unknown {
				cur.doing = asleep
			}
			if cur.doing == asleep {
				cur.wake = e
				turn(e.Time, span{doing: runnable, wake: e})
			}
		case SwitchIn:
			if cur.doing == unknown || cur.doing == asleep && cur.out == nil {
				cur.doing = runnable
			}
			cur.in = e
			turn(e.Time, span{doing: running, in: e})
		default:
			if cur.doing == unknown { // what only a running thread does
				cur.doing = running
			}
		}
	}
	if to > cur.from {
		cur.to = to
		line = append(line, cur)
	}
	return line
}

// lately is the first of a thread's events from which what it did at an instant follows: when it
// got a CPU last before.
func lately(events []*Event, at int64) int {
	for i := firstAt(events, at) - 1; i > 0; i-- {
		if events[i].Kind == SwitchIn {
			return i
		}
	}
	return 0
}

// at is the span that an instant is in; nil if there is none.
func (l timeline) at(t int64) *span {
	i := sort.Search(len(l), func(i int) bool { return l[i].to > t })
	if i == len(l) || l[i].from > t {
		return nil
	}
	return &l[i]
}

// edges calls f with each instant at which the thread begins something else.
func (l timeline) edges(f func(at int64)) {
	for i := range l {
		f(l[i].from)
	}
}

// firstAt is the first of events, which are in order, that isn't before an instant.
func firstAt(events []*Event, t int64) int {
	return sort.Search(len(events), func(i int) bool { return events[i].Time >= t })
}
