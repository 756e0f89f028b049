package analysis

import (
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// decide holds the run's claims against its figures; nil if it has none.
func decide(m *archive.Manifest, groups []Group, builders []*cellBuilder, all []figure, c *confidence) []claim.Outcome {
	if len(m.Claims) == 0 {
		return nil
	}
	source := newEvidence(m, groups, builders, all)
	outcomes := make([]claim.Outcome, len(m.Claims))
	for i := range m.Claims {
		outcomes[i] = claim.Evaluate(&m.Claims[i], source, claim.Options{Level: level, Ratio: c.ratioAt, Median: c.medianAt, Strict: c.strictAt})
	}
	return outcomes
}

// evidence is what claims are held against: the builders of all cells, by block. It
// is a [claim.Source].
type evidence struct {
	space    *claim.Space
	builders []*cellBuilder // by the cell's index in the plan
	groups   map[int]*Group // by the same
	blocks   []int
}

func newEvidence(m *archive.Manifest, groups []Group, builders []*cellBuilder, all []figure) *evidence {
	var metrics []claim.Metric
	for _, f := range all {
		metrics = append(metrics, claim.Metric{Name: f.Name, Unit: f.Unit})
	}
	var cells []claim.Cell
	for i := range m.Plan.Cells {
		c := &m.Plan.Cells[i]
		if c.Twin {
			continue // it competes with no other, and claims can't name it
		}
		cells = append(cells, claim.Cell{Index: i, Subject: c.Subject, Load: c.Load, Levels: c.Levels})
	}
	e := &evidence{space: claim.SpaceOf(metrics, cells), builders: builders, groups: make(map[int]*Group)}
	for i := range groups {
		for _, c := range groups[i].Cells {
			e.groups[c.Cell] = &groups[i]
		}
	}
	for _, s := range builders {
		e.blocks = append(e.blocks, s.places...)
	}
	slices.Sort(e.blocks)
	e.blocks = slices.Compact(e.blocks)
	return e
}

func (e *evidence) Space() *claim.Space { return e.space }
func (e *evidence) Blocks() int         { return len(e.blocks) }

func (e *evidence) Values(metric string, cell int) (values []float64, missing i18n.Message) {
	s := e.builders[cell]
	for _, k := range s.knownBy(metric, e.blocks) {
		values = append(values, k.value)
	}
	return values, s.absent[metric]
}

// AtLeast is what percentiles are known to be above.
func (e *evidence) AtLeast(metric string, cell int) (values []float64) {
	for _, k := range e.builders[cell].knownBy(metric, e.blocks) {
		values = append(values, k.least)
	}
	return values
}

// Failed returns the blocks in which the cell's subject failed.
func (e *evidence) Failed(cell int) (failed []bool) {
	for _, block := range e.blocks {
		failed = append(failed, e.builders[cell].failed[block])
	}
	return failed
}

// Noise is the A/A comparison of the cell's group, or of its load.
func (e *evidence) Noise(metric string, cell int) (noise stats.Interval, ok bool) {
	g := e.groups[cell]
	if g == nil {
		return stats.Interval{}, false
	}
	noise = g.Twin[metric]
	return noise, noise.N > 0
}
