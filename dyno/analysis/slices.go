package analysis

import (
	"slices"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/stats"
)

// Slices says how a group was measured whose subjects took turns.
type Slices struct {
	Length time.Duration `json:"length"`           // of one, ns
	Settle time.Duration `json:"settle,omitempty"` // loaded before it, ns
	First  time.Duration `json:"first,omitempty"`  // of it, what is told apart in cpu.settling, ns; 0: nothing is
	Rounds int           `json:"rounds"`           // of a block
	Trials int           `json:"trials"`           // that were measured so, of those that figures rest on …
	Whole  int           `json:"whole"`            // … and that were not
	// What the slices next to each one have explained of CPU time and of throughput, as
	// [stats.ByNeighbours] says; Values are less that.
	CPU        stats.Neighbours `json:"cpu"`
	Throughput stats.Neighbours `json:"throughput"`
	// States are those that the machine was in; nil if it isn't known how subjects follow them.
	States *States `json:"states,omitempty"`
}

// slicesOf says it of a group's cells; nil if none was.
func (t *table) slicesOf() *Slices {
	s := &Slices{CPU: t.beside.cpu, Throughput: t.beside.throughput, States: t.states}
	for _, b := range t.arms() {
		for _, sliced := range b.sliced {
			if sliced == nil {
				s.Whole++
				continue
			}
			s.Trials++
			s.Length, s.Settle, s.First, s.Rounds = sliced.Length, sliced.Settle, sliced.First, sliced.Rounds
		}
	}
	if s.Trials == 0 {
		return nil
	}
	return s
}

// arms are the builders of the group with the twin's.
func (t *table) arms() []*cellBuilder {
	if t.twin == nil {
		return t.builders
	}
	return append(slices.Clone(t.builders), t.twin)
}

// takeSlices keeps those of a used trial, and what its first parts were.
func (s *cellBuilder) takeSlices(t *archive.Trial, p *parts) {
	s.parts[t.Block] = *p
	s.sliced = append(s.sliced, t.Sliced)
	if t.Sliced != nil {
		s.Sliced = append(s.Sliced, t.Index)
		s.turns[t.Block], s.slots[t.Block] = turnsOf(t), t.Slices
	}
}

// turnsOf are a trial's slices by round.
func turnsOf(t *archive.Trial) []stats.Turn {
	turns := make([]stats.Turn, t.Sliced.Rounds)
	for i := range t.Slices {
		if one := &t.Slices[i]; one.Round < len(turns) {
			turns[one.Round] = stats.Turn{Spent: float64(one.CPU), Requests: float64(one.Requests), Speed: float64(one.Speed)}
		}
	}
	return turns
}

// compareTurns says what the uncertainty of ratios of CPU time per request is made of, for
// subjects that took turns with the reference.
func (t *table) compareTurns(reference *cellBuilder) {
	for _, s := range t.arms() {
		if starts := s.startsWith(reference); s != reference && len(starts) > 0 {
			ratio := stats.SlicedRatio(starts, level)
			s.Turns = &ratio
		}
	}
}

// startsWith are the blocks in which a cell took turns with another.
func (s *cellBuilder) startsWith(other *cellBuilder) (starts []stats.Start) {
	for _, block := range s.blocks {
		a, b := s.turns[block], other.turns[block]
		if a == nil || b == nil {
			continue
		}
		n := min(len(a), len(b))
		starts = append(starts, stats.Start{A: a[:n], B: b[:n]})
	}
	return starts
}
