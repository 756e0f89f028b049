package analysis

import (
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// decide holds the run's claims against its figures; nil if it has none.
func decide(m *archive.Manifest, source *evidence, options claim.Options) []claim.Outcome {
	if len(m.Claims) == 0 {
		return nil
	}
	outcomes := make([]claim.Outcome, len(m.Claims))
	for i := range m.Claims {
		outcomes[i] = claim.Evaluate(&m.Claims[i], source, options)
	}
	return outcomes
}

// optionsOf are those by which a run's claims are decided.
func optionsOf(c *confidence) claim.Options {
	return claim.Options{Level: level, Ratio: c.ratioAt, Median: c.medianAt, Strict: c.strictAt}
}

// evidence is what claims are held against: the builders of all cells, by block. It
// is a [claim.Source].
type evidence struct {
	space    *claim.Space
	builders []*cellBuilder // by the cell's index in the plan
	groups   map[int]*Group // by the same
	blocks   []int
	design   *study.PlannedDesign // of Sobol samples; nil if the design is another
	surfaces map[surfaceKey]surface
	seed     uint64
}

func newEvidence(m *archive.Manifest, groups []Group, builders []*cellBuilder, all []figure) *evidence {
	var metrics []claim.Metric
	for _, f := range all {
		metrics = append(metrics, claim.Metric{Name: f.Name, Unit: f.Unit})
	}
	var cells []claim.Cell
	for i := range m.Plan.Cells {
		c := &m.Plan.Cells[i]
		if c.Twin || c.Beside != nil {
			continue // it competes with no other, or has figures of its counterpart, and claims can't name it
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
	if sobolDesign(m) {
		e.design, e.seed, e.space.Sampled = m.Plan.Design, m.Plan.Seed, m.Plan.Design.Factors
		e.surfaces, _ = surfacesOf(m.Plan.Cells, groups)
	}
	slices.Sort(e.blocks)
	e.blocks = slices.Compact(e.blocks)
	return e
}

func (e *evidence) Space() *claim.Space { return e.space }
func (e *evidence) Blocks() int         { return len(e.blocks) }

func (e *evidence) Values(metric string, cell int) (values []float64, missing i18n.Message) {
	s := e.builders[e.of(metric, cell)]
	for _, k := range s.knownBy(metric, e.blocks) {
		values = append(values, k.value)
	}
	return values, s.absent[metric]
}

// AtLeast is what percentiles are known to be above.
func (e *evidence) AtLeast(metric string, cell int) (values []float64) {
	for _, k := range e.builders[e.of(metric, cell)].knownBy(metric, e.blocks) {
		values = append(values, k.least)
	}
	return values
}

// Failed returns the blocks in which the cell's subject failed as the metric was measured.
func (e *evidence) Failed(metric string, cell int) (failed []bool) {
	cell = e.of(metric, cell)
	for _, block := range e.blocks {
		failed = append(failed, e.builders[cell].failed[block])
	}
	return failed
}

// Noise is the A/A comparison of the cell's group, or of its load.
func (e *evidence) Noise(metric string, cell int) (noise stats.Interval, ok bool) {
	g := e.groups[e.of(metric, cell)]
	if g == nil {
		return stats.Interval{}, false
	}
	noise = g.Twin[metric]
	return noise, noise.N > 0
}

// Index is a Sobol index, with an interval of the level that is asked for.
func (e *evidence) Index(of claim.Share) (index stats.Interval, missing i18n.Message) {
	if e.design == nil {
		return index, i18n.New("analysis.no-sobol-samples", "the run has no Sobol samples")
	}
	key := surfaceKey{of.Subject, of.Load, false}
	if apart := (surfaceKey{of.Subject, of.Load, true}); e.surfaces[apart] != nil && !study.SlicesTell(of.Metric) {
		key = apart
	}
	found := sensitivityOf(e.design, e.surfaces[key], key, of.Metric, e.seed, of.Level)
	if len(found) == 0 {
		return index, i18n.New("analysis.not-measured-at-samples", "it was measured at no sample")
	}
	if found[0].noiseUnknown {
		return index, found[0].Missing
	}
	factor := found[0].Factors[slices.Index(e.design.Factors, of.Factor)]
	if of.Total {
		return factor.Total, missing
	}
	return factor.First, missing
}
