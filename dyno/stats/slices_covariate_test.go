package stats_test

import (
	"math"
	"testing"

	"dyno.example/dyno/stats"
	"dyno.example/dyno/stats/statstest"
)

// Where states change within rounds, what was read of them makes intervals narrower; where
// there is nothing to explain it isn't used.
func TestSpeedHelpsOrIsLeftOut(t *testing.T) {
	restless := statstest.Slices{
		Host: statstest.Host{Name: "restless", New: statstest.Hosts()[1].New},
		Arms: statstest.Alike(2), Starts: 6, Rounds: 25, Slice: 0.4, Probe: 0.01,
	}
	restless.Arms[0].Noise, restless.Arms[1].Noise = 0.03, 0.03
	with := restless.Simulate(200, 0.95, 1)
	restless.Probe = 0
	without := restless.Simulate(200, 0.95, 1)
	if with.Used.Share() < 0.95 || with.Half > 0.85*without.Half || with.Covered.Share() < 0.92 {
		t.Errorf("used in %s, ±%.4f instead of ±%.4f, right in %s", with.Used, with.Half, without.Half, with.Covered)
	}
	if without.Used.Count != 0 {
		t.Errorf("used in %s where it wasn't read", without.Used)
	}

	steady := restless
	steady.Host, steady.Probe = statstest.Hosts()[0], 0.02
	if o := steady.Simulate(200, 0.95, 1); o.Used.Share() > 0.02 {
		t.Errorf("used in %s where the speed is always the same", o.Used)
	}
}

// A subject that makes the machine slower does not get that back.
func TestOwnDoingIsNotTakenBack(t *testing.T) {
	r := statstest.Seeded(1)
	d := statstest.Slices{Host: statstest.Hosts()[1], Arms: statstest.Alike(2), Starts: 6, Rounds: 25, Slice: 0.4, Probe: 0.01}
	honest, heats := d.Draw(r), d.Draw(r)
	for _, start := range heats {
		for i := range start[1] { // it costs a fifth more, as it slows the machine by as much
			start[1][i].Spent *= 1.2
			start[1][i].Speed *= 1.2
		}
	}
	if s := stats.SlicedRatio(statstest.AgainstFirst(honest)[0], 0.95); !s.Covariate.Used || s.Covariate.Explains < 0.1 || !s.Covariate.Why.IsZero() {
		t.Errorf("honest: %+v", s.Covariate)
	}
	s := stats.SlicedRatio(statstest.AgainstFirst(heats)[0], 0.95)
	if s.Covariate.Used || s.Covariate.Why.IsZero() || math.Abs(s.Ratio.Estimate-1.2) > 0.06 {
		t.Errorf("%+v, %+v", s.Ratio, s.Covariate)
	}
}

// Few rounds, or one slice without a reading, say why there is no covariate.
func TestNoSpeedSaysWhy(t *testing.T) {
	turns := func(n int, speed float64) (list []stats.Turn) {
		for i := range n {
			list = append(list, stats.Turn{Spent: 1 + 0.1*float64(i%4), Requests: 1, Speed: speed + 0.1*float64(i%3)})
		}
		return list
	}
	for _, c := range []struct {
		name  string
		start stats.Start
	}{
		{"few", stats.Start{A: turns(5, 1), B: turns(5, 1)}},
		{"one missing", stats.Start{A: turns(40, 1), B: append(turns(39, 1), stats.Turn{Spent: 1, Requests: 1})}},
		{"never differs", stats.Start{A: turns(40, 1), B: turns(40, 1)}},
	} {
		if s := stats.SlicedRatio([]stats.Start{c.start, c.start}, 0.95); s.Covariate.Used || s.Covariate.Why.IsZero() {
			t.Errorf("%s: %+v", c.name, s.Covariate)
		}
	}
}
