package collect

import (
	"math"
	"math/rand/v2"

	"dyno.example/dyno/evidence"
)

// Where many requests are served a second, probes that are always on see far more of them than are
// looked at, and cost each. So they are on for windows of time then, at random places.
const (
	reachASecond = 1000.0     // requests that are to be in reach; one in a hundred is slow
	leastShare   = 1.0 / 20   // of the time
	mostShare    = 2.0 / 3    // above it they may as well stay on
	windowLength = int64(1e8) // ns in which requests have to be due to be looked at
	lead         = int64(1e7) // ns for which they are on before: what threads did at first isn't known
	mostHold     = int64(25e7)
	leastGap     = 5e6 // ns, on average
)

// always is the end of a span that has none in sight.
const always = int64(math.MaxInt64)

// span is a time for which the probes are on. It is requests that are due between from and to that
// are looked at, however long they take, so that how long that is doesn't decide it: the probes
// stay on until these have ended.
type span struct {
	after, until int64 // the time that its requests stand for; ns of CLOCK_MONOTONIC, as all here
	on, off      int64 // off is 0 while they are on
	from, to     int64
}

// weight is how many requests each of its stands for.
func (s *span) weight() float64 {
	if s.to <= s.from {
		return 1
	}
	return float64(max(s.to, s.until)-s.after) / float64(s.to-s.from)
}

// duty says when the probes are on. While share is 1 they stay on; else they are for that share
// of the time. What comes again and again at any one interval meets windows in proportion,
// as the gap between two is drawn: evenly, from none to twice what it has to be.
type duty struct {
	random *rand.Rand
	share  float64
	spans  []span
	due    int64 // when the next one begins
}

// shareFor is for which share of the time the probes are to be on at a rate of requests a second
// of which one in a thousand takes far, ns, or longer: 1 where windows couldn't hold the slowest.
func shareFor(rate float64, far int64) float64 {
	if share := reachASecond / rate; rate > 0 && share < mostShare && far <= mostHold {
		return max(share, leastShare)
	}
	return 1
}

// current is the span that is under way; nil if there is none.
func (d *duty) current() *span {
	if n := len(d.spans); n > 0 && d.spans[n-1].off == 0 {
		return &d.spans[n-1]
	}
	return nil
}

// begin says that the probes have been turned on, for as long as nothing else is said.
func (d *duty) begin(now int64) {
	d.spans = append(d.spans, span{after: now + lead, on: now, from: now + lead, to: always})
}

// end says that they have been turned off.
func (d *duty) end(now int64) {
	if s := d.current(); s != nil {
		s.off, s.to = now, max(min(s.to, now), s.from)
	}
}

// stop says that they have been turned off, or were off already, and don't go on as they did: no other
// window stands for the time since the last one. Stopped twice, they were so since the first time.
func (d *duty) stop(now int64) {
	d.end(now)
	if n := len(d.spans); n > 0 && d.spans[n-1].until == 0 {
		d.spans[n-1].until = now
	}
}

// step is what is to be done at an instant.
type step uint8

const (
	stay   step = iota
	aim         // other requests are looked at from now on: those of the current span
	pause       // the probes
	resume      // them
)

// next says what is to be done now. settled tells whether all requests have ended that are looked
// at. Pauses are to be reported by end, what is resumed by window.
func (d *duty) next(now int64, settled func() bool) step {
	s := d.current()
	switch {
	case s == nil:
		if d.share >= 1 || now >= d.due {
			return resume
		}
	case s.to == always:
		if d.share < 1 {
			s.to = max(now, s.from) + lead // what is due until then may have begun
			return aim
		}
	case now < s.to:
		if d.share >= 1 {
			s.to = always
			return aim
		}
	case settled() || now >= s.to+mostHold:
		d.rest(now, now-s.to)
		return pause
	}
	return stay
}

// rest draws when the next window begins, after one whose requests took hold to end.
func (d *duty) rest(now, hold int64) {
	gap := float64(windowLength)/d.share - float64(lead+windowLength+hold)
	d.due = now + int64(2*max(gap, leastGap)*d.random.Float64())
}

// window says that the probes have been turned on for a window.
func (d *duty) window(now int64) {
	s := span{after: d.spans[len(d.spans)-1].to, on: now, from: now + lead, to: now + lead + windowLength}
	if d.share >= 1 {
		s.to = always
	}
	d.spans = append(d.spans, s)
}

// of is the place of the span that a request is due in; -1 if it isn't looked at.
func (d *duty) of(due int64) int {
	for i := len(d.spans) - 1; i >= 0; i-- {
		if s := &d.spans[i]; due >= s.from {
			if due < s.to {
				return i
			}
			break
		}
	}
	return -1
}

// looked is for how long requests had to be due to be looked at, from an instant on.
func (d *duty) looked(since int64) *evidence.Looked {
	l := &evidence.Looked{}
	for i := range d.spans {
		s := &d.spans[i]
		if s.to <= max(s.from, since) {
			continue
		}
		l.In += s.to - max(s.from, since)
		l.Of += max(s.to, s.until) - max(s.after, since)
		l.Windows++
	}
	return l
}
