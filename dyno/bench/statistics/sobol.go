package main

import (
	"fmt"

	"dyno.example/dyno/stats/statstest"
)

// sobol simulates studies of a function with known indices.
func (o *options) sobol(r *Record) {
	for _, f := range statstest.Responses() {
		for _, noise := range []float64{0, 0.25, 0.5} {
			for _, groups := range []int{8, 16, 32, 64, 128} {
				for _, known := range []bool{true, false} {
					if !known && noise == 0 {
						continue
					}
					o.progress("%s, noise %v, %d groups", f.Name, noise, groups)
					first, total, firstBias, totalBias := statstest.SobolIntervals(f, groups, noise, known, o.quantiles, o.seed)
					series := fmt.Sprintf("%s, noise of %.2f deviations", f.Name, noise)
					if noise > 0 && !known {
						series += ", not subtracted"
					}
					add := func(figure string, rate statstest.Rate, bias float64) {
						r.add(Result{What: "sobol", Series: series, Figure: figure, Blocks: groups, Happened: rate, Note: fmt.Sprintf("estimates off by %+.3f on average", bias)})
					}
					add("first order", first, firstBias)
					add("total", total, totalBias)
				}
			}
		}
	}
}
