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
	for _, c := range []struct {
		name   string
		x      []float64
		p      float64
		want   []int
		within int // how far a change may be from where it is
	}{
		{"none", nil, 0.05, nil, 0},
		{"few", []float64{1, 2, 9}, 0.05, nil, 0},
		{"constant", slices.Repeat([]float64{4}, 30), 0.05, nil, 0},
		{"flat", levels(3, 40, 1, 10), 0.01, nil, 0},
		{"step", levels(4, 15, 0.1, 10, 11), 0.01, []int{15}, 0},
		{"up and down again", levels(5, 12, 0.1, 10, 11, 10), 0.01, []int{12, 24}, 0},
		{"four levels", levels(6, 30, 1, 10, 15, 5, 12), 0.01, []int{30, 60, 90}, 1},
		{"an outlier", append(levels(7, 20, 0.1, 10), 99), 0.05, nil, 0},
		{"an outlier within", append(append(levels(7, 20, 0.1, 10), 99), levels(8, 5, 0.1, 10)...), 0.01, nil, 0},
		{"an outlier confirmed", append(levels(7, 20, 0.1, 10), 12, 12), 0.01, []int{20}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := indices(ChangePoints(c.x, Alike{}, c.p, 1))
			if !slices.EqualFunc(got, c.want, func(a, b int) bool { return max(a-b, b-a) <= c.within }) {
				t.Errorf("changes at %v, want %v", got, c.want)
			}
		})
	}
}

func TestChangeSaysWhatChanged(t *testing.T) {
	x := []float64{10, 10.1, 9.9, 10, 10.1, 9.9, 12, 12.1, 11.9, 12, 12.1, 11.9}
	got := ChangePoints(x, Alike{}, 0.01, 1)
	if len(got) != 1 || got[0].Index != 6 || got[0].Before != 10 || got[0].After != 12 || got[0].P != ChangeP(x, Alike{}, 1) {
		t.Errorf("got %+v", got)
	}
	if again := ChangePoints(x, Alike{}, 0.01, 1); !slices.Equal(again, got) {
		t.Errorf("%+v, then %+v", got, again)
	}
}

func TestChangePointsOfALongSeries(t *testing.T) {
	x := slices.Concat(slices.Repeat([]float64{7}, 700), levels(1, 400, 0.1, 1, 2)) // 1,500 values; the last 500 are seen
	if got := indices(ChangePoints(x, Alike{}, 0.01, 1)); !slices.Equal(got, []int{1100}) {
		t.Errorf("changes at %v, want 1100", got)
	}
}

// The score of a scan is the t value of least squares on the whitened series, at the
// best place.
func TestLevelScan(t *testing.T) {
	x := levels(9, 8, 1, 0, 3, 1)
	for _, s := range []levelScan{{rho: 0}, {rho: 0.5}, {rho: 0.5, passing: true}} {
		want := bestLevel{}
		for from := leastLevel; from <= len(x)-leastLevel; from++ {
			for to := from + leastLevel; to <= len(x); to++ {
				if from == 2 || to-from == 2 { // which have a condition of their own
					continue
				}
				if s.passing == (to == len(x)) || to > len(x)-leastLevel && to < len(x) {
					continue
				}
				if score := slowScore(x, from, to, s.rho); score > want.score {
					want = bestLevel{from, to, score}
				}
			}
		}
		if got := s.scan(x); got.from != want.from || got.to != want.to || math.Abs(got.score-want.score) > 1e-9 {
			t.Errorf("%+v: got %+v, want %+v", s, got, want)
		}
	}
}

// slowScore regresses x on a mean and another level by Gram and Schmidt.
func slowScore(x []float64, from, to int, rho float64) float64 {
	n := len(x)
	whiten := func(of func(i int) float64) []float64 {
		w := []float64{math.Sqrt(1-rho*rho) * of(0)}
		for i := 1; i < n; i++ {
			w = append(w, of(i)-rho*of(i-1))
		}
		return w
	}
	dot := func(a, b []float64) (sum float64) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	without := func(a, b []float64) []float64 {
		share, out := dot(a, b)/dot(b, b), make([]float64, n)
		for i := range a {
			out[i] = a[i] - share*b[i]
		}
		return out
	}
	one := whiten(func(int) float64 { return 1 })
	level := without(whiten(func(i int) float64 {
		if i >= from && i < to {
			return 1
		}
		return 0
	}), one)
	y := without(whiten(func(i int) float64 { return x[i] }), one)
	rest := without(y, level)
	return math.Abs(dot(y, level)) / math.Sqrt(dot(level, level)) / math.Sqrt(dot(rest, rest)/float64(n-2))
}

// TestEnergy computes the statistic as the paper writes it, for all cuts.
func TestEnergy(t *testing.T) {
	x := levels(8, 5, 1, 0, 2, 1)
	order := []int{3, 14, 7, 0, 9, 12, 1, 5, 11, 2, 13, 4, 8, 10, 6}
	d := newDivisive(distances(len(x), func(i, j int) float64 { return math.Abs(x[i] - x[j]) }), 2, 0.05, 0)
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

// drawSeries draws a first-order autoregression with the correlation rho and, from the
// last values on, a step.
func drawSeries(r *rand.Rand, n int, rho, step float64, last int) []float64 {
	x := make([]float64, n)
	v := r.NormFloat64()
	for i := range x {
		x[i] = v
		if i >= n-last {
			x[i] += step
		}
		v = rho*v + math.Sqrt(1-rho*rho)*r.NormFloat64()
	}
	return x
}

// A series without changes has one about as often as asked, also where neighbours are
// somewhat alike; and a step is seen from its second value on.
func TestChangesAreRealAndSeenEarly(t *testing.T) {
	const count, p = 150, 0.01
	share := func(rho, step float64, last int) float64 {
		found := 0
		for seed := range uint64(count) {
			if ChangeP(drawSeries(rand.New(rand.NewPCG(seed, 5)), 30, rho, step, last), Alike{}, seed) <= p {
				found++
			}
		}
		return float64(found) / count
	}
	for rho, most := range map[float64]float64{0: 0.02, 0.3: 0.03, 0.6: 0.065} {
		if got := share(rho, 0, 0); got > most {
			t.Errorf("neighbours alike by %v: changes in %.3f of the series without any", rho, got)
		}
	}
	for last, least := range map[int]float64{2: 0.25, 5: 0.7} {
		if got := share(0, 3, last); got < least {
			t.Errorf("a step of three deviations is seen in %.3f after %d values, want %v", got, last, least)
		}
	}
}

func BenchmarkChangePoints(b *testing.B) {
	x := levels(1, 33, 1, 10, 15, 5)
	for b.Loop() {
		ChangePoints(x, Alike{}, 0.01, 1)
	}
}
