package study

import (
	"math"
	"strconv"
	"time"

	"dyno.example/internal/i18n"
)

// Ahead is what becomes of the plan of a run that goes on block by block: the plan has only
// its first block. The zero value stands for a plan that stays as it is.
type Ahead struct {
	Least, Most int           // blocks after which the run ends; Most, where time is the only bound, as the estimates have it
	Before      time.Duration // that is spent before the first block, estimated
	Block       time.Duration // that a block takes, estimated
}

// The least number of blocks after which a run may end by what it found.
const (
	leastToDecide = 2 // claims: one block shows no spread
	leastToNarrow = 3 // intervals: see stats.NewWidths
)

// Ahead is how many blocks the study's run will have if it goes on block by block, of which
// each takes so long after a time before the first. It is the zero value for other studies.
func (s *Study) Ahead(before, block time.Duration) Ahead {
	most := s.Until.mostBlocks(block)
	if !s.Until.Sequential() || most == math.MaxInt {
		return Ahead{}
	}
	a := Ahead{Least: leastToDecide, Most: most, Before: before, Block: block}
	switch {
	case s.Until.Precision > 0:
		a.Least = leastToNarrow
	case len(s.Claims) == 0: // nothing to find out
		a.Least = a.Most
	}
	a.Least = min(a.Least, a.Most)
	return a
}

// mostBlocks is how many blocks of this length are allowed: at least the first one, which
// is done whatever it takes; math.MaxInt if nothing bounds them.
func (u Until) mostBlocks(block time.Duration) int {
	most := math.MaxInt
	if u.Time > 0 && block > 0 {
		most = max(1, int(u.Time/block))
	}
	if u.Blocks > 0 {
		most = min(most, u.Blocks)
	}
	return most
}

// After estimates how long the run takes if it ends after so many blocks, all in all.
func (a Ahead) After(blocks int) time.Duration {
	return time.Duration(min(float64(a.Before)+float64(blocks)*float64(a.Block), math.MaxInt64/2))
}

// size says how many blocks and trials there will be, and how long they take.
func (a Ahead) size(cells int) (blocks, trials, about i18n.Message) {
	between := func(least, most i18n.Message) i18n.Message {
		if a.Least == a.Most {
			return most
		}
		return i18n.New("study.between", "%s to %s", least, most)
	}
	number := func(n int) i18n.Message { return i18n.Verbatim(strconv.Itoa(n)) }
	long := func(blocks int) i18n.Message { return i18n.Verbatim(a.After(blocks).Round(time.Second).String()) }
	blocks, trials = between(number(a.Least), countBlocks(a.Most)), between(number(cells*a.Least), countTrials(cells*a.Most))
	return blocks, trials, between(long(a.Least), long(a.Most))
}
