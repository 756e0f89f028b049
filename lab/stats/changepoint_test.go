package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// levels draws values about levels[i], so many of each.
func levels(seed uint64, each int, noise float64, levels ...float64) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	var x []float64
	for _, level := range levels {
		for range each {
			x = append(x, level+noise*r.NormFloat64())
		}
	}
	return x
}

func indices(changes []Change) []int {
	var at []int
	for _, c := range changes {
		at = append(at, c.Index)
	}
	return at
}

func TestChangePoints(t *testing.T) {
	spread := slices.Concat(levels(1, 60, 0.2, 5), levels(2, 60, 4, 5))
	for _, c := range []struct {
		name   string
		x      []float64
		opts   ChangeOptions
		want   []int
		within int // how far a change may be from where it is
	}{
		{"none", nil, ChangeOptions{}, nil, 0},
		{"few", []float64{1, 2, 9}, ChangeOptions{}, nil, 0},
		{"constant", slices.Repeat([]float64{4}, 30), ChangeOptions{}, nil, 0},
		{"flat", levels(3, 40, 1, 10), ChangeOptions{P: 0.01}, nil, 0},
		{"step", levels(4, 15, 0.1, 10, 11), ChangeOptions{}, []int{15}, 0},
		{"two steps", levels(5, 12, 0.1, 10, 11, 10), ChangeOptions{P: 0.01}, []int{12, 24}, 0},
		{"four levels", levels(6, 60, 1, 10, 15, 5, 12), ChangeOptions{P: 0.01}, []int{60, 120, 180}, 1},
		{"spread only", spread, ChangeOptions{P: 0.02}, []int{60}, 6},
		{"an outlier", append(levels(7, 20, 0.1, 10), 99), ChangeOptions{}, nil, 0},
		{"an outlier confirmed", append(levels(7, 20, 0.1, 10), 99, 99), ChangeOptions{}, []int{20}, 0},
		{"too short a segment", append(levels(7, 20, 0.1, 10), 99, 99), ChangeOptions{MinSegment: 5, P: 0.01}, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := indices(ChangePoints(c.x, c.opts))
			if !slices.EqualFunc(got, c.want, func(a, b int) bool { return max(a-b, b-a) <= c.within }) {
				t.Errorf("changes at %v, want %v", got, c.want)
			}
		})
	}
}

func TestChangeSaysWhatChanged(t *testing.T) {
	x := []float64{10, 10.1, 9.9, 10, 10.1, 9.9, 12, 12.1, 11.9, 12, 12.1, 11.9}
	got := ChangePoints(x, ChangeOptions{Seed: 1})
	if len(got) != 1 || got[0].Index != 6 || got[0].Before != 10 || got[0].After != 12 || got[0].P > 0.01 {
		t.Errorf("got %+v", got)
	}
	if again := ChangePoints(x, ChangeOptions{Seed: 1}); !slices.Equal(again, got) {
		t.Errorf("%+v, then %+v", got, again)
	}
}

func TestChangePointsOfALongSeries(t *testing.T) {
	x := slices.Concat(slices.Repeat([]float64{7}, 700), levels(1, 400, 0.1, 1, 2)) // 1,500 values; the last 500 are seen
	got := indices(ChangePoints(x, ChangeOptions{P: 0.01}))
	if !slices.Equal(got, []int{1100}) {
		t.Errorf("changes at %v, want 1100", got)
	}
}

// TestEnergy computes the statistic as the paper writes it, for all cuts.
func TestEnergy(t *testing.T) {
	x := levels(8, 5, 1, 0, 2, 1)
	order := []int{3, 14, 7, 0, 9, 12, 1, 5, 11, 2, 13, 4, 8, 10, 6}
	d := newDivisive(distances(len(x), func(i, j int) float64 { return math.Abs(x[i] - x[j]) }), ChangeOptions{})
	want := cut{}
	for at := 2; at <= len(order)-2; at++ {
		for end := at + 2; end <= len(order); end++ {
			if energy := energyOf(x, order[:at], order[at:end]); energy > want.energy {
				want = cut{at, energy}
			}
		}
	}
	if got := d.cut(order); got.at != want.at || math.Abs(got.energy-want.energy) > 1e-9 {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func energyOf(x []float64, a, b []int) float64 {
	sum := func(a, b []int) (sum float64) {
		for _, i := range a {
			for _, j := range b {
				sum += math.Abs(x[i] - x[j])
			}
		}
		return sum
	}
	m, n := float64(len(a)), float64(len(b))
	e := 2/(m*n)*sum(a, b) - sum(a, a)/2/(m*(m-1)/2) - sum(b, b)/2/(n*(n-1)/2)
	return m * n / (m + n) * e
}

// A series without changes has one at most as often as asked.
func TestChangePointsFalseAlarms(t *testing.T) {
	const series, p = 400, 0.05
	alarms := 0
	for seed := range uint64(series) {
		if len(ChangePoints(levels(seed, 24, 1, 100), ChangeOptions{P: p, Permutations: 99, Seed: seed})) > 0 {
			alarms++
		}
	}
	if share := float64(alarms) / series; share > p+0.03 || alarms == 0 {
		t.Errorf("changes in %.3f of the series without any, want about %v", share, p)
	}
}

func BenchmarkChangePoints(b *testing.B) {
	x := levels(1, 100, 1, 10, 15, 5)
	for b.Loop() {
		ChangePoints(x, ChangeOptions{})
	}
}
