package main

import (
	"fmt"
	"math"

	"dyno.example/dyno/stats/statstest"
)

// shapes simulates comparisons of subjects whose trials are shaped by the machine, the
// clock or the choice of trials, with the few blocks that studies often have.
func (o *options) shapes(r *Record) {
	for _, shape := range statstest.Shapes() {
		for _, blocks := range o.blocks {
			o.progress("%s, %d blocks", shape.Name, blocks)
			c, different := shape.Coverage(blocks, o.studies, level, o.seed)
			add := func(figure, wanted string, rate statstest.Rate) {
				r.add(Result{What: "shapes", Series: shape.Name, Figure: figure, Blocks: blocks, Happened: rate, Wanted: wanted})
			}
			add("t interval holds the truth", "93–97 %", c.Covered)
			add("interval by ranks holds it", "", c.ByRank)
			add("the lab warns", "", c.Warned)
			add("t interval misses without a warning", "", c.Silent)
			add("the same, called different", "≤ 5 %", different)
		}
	}
}

// gates simulates gates against a git ref with such trials, against a version a few of
// whose starts are slow, and against baselines whose days are like their neighbours.
func (o *options) gates(r *Record) {
	const blocks = 10
	add := func(series, figure string, size int, worse float64, rate statstest.Rate, wanted string) {
		r.add(Result{What: "gates", Series: series, Figure: figure, Blocks: size, Effect: worse, Happened: rate, Wanted: wanted})
	}
	for _, shape := range statstest.Shapes() {
		o.progress("gate against a ref, %s", shape.Name)
		alarms, _ := shape.Against(blocks, gateThreshold, 1, o.studies, o.seed)
		add(shape.Name, "against a ref: alarms about nothing", blocks, 1, alarms, "≤ 0.06 %")
		_, well := shape.Against(blocks, gateThreshold, 1+gateThreshold, o.studies, o.seed)
		add(shape.Name, "against a ref: ok though worse by the threshold", blocks, 1+gateThreshold, well, "≤ 2.5 %")
	}
	for _, rare := range []struct{ share, times float64 }{{0.1, 2.5}, {0.25, 1.22}, {0.25, 2}} {
		for _, blocks := range []int{6, 10, 20} {
			name := fmt.Sprintf("%.0f %% of the new starts cost %.2f times as much", 100*rare.share, rare.times)
			alarms, well := statstest.Rare(name, rare.share, rare.times).Against(blocks, gateThreshold, 1, o.studies, o.seed)
			worse := math.Pow(rare.times, rare.share)
			add(name, "against a ref: alarms", blocks, worse, alarms, "")
			add(name, "against a ref: ok", blocks, worse, well, "≤ 2.5 %")
		}
	}
	for _, rho := range []float64{0.3, 0.6, 0.9} {
		for _, gap := range []int{1, 5, 30} {
			for _, days := range []int{2, 3, 5, 8} {
				o.progress("baseline of %d days alike by %v, judged %d days later", days, rho, gap)
				m := statstest.Machine{Day: 0.05, Restart: gateNoise, Restarts: gateRestarts, Rho: rho, Gap: gap}
				add(fmt.Sprintf("days differ by 5 %%, neighbours alike by %.1f", rho), fmt.Sprintf("baseline, %d days later: alarms about nothing", gap), days, 1,
					statstest.Gates(m, days, gateThreshold, 1, level, o.studies, o.seed), "≤ 5 %")
			}
		}
	}
}

// calendars simulates series of nightly runs that are no autoregressions.
func (o *options) calendars(r *Record) {
	for _, c := range statstest.Calendars() {
		o.progress("%s", c.Name)
		add := func(figure string, nights int, step float64, rate statstest.Rate, wanted string) {
			r.add(Result{What: "calendars", Series: c.Name, Figure: figure, Blocks: nights, Effect: step, Happened: rate, Wanted: wanted})
		}
		for _, nights := range []int{12, 30, 60} {
			add("one look, nothing changed", nights, 1, c.Found(nights, 1, 0, historyP, o.studies, o.seed), "1 %")
		}
		looks, ever := c.Nightly(8, 60, historyP, max(o.studies/10, 1), o.seed)
		add("looks of nights 8 to 60, nothing changed", 60, 1, looks, "")
		add("any of these looks", 60, 1, ever, "")
		add("a step five nights ago", 30, historyStep, c.Found(30, historyStep, 5, historyP, max(o.studies/2, 1), o.seed), "")
	}
}

// levels simulates Sobol designs over inputs with a few levels.
func (o *options) levels(r *Record) {
	for _, f := range statstest.Responses() {
		for _, levels := range []int{2, 3, 5} {
			grid := statstest.NewGrid(f, levels)
			if !(grid.Variance > 1e-9) {
				continue // the function is the same at all of these
			}
			for _, noise := range []float64{0, 0.25, 0.5} {
				for _, groups := range []int{8, 16, 32, 64, 128} {
					o.progress("%s at %d levels, noise %v, %d groups", f.Name, levels, noise, groups)
					first, total, firstBias, totalBias := grid.Intervals(groups, noise, o.quantiles, o.seed)
					add := func(figure string, rate statstest.Rate, bias float64) {
						r.add(Result{What: "levels", Series: fmt.Sprintf("%s at %d levels, noise of %.2f deviations", f.Name, levels, noise), Figure: figure, Blocks: groups, Happened: rate, Note: fmt.Sprintf("estimates off by %+.3f on average", bias)})
					}
					add("first order", first, firstBias)
					add("total", total, totalBias)
				}
			}
		}
	}
}
