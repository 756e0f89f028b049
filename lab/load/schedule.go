package load

import "math/rand/v2"

// schedule gives the intended starts of one loop's share of an open loop, in
// nanoseconds from the start of the load. It is a pure function of profile,
// seed, part and parts: no clock, no state outside it.
type schedule struct {
	gap     float64 // mean ns between this part's arrivals
	first   float64 // uniform: offset of this part within the round of parts
	count   float64 // uniform: arrivals given so far
	at      float64 // Poisson: the last arrival
	poisson *rand.Rand
}

// newSchedule gives part (0 to parts-1) of the arrivals. A Poisson process is
// the sum of independent ones with a share of its rate each.
func newSchedule(p Profile, seed uint64, part, parts int) schedule {
	gap := 1e9 / p.Rate
	s := schedule{gap: gap * float64(parts), first: gap * float64(part)}
	if p.Arrivals != Uniform {
		s.poisson = rand.New(rand.NewPCG(seed, uint64(part)))
	}
	return s
}

// next returns the next intended start. It does not allocate.
func (s *schedule) next() int64 {
	if s.poisson != nil {
		s.at += s.poisson.ExpFloat64() * s.gap
		return int64(s.at)
	}
	// Closed form of the index: errors don't add up over a long run.
	t := s.first + s.count*s.gap
	s.count++
	return int64(t)
}
