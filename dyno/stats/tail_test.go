package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// tailWindows draws windows of 1,000 requests, 1 or 9, of which the share of 9
// is 0.05 on average and scatters beyond what chance does: by so much, and with
// neighbours alike.
func tailWindows(windows int, scatter, rho float64, r *rand.Rand) []Counts {
	var list []Counts
	x := r.NormFloat64()
	for range windows {
		share := 0.05 * math.Exp(scatter*x)
		slow := uint64(0)
		for range 1000 {
			if r.Float64() < share {
				slow++
			}
		}
		list = append(list, Counts{{1, 1000 - slow}, {9, slow}})
		x = rho*x + math.Sqrt(1-rho*rho)*r.NormFloat64()
	}
	return list
}

func TestTailESS(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	draw := func(restarts int, scatter, rho float64) (all [][]Counts) {
		for range restarts {
			all = append(all, tailWindows(60, scatter, rho, r))
		}
		return all
	}
	const requests, q = 20 * 60 * 1000, 0.93
	worth := func(restarts [][]Counts) float64 { return newHierarchy(restarts).tailESS(q) }
	independent, bunched, lasting := worth(draw(20, 0, 0)), worth(draw(20, 0.5, 0)), worth(draw(20, 0.5, 0.6))
	// The share's own variance is (0.05·0.5)²·1.4, that of 1,000 requests 0.05·0.95/1000.
	if independent < 0.85*requests || independent > requests {
		t.Errorf("independent requests are worth %.0f of %d", independent, requests)
	}
	if bunched > 0.12*requests || bunched < 0.02*requests {
		t.Errorf("bunched requests are worth %.0f of %d, want about a sixteenth", bunched, requests)
	}
	if lasting > 0.6*bunched {
		t.Errorf("bunches that last are worth %.0f, others %.0f", lasting, bunched)
	}
	if got := worth([][]Counts{{{{1, 500}, {9, 30}}}}); got != 530 {
		t.Errorf("a window whose dependence can't be seen is worth %v of 530", got)
	}
}

// Plateaus of restarts are no dependence between windows.
func TestTailESSIgnoresPlateaus(t *testing.T) {
	a, b := Counts{{1, 990}, {9, 10}}, Counts{{1, 900}, {9, 100}}
	if got := newHierarchy([][]Counts{{a, a, a, a}, {b, b, b, b}}).tailESS(0.9); got != 8000 {
		t.Errorf("worth %v of 8000", got)
	}
}

func TestBlockLength(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	draw := func(rho float64) (restarts [][]float64) {
		for range 40 {
			x := r.NormFloat64()
			var values []float64
			for range 64 {
				values = append(values, x)
				x = rho*x + math.Sqrt(1-rho*rho)*r.NormFloat64()
			}
			restarts = append(restarts, values)
		}
		return restarts
	}
	// (6ρ²/(1−ρ²)²)^⅓ · 4 is 5.5 for 0.5 and 12.9 for 0.8, rounded up.
	for rho, want := range map[float64]int{0: 1, 0.5: 6, 0.8: 13} {
		if got := BlockLength(draw(rho)); math.Abs(float64(got-want)) > 1 {
			t.Errorf("correlation %v: blocks of %d, want %d", rho, got, want)
		}
	}
	for _, restarts := range [][][]float64{nil, {{1}}, {{2, 2, 2}}} {
		if got := BlockLength(restarts); got != 1 {
			t.Errorf("%v: %d", restarts, got)
		}
	}
	if got := BlockLength([][]float64{{1, 2, 3, 4, 5, 6}}); got > 3 {
		t.Errorf("blocks of %d of six windows", got)
	}
}
