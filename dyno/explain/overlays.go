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

// lasting are the causes whose amounts are times: no request can be held up by one of them for
// longer than it went on.
var lasting = map[Name]bool{Steal: true, GC: true, Interrupt: true}

// overlays finds which share of a stage's excess goes with what was recorded each second:
// the same question as of seconds without traced requests, of that stage's excess only. What the
// requests' own events tell isn't asked of the seconds.
func (c *Cell) overlays(t *tally) map[Name]map[evidence.Stage]float64 {
	moved := map[Name]map[evidence.Stage]float64{}
	if len(c.seconds) < secondsLeast {
		return moved
	}
	for _, stage := range evidence.Stages() {
		names := c.untold(overlaid[stage])
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
			if lasting[name] {
				share = min(share, c.most(t, stage, s.columns[found[i].column]))
			}
			if moved[name] == nil {
				moved[name] = map[evidence.Stage]float64{}
			}
			moved[name][stage] = share
		}
	}
	return moved
}

// untold leaves out of the causes of a stage what the requests' own events tell: when CPUs stood
// still.
func (c *Cell) untold(names []Name) []Name {
	for i := range c.trials {
		if h := c.trials[i].header; h != nil && !h.Clocked {
			return names
		}
	}
	return slices.DeleteFunc(slices.Clone(names), func(n Name) bool { return n == Steal })
}

// most is the largest share of a stage's excess that a cause can have that went on for so long
// in each second.
func (c *Cell) most(t *tally, stage evidence.Stage, column []float64) float64 {
	amount := map[place]float64{}
	for i := range c.seconds {
		amount[place{c.seconds[i].trial, c.seconds[i].window}] = column[i]
	}
	held, all := 0.0, 0.0
	for i := range t.pairs {
		p := &t.pairs[i]
		if x := p.excess[stage]; x > 0 {
			w := weight(p.Record)
			held += w * min(x, amount[place{p.trial, p.Window}])
			all += w * x
		}
	}
	if all == 0 {
		return 0
	}
	return held / all
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
