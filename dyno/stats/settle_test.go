package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// cold is a series of windows: a cost by window, times noise of the given size.
func cold(seed uint64, n int, noise float64, cost func(window float64) float64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	values := make([]float64, n)
	for i := range values {
		values[i] = cost(float64(i)) * math.Exp(noise*rng.NormFloat64())
	}
	return values
}

// settledAfter asks after each window from the fifth on, as a warm-up of at least five
// seconds does.
func settledAfter(costs [][]float64, bands []float64) (after, from int) {
	for n := 5; n <= len(costs[0]); n++ {
		var so [][]float64
		for _, values := range costs {
			so = append(so, values[:n])
		}
		if s := Settle(so, bands); s.Steady {
			return n, s.From
		}
	}
	return 0, 0
}

// Truth is known: a cost that falls to its level in so many windows, and one that is
// there at once.
func TestSettle(t *testing.T) {
	falling := func(windows float64) func(float64) float64 {
		return func(i float64) float64 { return 1 + max(0, 1-i/windows) }
	}
	for _, c := range []struct {
		name     string
		cost     func(float64) float64
		noise    float64
		from, to int // where it may be said to begin
		most     int // windows that may take to say
	}{
		{"steady at once", func(float64) float64 { return 3 }, 0, 0, 0, 5},
		{"steady at once, noisy", func(float64) float64 { return 3 }, 0.03, 0, 6, 16},
		{"steady at once, very noisy", func(float64) float64 { return 3 }, 0.1, 0, 8, 24},
		{"falls in 5", falling(5), 0, 4, 5, 12},
		{"falls in 5, noisy", falling(5), 0.02, 3, 9, 24},
		{"falls in 12, noisy", falling(12), 0.01, 9, 16, 40},
		{"comes close in 12", func(i float64) float64 { return 1 + 1.5*math.Exp(-i/3) }, 0.005, 9, 15, 32},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(20) {
				series := [][]float64{cold(seed, 60, c.noise, c.cost), cold(seed+100, 60, c.noise, c.cost)}
				after, from := settledAfter(series, []float64{0.025, 0.05})
				if after == 0 || after > c.most || from < c.from || from > c.to {
					t.Errorf("seed %d: said after %d windows to begin at %d, want within %d, at %d to %d", seed, after, from, c.most, c.from, c.to)
				}
			}
		})
	}
}

func TestSettleNever(t *testing.T) {
	for name, cost := range map[string]func(float64) float64{
		"gets slower all the time": func(i float64) float64 { return math.Pow(1.1, i) },
		"gets faster all the time": func(i float64) float64 { return math.Pow(0.9, i) },
	} {
		for seed := range uint64(20) {
			series := cold(seed, 60, 0.02, cost)
			for n := 5; n <= len(series); n++ { // of fewer windows chance may say so
				if s := Settle([][]float64{series[:n]}, []float64{0.025}); s.Steady {
					t.Errorf("%s, seed %d: after %d windows steady from %d on", name, seed, n, s.From)
					break
				}
			}
		}
	}
}

func TestSettleWithoutValues(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name  string
		costs [][]float64
		want  Settling
	}{
		{"nothing", nil, Settling{}},
		{"no window", [][]float64{{}}, Settling{}},
		{"one window", [][]float64{{1}}, Settling{}},
		{"three windows", [][]float64{{1, 1, 1}}, Settling{}},
		{"none has a value", [][]float64{{nan, 0, math.Inf(1), -1}}, Settling{From: 4}},
		{"the first have none", [][]float64{{0, nan, 2, 2, 2, 2}}, Settling{Steady: true, From: 2}},
		{"one in the middle has none", [][]float64{{2, 2, 2, 0, 2, 2}}, Settling{From: 4}},
		{"the shortest counts", [][]float64{{1, 1, 1, 1}, {1, 1, 1, 1, 9, 9, 9}}, Settling{Steady: true}},
	} {
		if got := Settle(c.costs, []float64{0.05, 0.05}); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
