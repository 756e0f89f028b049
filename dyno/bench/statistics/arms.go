package main

import (
	"fmt"

	"dyno.example/dyno/stats/statstest"
)

// unequal simulates comparisons of subjects that scatter each in its own way, with a
// fixed number of blocks and with an early end.
func (o *options) unequal(r *Record) {
	for _, arms := range statstest.UnequalArms() {
		for _, blocks := range o.blocks {
			o.progress("%s, %d blocks", arms.Name, blocks)
			c := statstest.UnequalCoverage(arms, blocks, o.studies, level, o.seed)
			add := func(figure, wanted string, rate statstest.Rate) {
				r.add(Result{What: "unequal", Series: arms.Name, Figure: figure, Blocks: blocks, Effect: 1.25, Happened: rate, Wanted: wanted})
			}
			add("t interval holds the truth", "93–97 %", c.Covered)
			add("interval by ranks holds it", "", c.ByRank)
			add("the lab warns", "", c.Warned)
			add("t interval misses without a warning", "", c.Silent)
		}
	}
	for _, arms := range statstest.UnequalArms() {
		for _, blocks := range o.blocks {
			for _, rule := range o.rules(blocks) {
				o.progress("%s, %s, %d blocks", arms.Name, rule.name, blocks)
				different, silent := statstest.UnequalSequential(arms, rule.of, rule.looks, o.studies, o.seed)
				r.add(Result{
					What: "unequal-aa", Series: arms.Name, Figure: "ratio", Rule: rule.name, Blocks: blocks, Effect: 1, Happened: different,
					Wanted: "≤ 5 %", Note: fmt.Sprintf("without a warning %s", silent),
				})
			}
		}
	}
}
