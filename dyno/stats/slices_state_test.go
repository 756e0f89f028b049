package stats_test

import (
	"math"
	"testing"

	"dyno.example/dyno/stats"
	"dyno.example/dyno/stats/statstest"
)

// following draws a study of arms that follow the machine by so much, and the costs of their starts.
func following(d *statstest.Slices, seed uint64) (f *stats.Following, costs [][]float64) {
	turns := d.Draw(statstest.Seeded(seed))
	costs = make([][]float64, len(d.Arms))
	for _, start := range turns {
		for arm, list := range start {
			spent, requests := 0.0, 0.0
			for _, t := range list {
				spent, requests = spent+t.Spent, requests+t.Requests
			}
			costs[arm] = append(costs[arm], spent/requests)
		}
	}
	return stats.FollowingOf(turns), costs
}

// Slopes are those that were put in, on average, also where one arm is far noisier than the others.
func TestFollowingHolds(t *testing.T) {
	const studies = 100
	for _, name := range []string{"two speeds", "restless", "all of it"} {
		for _, follows := range [][]float64{{1, 1, 1}, {1.3, 0.7, 1}, {1.3, 1.3, 0.6, 0.8, 1}} {
			d := statstest.Slices{Host: hostNamed(t, name), Arms: statstest.Alike(len(follows)), Starts: 8, Rounds: 57, Slice: 0.04}
			mean := 0.0
			for i := range d.Arms {
				d.Arms[i].Follows = follows[i]
				mean += follows[i] / float64(len(follows))
			}
			d.Arms[1].Noise = 0.2
			came := make([]float64, len(follows))
			for seed := range uint64(studies) {
				f, _ := following(&d, seed+1)
				slopes, deviation := f.Slopes()
				if len(slopes) != len(came) || !(deviation > 0) {
					t.Fatalf("%s, %v: %v, %v", name, follows, slopes, deviation)
				}
				for i := range slopes {
					came[i] += slopes[i] / studies
				}
			}
			for i := range came {
				if want := follows[i] / mean; math.Abs(came[i]-want) > 0.04 {
					t.Errorf("%s, %v: %.3f of arm %d on average, not %.3f", name, follows, came[i], i, want)
				}
			}
		}
	}
}

// Where all follow the machine alike it is said of one study in a hundred that they don't, also if one is noisier than
// the others and one collects. Where they don't it is seen.
func TestFollowingBetween(t *testing.T) {
	const studies, most = 300, 9
	said := func(d *statstest.Slices, studies uint64) (r statstest.Rate) {
		for seed := range studies {
			f, costs := following(d, seed+1)
			b := f.Between(costs)
			r.Add(b.Starts == d.Starts && b.Holds > 0.5 && b.P <= 0.01)
		}
		return r
	}
	for _, host := range append(statstest.Hosts(), statstest.Moody(0.08)) {
		d := statstest.Slices{Host: host, Arms: statstest.Alike(5), Starts: 6, Rounds: 57, Slice: 0.04}
		d.Arms[1].Noise, d.Arms[2].Collects, d.Arms[2].By = 0.2, 5, 0.3
		if r := said(&d, studies); r.Count > most {
			t.Errorf("%s: %s", host.Name, r)
		}
	}
	d := statstest.Slices{Host: statstest.Moody(0.08), Arms: statstest.Alike(5), Starts: 8, Rounds: 57, Slice: 0.04}
	d.Arms[0].Follows, d.Arms[1].Follows = 1.3, 0.7
	if r := said(&d, 100); r.Count < 70 {
		t.Errorf("of arms that follow the machine otherwise it is said in %s", r)
	}
}

