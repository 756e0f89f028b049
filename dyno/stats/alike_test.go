package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// nights draws series of the same nights: alike by rho, and by shared with each other.
func nights(r *rand.Rand, n, series int, rho, shared float64) [][]float64 {
	one := func() []float64 {
		x, v := make([]float64, n), r.NormFloat64()
		for i := range x {
			x[i] = v
			v = rho*v + math.Sqrt(1-rho*rho)*r.NormFloat64()
		}
		return x
	}
	machine := one()
	all := make([][]float64, series)
	for s := range all {
		all[s] = one()
		for i := range all[s] {
			all[s][i] = math.Sqrt(shared)*machine[i] + math.Sqrt(1-shared)*all[s][i]
		}
	}
	return all
}

// Many series say how alike nights are, much better than one; those that rise and fall
// together say less, and copies of one series say no more than it.
func TestAlikeOf(t *testing.T) {
	const studies, n, series = 60, 30, 20
	for _, c := range []struct {
		name        string
		rho, shared float64
		least, most float64 // of the values borrowed, on average
	}{
		{"independent nights", 0, 0, 150, 570},
		{"alike", 0.6, 0, 60, 570},
		{"alike, and together", 0.6, 0.9, 0, 40},
		{"copies", 0.3, 1, 0, 5},
	} {
		r := rand.New(rand.NewPCG(4, 4))
		rho, values := 0.0, 0.0
		for range studies {
			a := AlikeOf(nights(r, n, series, c.rho, c.shared))
			rho, values = rho+a.Rho/studies, values+a.Values/studies
		}
		if math.Abs(rho-c.rho) > 0.15 || values < c.least || values > c.most {
			t.Errorf("%s: alike by %.2f, worth %.0f values; want %.2f, and %.0f to %.0f", c.name, rho, values, c.rho, c.least, c.most)
		}
	}
	for name, series := range map[string][][]float64{"none": nil, "one": {{1, 2, 1, 3, 1, 2, 1}}, "short": {{1, 2}, {2, 1}}, "constant": {{1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2}}} {
		if got := AlikeOf(series); got != (Alike{}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	mixed := AlikeOf(append(nights(rand.New(rand.NewPCG(8, 8)), n, 10, 0, 0), nights(rand.New(rand.NewPCG(9, 9)), n, 10, 0.8, 0)...))
	if mixed.Values > 60 {
		t.Errorf("series that are alike in different degree lend %.0f values", mixed.Values)
	}
}
