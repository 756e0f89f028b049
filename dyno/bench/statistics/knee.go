package main

import (
	"fmt"

	"dyno.example/dyno/stats/statstest"
)

// knees simulates sweeps over the connections.
func (o *options) knees(r *Record) {
	levels := statstest.KneeLevels()
	for _, curve := range statstest.Curves() {
		for _, noise := range []float64{0.02, 0.05, 0.1} {
			for _, blocks := range []int{2, 4, 6, 12} {
				o.progress("%s, noise %v, %d blocks", curve.Name, noise, blocks)
				k := statstest.SimulateKnees(curve, blocks, noise, o.quantiles, o.seed)
				r.add(Result{
					What: "knee", Series: curve.Name, Figure: fmt.Sprintf("noise %.0f %%: interval holds the knee", 100*noise), Blocks: blocks,
					Happened: k.Covered, Wanted: "≥ 95 %",
					Note: fmt.Sprintf("truth %.0f, mean estimate %.0f; of single blocks %.0f", curve.Knee(levels, 0.95), k.Mean, k.ByBlock),
				})
			}
		}
	}
}
