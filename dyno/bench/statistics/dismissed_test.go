package main

import (
	"testing"
	"time"

	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/profile"
)

// A doubt that turned a verdict is not dismissed, whatever made it and wherever it was; of those
// that turned none many are. Truth: the same studies without what is injected.
func TestDoubtsAreDismissedRightly(t *testing.T) {
	for name, c := range map[string]struct {
		mode profile.Mode
		d    analysistest.Disturbance
	}{
		"steal from both":           {profile.Closed, analysistest.Disturbance{Name: finding.Steal, Of: [2]float64{0.5, 0.5}, Share: 0.1, Most: 4, Stolen: 0.7, Bunched: 1}},
		"steal from one":            {profile.Closed, analysistest.Disturbance{Name: finding.Steal, Of: [2]float64{0, 0.9}, Share: 0.1, Most: 4, Stolen: 0.7, Bunched: 1}},
		"stalls in an open loop":    {profile.Open, analysistest.Disturbance{Name: finding.GeneratorStalled, Of: [2]float64{0.5, 0.5}, Share: 0.03, Most: 4, Bunched: 1}},
		"late requests of one":      {profile.Open, analysistest.Disturbance{Name: finding.GeneratorLate, Of: [2]float64{0, 0.9}, Share: 0.03, Most: 4, Bunched: 1}},
		"a coarse timer for one":    {profile.Open, analysistest.Disturbance{Name: finding.LagFloor, Of: [2]float64{0, 0.9}, Coarse: 400 * time.Microsecond, Bunched: 1}},
		"bunches of both":           {profile.Open, analysistest.Disturbance{Name: finding.ArrivalsOff, Of: [2]float64{0.5, 0.5}, Share: 0.03, Most: 4, Bunched: 1}},
		"lost in a closed loop":     {profile.Closed, analysistest.Disturbance{Name: finding.Retransmits, Of: [2]float64{0.5, 0.5}, Lost: 0.01, Bunched: 1}},
		"lost under a rate":         {profile.Open, analysistest.Disturbance{Name: finding.Retransmits, Of: [2]float64{0, 0.9}, Lost: 0.01, Bunched: 1}},
		"other programs":            {profile.Closed, analysistest.Disturbance{Name: finding.OtherLoad, Of: [2]float64{0, 0.9}, Share: 0.1, Most: 4, Stolen: 0.7, Bunched: 1}},
		"the lab's collections":     {profile.Closed, analysistest.Disturbance{Name: finding.GeneratorGC, Of: [2]float64{0.5, 0.5}, Share: 0.03, Most: 4, Bunched: 1}},
		"starts on two levels":      {profile.Closed, analysistest.Disturbance{Name: finding.RestartPlateau, Of: [2]float64{0, 0.5}, Apart: 0.2}},
		"another speed, in one arm": {profile.Closed, analysistest.Disturbance{Name: finding.CPUSpeed, Of: [2]float64{0, 0.9}, Slower: 0.4}},
	} {
		n, err := countDismissed(c.mode, c.d, 6, 1)
		if err != nil {
			t.Fatal(err)
		}
		if n.wrongly.Of == 0 || n.rightly.Of == 0 {
			t.Errorf("%s: nothing was tried: %+v", name, n)
		}
		if n.wrongly.Count > 0 {
			t.Errorf("%s: %d of %d doubts that turned a verdict were dismissed", name, n.wrongly.Count, n.wrongly.Of)
		}
		if n.rightly.Count == 0 {
			t.Errorf("%s: none of %d doubts that turned nothing were dismissed", name, n.rightly.Of)
		}
	}
}
