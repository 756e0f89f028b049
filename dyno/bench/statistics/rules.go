package main

import (
	"dyno.example/dyno/stats"
	"dyno.example/dyno/stats/statstest"
)

// level is the lab's.
const level = 0.95

// rule is a way to decide when a study ends.
type rule struct {
	name  string
	looks statstest.Looks
	of    statstest.Rule
}

// rules are the ways to conduct a study of so many blocks: without looks, with
// those of a plan that spends its error, and with an interval that is valid at
// any time.
func (o *options) rules(blocks int) []rule {
	first := min(o.first, blocks)
	once := func(a, b []float64) stats.Interval { return stats.Ratio(a, b, level) }
	anytime := func(a, b []float64) stats.Interval { return stats.RatioAnytime(a, b, level) }
	return []rule{
		{"one look", statstest.Looks{First: blocks, Last: blocks}, once},
		{"spending", statstest.Looks{First: first, Last: blocks}, stats.NewSpending(first, blocks, level).Ratio},
		{"anytime", statstest.Looks{First: first, Last: blocks}, anytime},
	}
}
