package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/stats/statstest"
)

// compared are the metrics that are compared, each with the change that a study
// of ten minutes is to find.
var compared = []struct {
	metric string
	target float64
}{{"throughput", 1 / 1.05}, {"cpu", 1.03}, {"response.p50", 1.10}, {"response.p99", 1.10}}

// runLength is how many neighbouring pairs are drawn together, so that what
// lasts for minutes lasts in what is drawn as well.
const runLength = 5

// archived draws studies from the trials of runs, or counts what became of them.
func (o *options) archived(r *Record) error {
	store, err := archive.DefaultStore()
	if err != nil {
		return err
	}
	counted := newLive()
	var analyses []*analysis.Analysis
	for _, ref := range o.from {
		run, err := store.Open(ref)
		if err != nil {
			return err
		}
		a, err := analysis.Analyse(run)
		if err != nil {
			return err
		}
		r.Machines = append(r.Machines, a.Run.Machine)
		r.Runs = append(r.Runs, a.Run.ID)
		counted.add(run, a)
		analyses = append(analyses, a)
		for _, one := range []struct {
			what string
			add  func() error
		}{
			{"slices", func() error { return o.slicedRun(r, run) }},
			{"covariate", func() error { return o.covariate(r, run) }},
			{"settling", func() error { return o.settling(r, a) }},
			{"states", func() error { return o.states(r, a) }},
		} {
			if !o.wants(one.what) {
				continue
			}
			if err := one.add(); err != nil {
				return fmt.Errorf("run %s: %w", a.Run.ID, err)
			}
		}
		if err := o.draw(r, a); err != nil {
			return fmt.Errorf("run %s: %w", a.Run.ID, err)
		}
	}
	if o.wants("live") {
		counted.results(r)
	}
	if o.wants("bias") {
		return o.bias(r, analyses)
	}
	return nil
}

// draw draws studies from the trials of a run.
func (o *options) draw(r *Record, a *analysis.Analysis) error {
	if !o.wants("aa") && !o.wants("power") {
		return nil
	}
	for i := range a.Groups {
		for _, blocks := range o.blocks {
			for _, rule := range o.rules(blocks) {
				o.progress("%s, %s, %s, %d blocks", a.Run.ID, a.Groups[i].Title, rule.name, blocks)
				if err := o.group(r, &a.Groups[i], a.Run.Reference, rule); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// group compares what was asked for: the trials of each cell with each other, or
// those of each cell with the reference's.
func (o *options) group(r *Record, g *analysis.Group, reference string, rule rule) error {
	for _, c := range compared {
		for i := range g.Cells {
			cell := &g.Cells[i]
			if o.wants("aa") {
				if err := o.recordedAA(r, cell, c.metric, rule); err != nil {
					return err
				}
			}
			if at := slices.IndexFunc(g.Cells, func(c analysis.Cell) bool { return c.Subject == reference }); o.wants("power") && at >= 0 && at != i {
				o.recordedPower(r, cell, &g.Cells[at], c.metric, c.target, rule)
			}
		}
	}
	return nil
}

// recordedAA compares neighbouring trials of one subject, in random order, as if
// they were two.
func (o *options) recordedAA(r *Record, cell *analysis.Cell, metric string, rule rule) error {
	values := cell.Values[metric]
	if len(values) < 2*runLength {
		return fmt.Errorf("%s: %d trials with %s, need at least %d", cell.Subject, len(values), metric, 2*runLength)
	}
	random := rand.New(rand.NewPCG(o.seed, 0x6161))
	var s statstest.Studies
	for range o.studies {
		a, b := drawNeighbours(values, rule.looks.Last, random)
		s.Add(a, b, rule.of, rule.looks, 1)
	}
	r.add(Result{
		What: "aa", Series: fmt.Sprintf("%d trials of %s", len(values), cell.Subject), Figure: metric, Rule: rule.name,
		Blocks: rule.looks.Last, Effect: 1, Wanted: "≤ 5 %", Happened: s.Different, MeanBlocks: s.Blocks,
	})
	return nil
}

// drawNeighbours draws pairs of neighbours, some consecutive ones at a time.
func drawNeighbours(values []float64, pairs int, random *rand.Rand) (a, b []float64) {
	for len(a) < pairs {
		start := random.IntN(len(values) - 2*runLength + 1)
		for i := start; i < start+2*runLength && len(a) < pairs; i += 2 {
			x, y := values[i], values[i+1]
			if random.IntN(2) == 0 {
				x, y = y, x
			}
			a, b = append(a, x), append(b, y)
		}
	}
	return a, b
}

// recordedPower compares a slowed subject with the one it was made from: as it
// was recorded, and with the difference brought to the target, which is all that
// is changed.
func (o *options) recordedPower(r *Record, slowed, reference *analysis.Cell, metric string, target float64, rule rule) {
	a, b := sameBlocks(slowed, reference, metric)
	if len(a) < runLength {
		o.progress("%s: %d blocks with %s, need at least %d", slowed.Subject, len(a), metric, runLength)
		return
	}
	measured := stats.Ratio(a, b, level)
	for _, effect := range []float64{measured.Estimate, target} {
		random := rand.New(rand.NewPCG(o.seed, 0x706f77))
		var s statstest.Studies
		for range o.studies {
			x, y := drawBlocks(a, b, rule.looks.Last, random)
			for i := range x {
				x[i] *= effect / measured.Estimate
			}
			s.Add(x, y, rule.of, rule.looks, effect)
		}
		result := Result{
			What: "power", Series: fmt.Sprintf("%d blocks of %s", len(a), slowed.Subject), Figure: metric, Rule: rule.name,
			Blocks: rule.looks.Last, Effect: effect, Happened: s.Different, MeanBlocks: s.Blocks,
			Note: fmt.Sprintf("measured: %.4f (%.4f–%.4f)", measured.Estimate, measured.Low, measured.High),
		}
		if effect == target {
			result.Wanted = "≥ 90 %"
		}
		r.add(result)
	}
}

// sameBlocks pairs the values of two cells whose trials were measured in the
// same blocks.
func sameBlocks(x, y *analysis.Cell, metric string) (a, b []float64) {
	values, others := x.ByBlock(metric), y.ByBlock(metric)
	for _, block := range slices.Sorted(maps.Keys(values)) {
		if value, other := values[block], others[block]; value > 0 && other > 0 {
			a, b = append(a, value), append(b, other)
		}
	}
	return a, b
}

// drawBlocks draws pairs with replacement, some consecutive ones at a time.
func drawBlocks(a, b []float64, pairs int, random *rand.Rand) (x, y []float64) {
	for len(x) < pairs {
		start := random.IntN(len(a) - runLength + 1)
		for i := start; i < start+runLength && len(x) < pairs; i++ {
			x, y = append(x, a[i]), append(y, b[i])
		}
	}
	return x, y
}
