package main

import (
	"fmt"
	"maps"
	"slices"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/stats"
)

const settling = "cpu.settling"

// settling is what a request cost each subject of a run in the first part of its slices, as a multiple of
// the rest, and how many times the reference's that is: a ratio is right where it is 1.
func (o *options) settling(r *Record, a *analysis.Analysis) error {
	said := 0
	for i := range a.Groups {
		g := &a.Groups[i]
		reference := map[int]float64{}
		for k := range g.Cells {
			if g.Cells[k].Subject == a.Run.Reference {
				reference = g.Cells[k].ByBlock(settling)
			}
		}
		for k := range g.Cells {
			c := &g.Cells[k]
			values := c.ByBlock(settling)
			own, both, base := []float64{}, []float64{}, []float64{}
			for _, block := range slices.Sorted(maps.Keys(values)) {
				own = append(own, values[block])
				if v, ok := reference[block]; ok && c.Subject != a.Run.Reference {
					both, base = append(both, values[block]), append(base, v)
				}
			}
			alone := stats.Ratio(own, slices.Repeat([]float64{1}, len(own)), level)
			if alone.Level == 0 {
				continue
			}
			said++
			note := percentOff(alone)
			if against := stats.Ratio(both, base, level); against.Level > 0 {
				note += ", against " + a.Run.Reference + " " + percentOff(against)
			}
			r.add(Result{What: "settling", Series: fmt.Sprintf("%s: %v of %v after %v", a.Run.ID, g.Slices.First, g.Slices.Length, g.Slices.Settle), Figure: c.Subject + " under " + g.Title, Blocks: len(own), Effect: alone.Estimate, Note: note})
		}
	}
	if said == 0 {
		return fmt.Errorf("no subject has %s in two blocks: its slices have no first part, or there are none", settling)
	}
	return nil
}

// percentOff is how far a ratio is from 1.
func percentOff(iv stats.Interval) string {
	return fmt.Sprintf("%+.2f %% (95 %%: %+.2f to %+.2f)", 100*(iv.Estimate-1), 100*(iv.Low-1), 100*(iv.High-1))
}
