package main

import (
	"fmt"
	"math"

	"dyno.example/dyno/regression"
	"dyno.example/dyno/regression/threshold"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/stats/statstest"
)

// gatePlan is how dyno gate decides about a single threshold.
func gatePlan(asked float64) *stats.TwoStage {
	s := regression.NewStages(0)
	return stats.NewTwoStage(asked, s.Alarms, s.Misses, s.Most)
}

// roundsFor is how many rounds a pair has.
func roundsFor(plan *stats.TwoStage) int {
	return regression.PairRounds([]threshold.Threshold{{Metric: "cpu", Change: plan.Asked - 1}})
}

// loadOf is how long the load of a pair goes on, in seconds.
func loadOf(rounds int) float64 { return float64(2*rounds) * (sliceLong + sliceGap) }

// pairs simulates gates in pairs, which are as long as a threshold takes.
func (o *options) pairs(r *Record) error {
	hosts, err := o.hosts(r)
	if err != nil {
		return err
	}
	for _, asked := range []float64{1.03, 1.10} {
		plan := gatePlan(asked)
		for _, host := range hosts {
			o.progress("%s, gates at %.0f %%", host.Name, 100*(asked-1))
			o.pairGates(r, host, plan)
		}
	}
	return nil
}

// pairGates counts what gates find.
func (o *options) pairGates(r *Record, host statstest.Host, plan *stats.TwoStage) {
	rounds := roundsFor(plan)
	d := statstest.Slices{Host: host, Arms: statstest.Alike(2), Starts: 1, Rounds: rounds, Slice: sliceLong, Gap: sliceGap}
	for _, truth := range []float64{1, plan.Asked} {
		random := statstest.Seeded(o.seed)
		sum, squares, n := 0.0, 0.0, 0.0
		got := statstest.TwoStagesOf(plan, o.studies, func() float64 {
			x := stats.SlicedRatio(statstest.AgainstFirst(d.Draw(random))[0], level).PerStart[0]
			sum, squares, n = sum+x, squares+x*x, n+1
			return x + math.Log(truth)
		})
		note := fmt.Sprintf("clear: %s; a pair's deviation is %.2f %%", got.Clear, 100*math.Sqrt(squares/n-sum*sum/n/n))
		note += fmt.Sprintf("; %.1f s of load on average", got.Pairs*loadOf(rounds))
		wanted := "≤ 1 %"
		if truth > 1 {
			wanted = "≥ 95 %"
		}
		r.add(Result{What: "pairs", Series: host.Name, Figure: fmt.Sprintf("alarms, %.0f %% asked about", 100*(plan.Asked-1)), Blocks: plan.Most, Effect: truth, Happened: got.Alarms, Wanted: wanted, MeanBlocks: got.Pairs, Note: note})
	}
}
