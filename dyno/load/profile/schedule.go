package profile

import (
	"math"
	"math/rand/v2"
	"time"
)

// Schedule gives the intended starts of one loop's share of an open loop, in ns
// from the start of the load. It is a pure function of profile, warm-up, seed,
// part and parts: no clock, no state outside it.
type Schedule struct {
	*segment            // the current one
	later    []segment  // those after it
	mass     float64    // Λ at the next arrival: its number, for uniform ones
	end      float64    // Λ at the end of the current segment
	last     int64      // the last start found by iteration
	part     float64    // from 0
	parts    float64    // how many there are
	rng      *rand.Rand // of Poisson arrivals
}

// NewSchedule gives part (0 to parts-1) of the arrivals of an open loop. Uniform
// and recorded arrivals are dealt out in turn. A Poisson process is the sum of
// independent ones with a share of its rate each.
func NewSchedule(p *Profile, warmup time.Duration, seed uint64, part, parts int) Schedule {
	c := Schedule{
		later: p.Timetable(warmup).segments,
		part:  float64(part), parts: float64(parts), rng: rand.New(rand.NewPCG(seed, uint64(part))),
	}
	c.enter()
	return c
}

// next returns the next intended start; ok is false once the last phase is over.
// Starts never decrease. It does not allocate.
func (s *Schedule) next() (at int64, ok bool) {
	for s.mass >= s.end {
		if !s.enter() {
			return 0, false
		}
	}
	m := s.mass - s.origin
	if s.poisson {
		s.mass += s.parts * s.rng.ExpFloat64()
	} else {
		s.mass += s.parts
	}
	if s.form == flat {
		return s.start + s.within(m*s.gap), true
	}
	// What is found by iteration may be off by a fraction of a nanosecond.
	s.last = max(s.last, s.start+s.within(s.at(m)))
	return s.last, true
}

// After returns the next intended start of a load that began at an instant; one
// that never comes once the last phase is over.
func (s *Schedule) After(begin int64) int64 {
	if at, ok := s.next(); ok && at < math.MaxInt64-begin {
		return begin + at
	}
	return math.MaxInt64
}

// enter goes to the first arrival of the next segment; false if there is none. A
// Poisson process has no memory: it may be drawn again in each.
func (s *Schedule) enter() bool {
	if len(s.later) == 0 {
		return false
	}
	s.segment, s.later = &s.later[0], s.later[1:]
	s.end = s.origin + s.total
	switch {
	case s.poisson:
		s.mass = s.origin + s.parts*s.rng.ExpFloat64()
	case s.form == recorded:
		s.mass = s.origin + s.part
	default:
		// The first integer from origin that is this part's.
		s.mass = max(math.Ceil((s.origin-s.part)/s.parts), 0)*s.parts + s.part
	}
	return true
}
