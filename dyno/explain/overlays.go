package explain

import (
	"slices"

	"dyno.example/dyno/evidence"
)

// overlaid are the stages that may be longer for a reason that no event of the request
// tells, with those reasons: collections take the CPU from the work and hold up goroutines, a
// hypervisor stretches whatever runs. The seconds tell, where they differ.
var overlaid = map[evidence.Stage][]Name{
	evidence.OnCPU:       {Steal, Frequency, GC, Allocation, Interrupt},
	evidence.CPUWait:     {Steal, GC},
	evidence.Scheduler:   {Steal, GC},
	evidence.Poll:        {GC},
	evidence.Lock:        {GC},
	evidence.LoopQueue:   {Steal, GC},
	evidence.Network:     {Steal, Interrupt},
	evidence.Unexplained: {Steal, GC},
}

// overlays finds which share of a stage's excess goes with what was recorded each second:
// the same question as of seconds without traced requests, of that stage's excess only.
func (c *Cell) overlays(t *tally) map[Name]map[evidence.Stage]float64 {
	moved := map[Name]map[evidence.Stage]float64{}
	if len(c.seconds) < secondsLeast {
		return moved
	}
	for _, stage := range evidence.Stages() {
		names := overlaid[stage]
		if len(names) == 0 {
			continue
		}
		s, any := c.stageSeries(t, stage, names)
		if !any {
			continue
		}
		found := s.choose()
		for i, share := range within(s.shares(found, nil, -1)) {
			name := s.names[found[i].column]
			if moved[name] == nil {
				moved[name] = map[evidence.Stage]float64{}
			}
			moved[name][stage] = share
		}
	}
	return moved
}

// stageSeries is the excess of a stage by seconds, and the amounts of the causes named; any
// is false if there is nothing to explain.
func (c *Cell) stageSeries(t *tally, stage evidence.Stage, names []Name) (s *series, any bool) {
	by := map[place]float64{}
	for i := range t.pairs {
		p := &t.pairs[i]
		by[place{p.trial, p.Window}] += weight(p.Record) * p.excess[stage]
	}
	s = &series{}
	for i := range c.seconds {
		one := &c.seconds[i]
		x := max(0, by[place{one.trial, one.window}])
		any = any || x > 0
		s.excess, s.load, s.strata = append(s.excess, x), append(s.load, one.completed), append(s.strata, one.trial)
	}
	for m := range measures {
		if column, ok := c.column(m); ok && slices.Contains(names, measures[m].name) {
			s.names, s.columns = append(s.names, measures[m].name), append(s.columns, column)
		}
	}
	return s, any
}