// Where ratios differ from start to start as they follow the machine otherwise, the interval at one of its states is
// narrower, and the ratio the same. Where they don't it is as it was.
func TestAtOneState(t *testing.T) {
	const studies, level = 100, 0.95
	for _, c := range []struct {
		follows     []float64
		least, most float64 // of the widths' quotient
	}{
		{[]float64{1.3, 0.7, 1, 1, 1}, 0, 0.7},
		{[]float64{1, 1, 1, 1, 1}, 0.95, 1.05},
	} {
		d := statstest.Slices{Host: statstest.Moody(0.08), Arms: statstest.Alike(len(c.follows)), Starts: 8, Rounds: 57, Slice: 0.04}
		for i := range d.Arms {
			d.Arms[i].Follows = c.follows[i]
		}
		one, usual := 0.0, 0.0
		for seed := range uint64(studies) {
			f, costs := following(&d, seed+1)
			at, as := f.AtOneState(costs, 1, 0, level), stats.Ratio(costs[1], costs[0], level)
			if at.Level != level || math.Abs(at.Estimate/as.Estimate-1) > 1e-9 {
				t.Fatalf("%v: %+v at one state, %+v over all", c.follows, at, as)
			}
			one, usual = one+math.Log(at.High/at.Low), usual+math.Log(as.High/as.Low)
		}
		if q := one / usual; q < c.least || q > c.most {
			t.Errorf("%v: %.2f times as wide at one state", c.follows, q)
		}
	}
}

// The interval at one state holds the ratio that the arms have in the mean of the states that were met, with as few starts as
// are usual, and where the last arm is missing in some of them. Truth: states are 0.15 apart in rounds and 0.1 in starts.
func TestAtOneStateHolds(t *testing.T) {
	const studies, level, rounds = 400, 0.95, 57
	follows := []float64{1.3, 0.7, 1, 1.1}
	for _, starts := range []int{4, 8} {
		held, one, all := statstest.Rate{}, 0.0, 0.0
		for seed := range uint64(studies) {
			r := statstest.Seeded(seed + 1)
			turns, costs, met := make([][][]stats.Turn, starts), make([][]float64, len(follows)), 0.0
			for s := range turns {
				turns[s] = make([][]stats.Turn, len(follows))
				states, of := make([]float64, rounds), 0.1*r.NormFloat64()
				for n := range states {
					states[n] = of + 0.15*r.NormFloat64()
					met += states[n] / float64(rounds*starts)
				}
				for arm, by := range follows {
					plateau, cost := 0.01*r.NormFloat64(), 0.0
					for _, state := range states {
						l := plateau + by*state + 0.05*r.NormFloat64()
						turns[s][arm] = append(turns[s][arm], stats.Turn{Spent: math.Exp(l), Requests: 1})
						cost += l / rounds
					}
					costs[arm] = append(costs[arm], math.Exp(cost))
				}
			}
			costs[3][0] = math.NaN()
			truth := math.Exp((follows[1] - follows[0]) * met)
			got := stats.FollowingOf(turns).AtOneState(costs, 1, 0, level)
			usual := stats.Ratio(costs[1], costs[0], level)
			one, all = one+math.Log(got.High/got.Low), all+math.Log(usual.High/usual.Low)
			held.Add(got.Contains(truth))
		}
		if held.Share() < level-0.025 {
			t.Errorf("%d starts: %s hold the truth, %.2f", starts, held, one/all)
		}
		if one > 0.5*all {
			t.Errorf("%d starts: %.2f times as wide at one state", starts, one/all)
		}
	}
}

// Of two arms, of a machine that is steady and of arms without turns nothing is said.
func TestFollowingNothing(t *testing.T) {
	two := statstest.Slices{Host: hostNamed(t, "restless"), Arms: statstest.Alike(2), Starts: 4, Rounds: 30, Slice: 0.05}
	f, costs := following(&two, 1)
	for _, f := range []*stats.Following{f, stats.FollowingOf(nil), stats.FollowingOf([][][]stats.Turn{{nil, nil, nil}})} {
		if b := f.Between(costs); b != (stats.Between{}) {
			t.Errorf("%+v", b)
		}
		if iv := f.AtOneState(costs, 1, 0, 0.95); iv.Level != 0 {
			t.Errorf("%+v", iv)
		}
	}
}
