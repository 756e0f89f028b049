package stats_test

import (
	"math"
	"slices"
	"testing"

	"dyno.example/dyno/stats"
	"dyno.example/dyno/stats/statstest"
)

func hostNamed(t *testing.T, name string) statstest.Host {
	t.Helper()
	for _, h := range statstest.Hosts() {
		if h.Name == name {
			return h
		}
	}
	t.Fatalf("no host %q", name)
	return statstest.Host{}
}

// On every host, of few subjects and of many, intervals hold the truth as often as they say,
// and nothing is shifted. On a restless one they are narrower than without the neighbours.
func TestNeighboursHold(t *testing.T) {
	const level = 0.95
	for _, host := range statstest.Hosts() {
		for _, arms := range []int{3, 6} {
			d := statstest.Slices{Host: host, Arms: statstest.Alike(arms), Starts: 6, Rounds: 30, Slice: 0.05}
			d.Arms[arms-1] = statstest.SlicedArm{Cost: 1.3, Plateau: 0.02, Noise: 0.08, Collects: 5, By: 0.3, Follows: 1}
			studies := 300
			with, without := d.SimulateNeighbours(studies, level, 1), d.Simulate(studies, level, 1)
			if with.Covered.Share() < level-0.025 { // those of six have the reference in common
				t.Errorf("%s, %d subjects: %s hold the truth", host.Name, arms, with.Covered)
			}
			if math.Abs(with.Bias) > 0.004 {
				t.Errorf("%s, %d subjects: shifted by %.4f", host.Name, arms, with.Bias)
			}
			t.Logf("%s, %d subjects: ±%.2f %% instead of ±%.2f %%, used in %s", host.Name, arms, 100*with.Half, 100*without.Half, with.Used)
		}
	}
	quiet := statstest.Slices{Host: hostNamed(t, "restless"), Arms: statstest.Alike(6), Starts: 6, Rounds: 30, Slice: 0.1}
	for i := range quiet.Arms {
		quiet.Arms[i].Noise = 0.03
	}
	with, without := quiet.SimulateNeighbours(100, level, 1), quiet.Simulate(100, level, 1)
	if with.Half > 0.75*without.Half {
		t.Errorf("±%.4f with the neighbours, ±%.4f without", with.Half, without.Half)
	}
}

// A subject that makes the one after it dearer would seem cheaper than it is. That is
// seen, and nothing is taken back then.
func TestNeighboursThatAreChanged(t *testing.T) {
	d := statstest.Slices{Host: hostNamed(t, "restless"), Arms: statstest.Alike(6), Starts: 8, Rounds: 40, Slice: 0.05}
	for _, c := range []struct {
		carries    float64
		used, from int // least and most of 60 studies in which they are used
	}{{0, 50, 60}, {0.15, 0, 3}} {
		d.Arms[1].Carries = c.carries
		got := d.SimulateNeighbours(60, 0.95, 1).Used
		if got.Count < c.used || got.Count > c.from {
			t.Errorf("carrying %v: used in %s", c.carries, got)
		}
	}
}

// Where nothing is explained nothing is taken back, and of a few slices nothing is learned.
func TestNeighboursThatSayNothing(t *testing.T) {
	r := statstest.Seeded(1)
	d := statstest.Slices{Host: hostNamed(t, "steady"), Arms: statstest.Alike(4), Starts: 4, Rounds: 30, Slice: 0.05}
	_, slots := d.DrawInTime(r)
	if n := stats.ByNeighbours(slots, 4); n.Used || n.Logs != nil || n.Why.IsZero() {
		t.Errorf("%+v", n)
	}
	d = statstest.Slices{Host: hostNamed(t, "restless"), Arms: statstest.Alike(3), Starts: 1, Rounds: 5, Slice: 0.05}
	_, slots = d.DrawInTime(r)
	for _, few := range [][][]stats.Slot{nil, {nil}, slots} {
		if n := stats.ByNeighbours(few, 3); n.Used || n.Why.IsZero() {
			t.Errorf("%d starts: %+v", len(few), n)
		}
	}
}

// Void turns and a subject that died after its first are no neighbours, and all alike cost
// nothing more or less.
func TestNeighboursOfVoidTurns(t *testing.T) {
	var slots []stats.Slot
	for i := range 60 {
		slots = append(slots, stats.Slot{Arm: i % 2, Turn: stats.Turn{Spent: 100, Requests: 10}})
	}
	with := slices.Insert(slices.Clone(slots), 3, stats.Slot{Arm: 2, Turn: stats.Turn{Spent: 1e9, Requests: 1}}, stats.Slot{Arm: 1})
	for _, list := range [][]stats.Slot{slots, with} {
		n := stats.ByNeighbours([][]stats.Slot{list}, 3)
		if n.Used || n.Explains != 0 {
			t.Errorf("%+v", n)
		}
	}
}
