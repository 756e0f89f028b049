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
	starts, rounds, half, shift, n, used := 0.0, 0.0, 0.0, 0.0, 0, 0
	var explains []float64
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
		half += math.Log(halfOf(with.Ratio))
		explains = append(explains, with.Covariate.Explains)
		shift = max(shift, math.Abs(with.Ratio.Estimate/without.Ratio.Estimate-1))
	}
	if n == 0 {
		return fmt.Errorf("-what covariate: too few blocks for intervals")
	}
	r.add(Result{
		What: "covariate", Series: run.Manifest.ID, Figure: "all subjects against the first, on average", Blocks: n, Effect: math.Exp(starts / float64(n)),
		Note: fmt.Sprintf("±%.2f %% with it; of rounds alone %.3f; used in %d of %d; it explains %.0f to %.0f %% of what rounds differ by; no ratio is another by more than %.2f %%",
			100*math.Exp(half/float64(n)), math.Exp(rounds/float64(n)), used, n, 100*slices.Min(explains), 100*slices.Max(explains), 100*shift),
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
