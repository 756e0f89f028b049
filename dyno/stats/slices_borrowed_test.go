package stats_test

import (
	"math"
	"testing"

	"dyno.example/dyno/stats"
	"dyno.example/dyno/stats/statstest"
)

// Nine comparisons of subjects that are alike make few starts worth more. Where one of them
// differs more from start to start than the others, its interval holds the truth as often.
func TestBorrowing(t *testing.T) {
	d := statstest.Slices{Host: statstest.Hosts()[1], Arms: statstest.Alike(10), Starts: 4, Rounds: 25, Slice: 0.1}
	r := statstest.Seeded(1)
	var together, alone statstest.Rate
	wide, wideAlone := 0.0, 0.0
	for range 120 {
		list := statstest.AgainstFirst(d.Draw(r))
		for i, s := range stats.SlicedRatios(list, 0.95) {
			single := stats.SlicedRatio(list[i], 0.95)
			together.Add(s.Ratio.Contains(1))
			alone.Add(single.Ratio.Contains(1))
			wide, wideAlone = wide+math.Log(s.Ratio.High/s.Ratio.Low), wideAlone+math.Log(single.Ratio.High/single.Ratio.Low)
		}
	}
	if wide > 0.9*wideAlone || together.Share() < 0.94 {
		t.Errorf("%.2f as wide together as alone; %s hold the truth, alone %s", wide/wideAlone, together, alone)
	}

	d.Arms[9].Plateau = 0.05
	var odd, others statstest.Rate
	for range 400 {
		for i, s := range stats.SlicedRatios(statstest.AgainstFirst(d.Draw(r)), 0.95) {
			if i == 8 {
				odd.Add(s.Ratio.Contains(1))
			} else {
				others.Add(s.Ratio.Contains(1))
			}
		}
	}
	if _, high := odd.Interval(); high < 0.94 || others.Share() < 0.94 {
		t.Errorf("%s of the odd one's, %s of the others'", odd, others)
	}
}

// Three comparisons have nothing to lend, nor has a single start.
func TestFewBorrowNothing(t *testing.T) {
	d := statstest.Slices{Host: statstest.Hosts()[0], Arms: statstest.Alike(4), Starts: 4, Rounds: 10, Slice: 0.1}
	list := statstest.AgainstFirst(d.Draw(statstest.Seeded(1)))
	for i, s := range stats.SlicedRatios(list, 0.95) {
		if alone := stats.SlicedRatio(list[i], 0.95); s.Ratio != alone.Ratio || s.Freedom != 3 {
			t.Errorf("%+v together, %+v alone", s.Ratio, alone.Ratio)
		}
	}
	d.Arms, d.Starts = statstest.Alike(6), 1
	for _, s := range stats.SlicedRatios(statstest.AgainstFirst(d.Draw(statstest.Seeded(1))), 0.95) {
		if s.Ratio.Level != 0 {
			t.Errorf("%+v of one start", s.Ratio)
		}
	}
}
