package main

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/stats"
)

// bias compares runs of one study with each other, such as in slices of several lengths and in
// trials: whether the ratio of each subject to the reference is the same in them. Starts
// are the unit, and those of different runs are not paired.
func (o *options) bias(r *Record, runs []*analysis.Analysis) error {
	if len(runs) < 2 {
		return fmt.Errorf("-what bias compares runs of one study with each other: name two or more with -from")
	}
	first := runs[0]
	for _, other := range runs[1:] {
		compared := 0
		for i := range first.Groups {
			for _, metric := range []string{"cpu", "throughput"} {
				compared += o.biasOf(r, first, other, first.Groups[i].Title, metric)
			}
		}
		if compared == 0 {
			return fmt.Errorf("runs %s and %s have no ratio in common", first.Run.ID, other.Run.ID)
		}
	}
	return nil
}

// biasOf compares the ratios of one group and metric, and returns how many there were.
func (o *options) biasOf(r *Record, a, b *analysis.Analysis, group, metric string) (compared int) {
	mean, worst := 0.0, 0.0
	x, y := logRatios(a, group, metric), logRatios(b, group, metric)
	for _, subject := range slices.Sorted(maps.Keys(x)) {
		logs, others := x[subject], y[subject]
		if len(logs) < 2 || len(others) < 2 {
			continue
		}
		d := stats.UnpairedDifference(others, logs, level)
		compared++
		mean += d.Estimate
		worst = math.Max(worst, math.Abs(d.Estimate))
		r.add(Result{
			What: "bias", Series: b.Run.ID + " against " + a.Run.ID, Figure: fmt.Sprintf("%s of %s under %s", metric, subject, group), Blocks: len(others), Effect: math.Exp(d.Estimate),
			Note: fmt.Sprintf("%+.2f %% (95 %%: %+.2f to %+.2f)", 100*math.Expm1(d.Estimate), 100*math.Expm1(d.Low), 100*math.Expm1(d.High)),
		})
	}
	if compared > 0 {
		r.add(Result{
			What: "bias", Series: b.Run.ID + " against " + a.Run.ID, Figure: metric + " under " + group + ", all subjects", Blocks: compared, Effect: math.Exp(mean / float64(compared)),
			Note: fmt.Sprintf("%+.2f %% on average, %.2f %% at most", 100*math.Expm1(mean/float64(compared)), 100*math.Expm1(worst)),
		})
	}
	return compared
}

// logRatios are those of each subject to the reference, by block.
func logRatios(a *analysis.Analysis, group, metric string) map[string][]float64 {
	list := map[string][]float64{}
	for i := range a.Groups {
		g := &a.Groups[i]
		if g.Title != group {
			continue
		}
		var reference map[int]float64
		for k := range g.Cells {
			if g.Cells[k].Subject == a.Run.Reference {
				reference = g.Cells[k].ByBlock(metric)
			}
		}
		for k := range g.Cells {
			c := &g.Cells[k]
			if c.Subject == a.Run.Reference {
				continue
			}
			for block, v := range c.ByBlock(metric) {
				if base := reference[block]; base > 0 && v > 0 {
					list[c.Subject] = append(list[c.Subject], math.Log(v/base))
				}
			}
		}
	}
	return list
}
