package main

import (
	"fmt"

	"dyno.example/dyno/stats/statstest"
)

// modes simulates cells some of whose starts are slower.
func (o *options) modes(r *Record) {
	for _, kind := range []struct {
		series    string
		share, by float64
	}{{"all starts alike", 0, 0}, {"a quarter slower by 18 %", 0.25, 0.2}, {"a quarter slower by 10 %", 0.25, 0.1}, {"a tenth slower by 60 %", 0.1, 0.916}} {
		for _, starts := range []int{6, 8, 12, 25} {
			plateau, any, missed := statstest.Kinds(starts, kind.share, kind.by, o.studies, o.seed)
			note := fmt.Sprintf("no slow start in %s", missed)
			r.add(Result{What: "modes", Series: kind.series, Figure: "two levels", Blocks: starts, Happened: plateau, Note: note})
			r.add(Result{What: "modes", Series: kind.series, Figure: "two levels, or one start apart", Blocks: starts, Happened: any})
		}
	}
}
