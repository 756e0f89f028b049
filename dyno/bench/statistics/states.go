package main

import (
	"fmt"
	"math"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/stats"
)

// states is how the subjects of a run followed the machine's states, whether that held between starts, and how wide
// the intervals of their ratios are over all states and at one of them.
func (o *options) states(r *Record, a *analysis.Analysis) error {
	said := 0
	for i := range a.Groups {
		g := &a.Groups[i]
		if g.Slices == nil || g.Slices.States == nil {
			continue
		}
		s := g.Slices.States
		series := fmt.Sprintf("%s, %s: states deviate by %.1f %% between rounds; %.2f of it holds between %d starts, p = %.2g", a.Run.ID, g.Title, 100*s.Deviation, s.Between.Holds, s.Between.Starts, s.Between.P)
		reference := false
		for k := range g.Cells {
			c := &g.Cells[k]
			f := c.Following
			if f == nil {
				continue
			}
			if !reference {
				r.add(Result{What: "states", Series: series, Figure: a.Run.Reference, Blocks: s.Between.Starts, Effect: f.Reference})
				reference = true
			}
			said++
			r.add(Result{What: "states", Series: series, Figure: c.Subject, Blocks: c.Ratios["cpu"].N, Effect: f.Slope, Note: fmt.Sprintf("its ratio %s over all, %s at one state", withHalf(c.Ratios["cpu"]), withHalf(f.AtOneState))})
		}
	}
	if said == 0 {
		return fmt.Errorf("no subject took turns with two others in slices of a machine that has states")
	}
	return nil
}

// withHalf is a ratio with the half width of its interval.
func withHalf(iv stats.Interval) string {
	if iv.Level == 0 {
		return fmt.Sprintf("%.4g", iv.Estimate)
	}
	return fmt.Sprintf("%.4g ±%.2f %%", iv.Estimate, 50*math.Log(iv.High/iv.Low))
}
