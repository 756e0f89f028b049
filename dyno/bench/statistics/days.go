package main

import (
	"fmt"
	"math"

	"dyno.example/dyno/stats"
	"dyno.example/dyno/stats/statstest"
)

// Of the gate: what a run has, what it is allowed, and the level of one check.
const (
	gateRestarts  = 10
	gateNoise     = 0.02
	gateThreshold = 0.05
)

// gateFinds is what the gate says of days that differ so much: its estimate must be
// beyond the threshold, and its interval above 1, in each of two runs.
func gateFinds(day float64, days int) float64 {
	const power, quantile = 0.97, 1.8808
	beyond := (1 + gateThreshold) * math.Exp(quantile*day*math.Sqrt(1+1/float64(days)))
	return max(beyond, stats.DetectableDay(day, days, level, power))
}

// days simulates gates against baselines of one and more days.
func (o *options) days(r *Record) {
	for _, day := range []float64{0, 0.02, 0.03, 0.05} {
		m := statstest.Machine{Day: day, Restart: gateNoise, Restarts: gateRestarts}
		for _, days := range []int{1, 2, 3, 5, 8} {
			o.progress("days that differ by %v, %d of them", day, days)
			add := func(worse float64, wanted, note string) {
				r.add(Result{
					What: "days", Series: fmt.Sprintf("days differ by %.0f %%", 100*day), Figure: "threshold 5 %", Blocks: days, Effect: worse,
					Happened: statstest.Gates(m, days, gateThreshold, worse, level, o.studies, o.seed), Wanted: wanted, Note: note,
				})
			}
			add(1, "≤ 5 %", "nothing changed")
			if days > 1 && day > 0 {
				add(gateFinds(day, days), "≥ 90 %", "a change as large as the gate says that it finds")
			}
		}
	}
}
