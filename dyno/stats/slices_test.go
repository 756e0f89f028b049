package stats_test

import (
	"math"
	"testing"

	"dyno.example/dyno/stats"
	"dyno.example/dyno/stats/statstest"
)

// turnsOf are turns that cost so much a request each.
func turnsOf(requests float64, costs ...float64) (list []stats.Turn) {
	for _, c := range costs {
		list = append(list, stats.Turn{Spent: c * requests, Requests: requests})
	}
	return list
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// The ratio of a start is that of sums, over the rounds in which both have a turn; that of
// several starts is the geometric mean of theirs, with Student's interval.
func TestSlicedRatio(t *testing.T) {
	one := stats.Start{A: turnsOf(100, 2, 2, 8), B: turnsOf(100, 1, 1, 1)}
	two := stats.Start{A: turnsOf(50, 2, 6, 4), B: turnsOf(200, 1, 1, 1)}
	two.A = append(two.A, stats.Turn{}) // void: its partner must not count
	two.B = append(two.B, turnsOf(1000, 50)...)
	s := stats.SlicedRatio([]stats.Start{one, two}, 0.95)
	near(t, "the estimate", s.Ratio.Estimate, 4)
	if s.Ratio.N != 2 || s.Rounds.N != 6 {
		t.Errorf("%d starts with %d rounds", s.Ratio.N, s.Rounds.N)
	}
	if s.Ratio.Level != 0.95 || s.Ratio.Note.IsZero() {
		t.Errorf("two starts: %+v", s.Ratio)
	}
	// These two starts are exactly alike. The estimate is no surer than rounds make it.
	if s.Ratio.High < s.Rounds.High {
		t.Errorf("the interval over starts %+v is narrower than the one over rounds %+v", s.Ratio, s.Rounds)
	}

	alone := stats.SlicedRatio([]stats.Start{one}, 0.95)
	if alone.Ratio.Level != 0 || alone.Ratio.Note.IsZero() || alone.Rounds.Level != 0.95 || alone.Rounds.Low >= 4 || alone.Rounds.High <= 4 {
		t.Errorf("one start: %+v", alone)
	}
	for _, none := range [][]stats.Start{nil, {{}}, {{A: turnsOf(1, 2), B: turnsOf(1, 1)}}} {
		if s := stats.SlicedRatio(none, 0.95); s.Ratio.N != 0 || s.Ratio.Level != 0 || s.Ratio.Note.IsZero() {
			t.Errorf("%v: %+v", none, s.Ratio)
		}
	}
}

// Starts that differ are not made alike by rounds.
func TestRoundsDoNotReplaceStarts(t *testing.T) {
	var starts []stats.Start
	for i := range 6 {
		a, b := make([]float64, 1000), make([]float64, 1000)
		for j := range a {
			a[j], b[j] = 1+0.02*float64(i%2)+0.001*float64(j%3), 1+0.001*float64(j%5)
		}
		starts = append(starts, stats.Start{A: turnsOf(100, a...), B: turnsOf(100, b...)})
	}
	s := stats.SlicedRatio(starts, 0.95)
	if s.Ratio.High-s.Ratio.Low < 0.02 || s.Rounds.High-s.Rounds.Low > 0.001 || s.Share < 0.99 || math.Abs(s.Between-0.0108) > 0.001 {
		t.Errorf("%+v", s)
	}
	if p := s.Reach(0.005, 1000); p.Rounds != 0 || p.Starts < 15 || p.Starts > 30 {
		t.Errorf("±0.5 %% takes %+v", p)
	}
}

// What Reach says comes true.
func TestReach(t *testing.T) {
	d := statstest.Slices{Host: statstest.Hosts()[1], Arms: statstest.Alike(2), Starts: 40, Rounds: 40, Slice: 0.1}
	s := stats.SlicedRatio(statstest.AgainstFirst(d.Draw(statstest.Seeded(1)))[0], 0.95)
	for _, half := range []float64{0.005, 0.01, 0.02} {
		p := s.Reach(half, d.Rounds)
		then := d
		then.Starts = p.Starts
		o := then.Simulate(100, 0.95, 2)
		if math.Abs(o.Half/half-1) > 0.25 {
			t.Errorf("±%v takes %d starts, which have ±%.4f", half, p.Starts, o.Half)
		}
	}
	if p := s.Reach(0, 10); p != (stats.SlicedPlan{}) {
		t.Errorf("±0 takes %+v", p)
	}
}

// On every host, with few starts and with many, with and without the speed read beside the
// slices, intervals hold the truth as often as they say, and the estimate is not shifted.
func TestSlicedCoverage(t *testing.T) {
	const level, studies = 0.95, 300
	for _, host := range statstest.Hosts() {
		for _, starts := range []int{2, 4, 10} {
			for _, probe := range []float64{0, 0.01} {
				d := statstest.Slices{Host: host, Arms: statstest.Alike(3), Starts: starts, Rounds: 25, Slice: 0.1, Probe: probe}
				d.Arms[2] = statstest.SlicedArm{Cost: 1.3, Plateau: 0.02, Noise: 0.08, Collects: 5, By: 0.3, Follows: 1}
				o := d.Simulate(studies, level, 1)
				if _, high := o.Covered.Interval(); high < level {
					t.Errorf("%s, %d starts, probe %v: %s hold the truth", host.Name, starts, probe, o.Covered)
				}
				if math.Abs(o.Bias) > 0.004 {
					t.Errorf("%s, %d starts, probe %v: shifted by %.4f", host.Name, starts, probe, o.Bias)
				}
			}
		}
	}
}

// The interval over rounds alone would not hold it: starts differ.
func TestRoundsAloneAreTooSure(t *testing.T) {
	d := statstest.Slices{Host: statstest.Hosts()[0], Arms: statstest.Alike(2), Starts: 5, Rounds: 200, Slice: 0.1}
	o := d.Simulate(400, 0.95, 1)
	if o.Rounds.Share() > 0.85 || o.Covered.Share() < 0.9 {
		t.Errorf("rounds %s, starts %s", o.Rounds, o.Covered)
	}
}

// Starts on two levels 8 % apart are what an interval is as wide as, however many rounds there are;
// of six starts one study in 32 sees one level only, and its interval can't know of the other.
func TestStartsOnTwoLevels(t *testing.T) {
	arms := statstest.Alike(2)
	arms[1].Levels = 0.08
	few := statstest.Slices{Host: statstest.Hosts()[0], Arms: arms, Starts: 6, Rounds: 25, Slice: 0.1}
	many := few
	many.Rounds = 400
	a, b := few.Simulate(200, 0.95, 1), many.Simulate(200, 0.95, 1)
	if _, high := b.Covered.Interval(); high < 0.95 || b.Rounds.Share() > 0.2 {
		t.Errorf("%s of intervals hold the truth, of rounds alone %s", b.Covered, b.Rounds)
	}
	if b.Half < 0.9*a.Half || b.Half < 0.03 {
		t.Errorf("±%.4f with 25 rounds, ±%.4f with 400", a.Half, b.Half)
	}
}
