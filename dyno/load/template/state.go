package template

import "math/rand/v2"

// State is what changes from one request of a load loop to the next. It belongs
// to one loop.
type State struct {
	// Now is the time that timestamps give, in ns since 1970. The caller sets it.
	Now int64

	rng         *rand.Rand
	feeds       []*Feed
	part, parts int
	sequence    uint64   // of the current request
	numbered    uint64   // requests so far that had a number
	rows        []int    // current row of each feed
	taken       []uint64 // rows taken from each feed so far
}

// NewState returns the state of one of so many loops, part from 0. Sequences
// and feeds in order are divided among the loops: the first takes the first
// row, the second the second, and so on in turn. What is random follows from
// seed and part.
func (e *Env) NewState(seed uint64, part, parts int) *State {
	return &State{
		rng: rand.New(rand.NewPCG(seed, 3<<32+uint64(part))), feeds: e.Feeds, part: part, parts: parts,
		rows: make([]int, len(e.Feeds)), taken: make([]uint64, len(e.Feeds)),
	}
}

// Advance goes on to the next request: to the next row of the feeds it uses, and
// to the next number.
func (s *State) Advance(uses Uses) {
	if uses.sequence {
		s.sequence = s.numbered*uint64(s.parts) + uint64(s.part)
		s.numbered++
	}
	if uses.feeds == 0 {
		return
	}
	for i, f := range s.feeds {
		if uses.Feed(i) {
			s.rows[i] = s.nextRow(i, f)
		}
	}
}

func (s *State) nextRow(i int, f *Feed) int {
	n := uint64(len(f.Table.rows))
	if f.Random {
		return int(s.rng.Uint64N(n))
	}
	row := s.taken[i]*uint64(s.parts) + uint64(s.part)
	s.taken[i]++
	return int(row % n)
}
