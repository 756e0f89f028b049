package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestAndersonDarlingTail holds the limit to the percentage points of published
// tables (Anderson and Darling 1954, Stephens 1974), and far out to what its
// largest term alone comes to.
func TestAndersonDarlingTail(t *testing.T) {
	for _, c := range []struct{ z, p, within float64 }{
		{0.7740, 0.50, 1e-3}, {1.248, 0.25, 1e-3}, {1.933, 0.10, 1e-4}, {2.492, 0.05, 1e-4}, {3.070, 0.025, 3e-4}, {3.878, 0.01, 1e-4},
	} {
		if p := andersonDarlingTail(c.z); math.Abs(p-c.p) > c.within {
			t.Errorf("tail at %v is %.7f, want %v", c.z, p, c.p)
		}
	}
	for _, z := range []float64{8, 15, 40} {
		largest := math.Sqrt(3) * math.Erfc(math.Sqrt(z)) * (1 + 11/(36*z))
		if p := andersonDarlingTail(z); math.Abs(p/largest-1) > 0.001 {
			t.Errorf("tail at %v is %g, want about %g", z, p, largest)
		}
	}
	if p := andersonDarlingTail(0); p != 1 {
		t.Errorf("tail at 0 is %v", p)
	}
}

func TestAndersonDarlingTailFalls(t *testing.T) {
	last := 1.0
	for z := 0.05; z < 600; z *= 1.01 {
		p := andersonDarlingTail(z)
		if !(p <= last) || p < 0 {
			t.Fatalf("the tail at %v is %v, above %v before it", z, p, last)
		}
		last = p
	}
}

// TestAndersonDarlingLevel: samples that are what they should be fail as often
// as the p-value says. The seed is fixed; the bounds are four standard errors.
func TestAndersonDarlingLevel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1954, 2004))
	const trials = 8_000
	for _, n := range []int{8, 64, 256} {
		rejected := map[float64]int{0.1: 0, 0.01: 0, 0.001: 0}
		u := make([]float64, n)
		for range trials {
			for i := range u {
				u[i] = -math.Expm1(-rng.ExpFloat64())
			}
			_, p := AndersonDarling(u)
			for alpha := range rejected {
				if p < alpha {
					rejected[alpha]++
				}
			}
		}
		for alpha, count := range rejected {
			want := alpha * trials
			if off := math.Abs(float64(count) - want); off > 4*math.Sqrt(want) {
				t.Errorf("samples of %d: %d of %d below %v, want about %.0f", n, count, trials, alpha, want)
			}
		}
	}
}

// TestAndersonDarlingPower: what is not uniform is found, at a limit that a run
// of a hundred batches would have.
func TestAndersonDarlingPower(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const n, trials, alpha = 256, 200, 1e-5
	for name, gap := range map[string]func() float64{
		"even gaps":         func() float64 { return 1 },
		"half the gaps":     func() float64 { return rng.ExpFloat64() / 2 },
		"a quarter bunched": func() float64 { return max(rng.ExpFloat64()-0.3, 0) },
	} {
		found := 0
		u := make([]float64, n)
		for range trials {
			for i := range u {
				u[i] = ErlangCDF(1, gap())
			}
			if _, p := AndersonDarling(u); p < alpha {
				found++
			}
		}
		if found < trials*99/100 {
			t.Errorf("%s: found in %d of %d samples", name, found, trials)
		}
	}
}

func TestAndersonDarlingEdges(t *testing.T) {
	if a2, p := AndersonDarling(nil); a2 != 0 || p != 1 {
		t.Errorf("no numbers: %v, %v", a2, p)
	}
	for _, u := range [][]float64{{0, 0, 0, 0}, {1, 1, 1, 1}, {0, 1}} {
		if a2, p := AndersonDarling(u); math.IsInf(a2, 0) || math.IsNaN(a2) || !(p >= 0 && p <= 1) {
			t.Errorf("%v: A² %v, p %v", u, a2, p)
		}
	}
}

func TestErlangCDF(t *testing.T) {
	for _, c := range []struct {
		n       int
		x, want float64
	}{
		{1, 0, 0}, {1, -1, 0}, {1, math.Ln2, 0.5}, {1, 30, 1 - math.Exp(-30)},
		{2, 2, 1 - 3*math.Exp(-2)}, {3, 10, 1 - 61*math.Exp(-10)}, {3, 0.1, 1 - math.Exp(-0.1)*(1+0.1+0.005)},
	} {
		if got := ErlangCDF(c.n, c.x); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("ErlangCDF(%d, %v) = %v, want %v", c.n, c.x, got, c.want)
		}
	}
	// Large counts come near the normal distribution, and both sides agree.
	for _, n := range []int{100, 20_000} {
		below, above := ErlangCDF(n, float64(n)+0.999999), ErlangCDF(n, float64(n)+1.000001)
		if math.Abs(below-above) > 1e-6 || math.Abs(below-0.5) > 0.1 {
			t.Errorf("%d gaps: %v and %v about their mean", n, below, above)
		}
	}
}

func BenchmarkAndersonDarling(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	u := make([]float64, 256)
	for b.Loop() {
		for i := range u {
			u[i] = ErlangCDF(100, 100+10*rng.NormFloat64())
		}
		AndersonDarling(u)
	}
}
