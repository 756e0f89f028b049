package main

import (
	"fmt"

	"dyno/lab/stats/statstest"
)

// Of dyno history: the default of --p, and what a night differs by.
const (
	historyP    = 0.01
	nightNoise  = 0.03
	historyStep = 1.10
)

// history simulates series of nightly runs.
func (o *options) history(r *Record) {
	rhos := []float64{0, 0.3, 0.6}
	for _, rho := range rhos {
		s := statstest.Nights{Rho: rho, Noise: nightNoise}
		series := fmt.Sprintf("nights alike by %.1f", rho)
		o.progress("%s", series)
		for _, nights := range []int{12, 30, 60} {
			r.add(Result{What: "history", Series: series, Figure: "one look, nothing changed", Blocks: nights, Effect: 1,
				Happened: s.Found(nights, 1, 0, historyP, o.studies, o.seed), Wanted: "1 %"})
		}
		looks, ever := s.Nightly(8, 60, historyP, max(o.studies/10, 1), o.seed)
		r.add(Result{What: "history", Series: series, Figure: "looks of nights 8 to 60, nothing changed", Blocks: 60, Effect: 1, Happened: looks})
		r.add(Result{What: "history", Series: series, Figure: "any of these looks", Blocks: 60, Effect: 1, Happened: ever})
		for _, last := range []int{2, 3, 5} {
			r.add(Result{What: "history", Series: series, Figure: fmt.Sprintf("noise 3 %%, a step %d nights ago", last), Blocks: 30, Effect: historyStep,
				Happened: s.Found(30, historyStep, last, historyP, max(o.studies/2, 1), o.seed)})
		}
		for _, changed := range []int{0, 4} {
			share, any, missed := s.Discoveries(30, 20, changed, historyStep, historyP, max(o.studies/20, 1), o.seed)
			note := fmt.Sprintf("%.2f %% of what is said to change is false", 100*share)
			if changed > 0 {
				note += fmt.Sprintf("; missed %s", missed)
			}
			r.add(Result{What: "history", Series: series, Figure: fmt.Sprintf("20 series of which %d changed five nights ago: any false one", changed), Blocks: 30, Happened: any, Note: note})
		}
	}
}
