package main

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/stats"
)

// covariate says of a run in slices what the speed of the machine beside each slice does for the
// intervals of each subject against the first: their half widths with it as a multiple of those
// without, over starts and over rounds.
func (o *options) covariate(r *Record, run *archive.Run) error {
	trials := slicedTrials(run)
	cells := slices.Sorted(maps.Keys(trials))
	if len(cells) < 2 {
		return fmt.Errorf("-what covariate is about runs in slices of at least two subjects")
	}
	starts, rounds, n, used := 0.0, 0.0, 0, 0
	for _, cell := range cells[1:] {
		pair := pairOf(trials, cells[0], cell)
		with, without := stats.SlicedRatio(pair, level), stats.SlicedRatio(blind(pair), level)
		if with.Ratio.Level == 0 || without.Ratio.Level == 0 {
			continue
		}
		if n++; with.Covariate.Used {
			used++
		}
		starts += math.Log(halfOf(with.Ratio) / halfOf(without.Ratio))
		rounds += math.Log(halfOf(with.Rounds) / halfOf(without.Rounds))
		r.add(Result{
			What: "covariate", Series: run.Manifest.ID, Figure: fmt.Sprintf("%s against %s", run.Manifest.Plan.Cells[cell].Subject, run.Manifest.Plan.Cells[cells[0]].Subject), Blocks: len(pair), Effect: halfOf(with.Ratio) / halfOf(without.Ratio),
			Note: fmt.Sprintf("±%.2f %% instead of ±%.2f %%; it explains %.0f %% of what rounds differ by, used: %v; the ratio is %+.2f %% higher", 100*halfOf(with.Ratio), 100*halfOf(without.Ratio), 100*with.Covariate.Explains, with.Covariate.Used, 100*(with.Ratio.Estimate/without.Ratio.Estimate-1)),
		})
	}
	if n == 0 {
		return fmt.Errorf("-what covariate: too few blocks for intervals")
	}
	r.add(Result{
		What: "covariate", Series: run.Manifest.ID, Figure: "all, on average", Blocks: n, Effect: math.Exp(starts / float64(n)),
		Note: fmt.Sprintf("of rounds alone %.3f; used in %d of %d", math.Exp(rounds/float64(n)), used, n),
	})
	return nil
}

// halfOf is half the width of an interval on the log scale.
func halfOf(i stats.Interval) float64 { return math.Log(i.High/i.Low) / 2 }

// blind are the same starts without the machine's speed.
func blind(starts []stats.Start) (list []stats.Start) {
	for _, s := range starts {
		s = stats.Start{A: slices.Clone(s.A), B: slices.Clone(s.B)}
		for i := range s.A {
			s.A[i].Speed, s.B[i].Speed = 0, 0
		}
		list = append(list, s)
	}
	return list
}
