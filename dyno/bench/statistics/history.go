package main

import (
	"fmt"

	"dyno.example/dyno/stats/statstest"
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
	}
	for _, s := range []statstest.Nights{
		{Rho: 0}, {Rho: 0.3}, {Rho: 0.6}, {Rho: 0, Shared: 0.7}, {Rho: 0.3, Shared: 0.7}, {Rho: 0.6, Shared: 0.7}, {Rho: 0.6, Mixed: true},
	} {
		s.Noise = nightNoise
		o.together(r, s)
	}
}

// together simulates several series of the same nights.
func (o *options) together(r *Record, s statstest.Nights) {
	series := fmt.Sprintf("nights alike by %.1f", s.Rho)
	switch {
	case s.Mixed:
		series += " in half of the series, by 0 in the others"
	case s.Shared > 0:
		series += fmt.Sprintf(", series by %.1f", s.Shared)
	}
	o.progress("%s: 20 series", series)
	for _, c := range []struct{ changed, last int }{{0, 0}, {4, 2}, {4, 5}} {
		share, any, missed := s.Discoveries(30, 20, c.changed, c.last, historyStep, historyP, max(o.studies/20, 1), o.seed)
		figure := "20 series, none changed: any false one"
		note := fmt.Sprintf("%.2f %% of what is said to change is false", 100*share)
		if c.changed > 0 {
			figure = fmt.Sprintf("20 series of which %d changed %d nights ago: any false one", c.changed, c.last)
			note += fmt.Sprintf("; missed %s", missed)
		}
		r.add(Result{What: "history", Series: series, Figure: figure, Blocks: 30, Happened: any, Note: note})
	}
}
