package stats

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// scaling is a service that follows the law, measured at levels with noise.
type scaling struct {
	lambda, sigma, kappa float64
	levels               []float64
	passes               int
	noise                float64 // standard deviation of the logarithm
}

func (s *scaling) at(n float64) float64 {
	return s.lambda * n / (1 + s.sigma*(n-1) + s.kappa*n*(n-1))
}

func (s *scaling) measure(seed uint64) (n, x []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for range s.passes {
		for _, level := range s.levels {
			n = append(n, level)
			x = append(x, s.at(level)*math.Exp(s.noise*rng.NormFloat64()))
		}
	}
	return n, x
}

func every(from, to, step float64) (levels []float64) {
	for n := from; n <= to; n += step {
		levels = append(levels, n)
	}
	return levels
}

func near(a, b, share float64) bool { return math.Abs(a-b) <= share*math.Abs(b) }

func TestFitUSLFindsTheLaw(t *testing.T) {
	for _, s := range []scaling{
		{1000, 0.05, 0.001, every(1, 64, 3), 1, 0},
		{90, 0.02, 1e-6, every(500, 10_000, 500), 1, 0},
		{1, 0.3, 0.01, []float64{1, 2, 4, 8, 16, 32}, 1, 0},
		{2e5, 0, 1e-4, every(1, 300, 20), 1, 0},
	} {
		n, x := s.measure(1)
		u, err := FitUSL(n, x, 0.95, 1)
		if err != nil {
			t.Errorf("%+v: %v", s, err)
			continue
		}
		if !near(u.Lambda.Estimate, s.lambda, 1e-3) || math.Abs(u.Sigma.Estimate-s.sigma) > 1e-4 || !near(u.Kappa.Estimate, s.kappa, 1e-2) || u.RMS > 1e-4 {
			t.Errorf("%+v: λ %v, σ %v, κ %v, RMS %v", s, u.Lambda.Estimate, u.Sigma.Estimate, u.Kappa.Estimate, u.RMS)
		}
		peak := math.Sqrt((1 - s.sigma) / s.kappa)
		if u.Peak == nil || !near(u.Peak.Estimate, peak, 1e-2) || !near(u.Top.Estimate, s.at(peak), 1e-2) {
			t.Errorf("%+v: peak %+v, top %+v, want %v and %v (%s)", s, u.Peak, u.Top, peak, s.at(peak), u.Note)
		}
		if !near(u.At(7), s.at(7), 1e-2) {
			t.Errorf("%+v: %v at 7, want %v", s, u.At(7), s.at(7))
		}
	}
}

// The intervals hold what they say, or nearly: of the simulated services, the
// truth lies within 95 % intervals in at least 90 % of the cases.
func TestUSLCoverage(t *testing.T) {
	t.Parallel()
	const runs = 100
	for _, s := range []scaling{
		{1000, 0.05, 0.001, every(1, 96, 5), 1, 0.03},
		{1000, 0.05, 0.001, []float64{1, 2, 4, 8, 16, 32, 64, 128}, 2, 0.05},
		{90, 0.02, 1e-6, every(100, 4000, 200), 1, 0.02},
	} {
		truths := map[string]float64{"lambda": s.lambda, "sigma": s.sigma, "kappa": s.kappa, "peak": math.Sqrt((1 - s.sigma) / s.kappa), "top": s.at(math.Sqrt((1 - s.sigma) / s.kappa))}
		covered, peaks := make(map[string]int), 0
		for seed := range uint64(runs) {
			n, x := s.measure(seed)
			u, err := FitUSL(n, x, 0.95, seed)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]Interval{"lambda": u.Lambda, "sigma": u.Sigma, "kappa": u.Kappa}
			if u.Peak != nil {
				peaks++
				got["peak"], got["top"] = *u.Peak, *u.Top
			}
			for name, interval := range got {
				if interval.Contains(truths[name]) {
					covered[name]++
				}
			}
		}
		for name := range truths {
			of := runs
			if name == "peak" || name == "top" {
				of = peaks
			}
			share := float64(covered[name]) / float64(of)
			t.Logf("%v: %s covered in %.1f %% of %d", s.levels[len(s.levels)-1], name, 100*share, of)
			if share < 0.90 {
				t.Errorf("%+v: %s covered in only %.1f %% of %d", s, name, 100*share, of)
			}
		}
		if peaks < runs*9/10 {
			t.Errorf("%+v: a peak in only %d of %d", s, peaks, runs)
		}
	}
}

// Where throughput never falls, a peak is claimed no oftener than chance allows.
func TestUSLClaimsNoPeakWhereThereIsNone(t *testing.T) {
	t.Parallel()
	s := scaling{1000, 0.05, 0, every(1, 96, 5), 1, 0.03}
	const runs = 40
	claimed := 0
	for seed := range uint64(runs) {
		n, x := s.measure(seed)
		u, err := FitUSL(n, x, 0.95, seed)
		if err != nil {
			t.Fatal(err)
		}
		if u.Peak != nil {
			claimed++
		} else if u.Note.IsZero() {
			t.Error("no peak, and no reason")
		}
	}
	if claimed > runs*5/100 {
		t.Errorf("a peak was claimed in %d of %d services without one", claimed, runs)
	}
}

func TestFitUSLOfALine(t *testing.T) {
	s := scaling{lambda: 10, levels: every(1, 50, 5), passes: 1}
	n, x := s.measure(1)
	u, err := FitUSL(n, x, 0.95, 1)
	if err != nil || !near(u.Lambda.Estimate, 10, 1e-3) || u.Peak != nil || !strings.Contains(u.Note.String(), "kappa") {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestFitUSLRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		n, x []float64
		why  string
	}{
		{"nothing", nil, nil, "at least 6 points"},
		{"five points", []float64{1, 2, 3, 4, 5}, []float64{1, 2, 3, 4, 5}, "at least 6 points"},
		{"three levels", []float64{1, 2, 3, 1, 2, 3}, []float64{1, 2, 3, 1, 2, 3}, "4 levels"},
		{"a narrow range", []float64{10, 11, 12, 13, 14, 15}, []float64{1, 2, 3, 4, 5, 6}, "too close together"},
		{"no throughput", []float64{1, 2, 3, 4, 5, 6}, []float64{1, 2, 0, 4, 5, 6}, "point 3"},
		{"no concurrency", []float64{1, 2, 3, 4, 5, 0}, []float64{1, 2, 3, 4, 5, 6}, "point 6"},
		{"not a number", []float64{1, 2, 3, 4, math.NaN(), 6}, []float64{1, 2, 3, 4, 5, 6}, "point 5"},
	} {
		if u, err := FitUSL(c.n, c.x, 0.95, 1); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %+v, %v, want %q", c.name, u, err, c.why)
		}
	}
}

func TestFitUSLIsTheSameEachTime(t *testing.T) {
	s := scaling{1000, 0.05, 0.001, every(1, 64, 3), 1, 0.05}
	n, x := s.measure(3)
	a, _ := FitUSL(n, x, 0.95, 9)
	b, _ := FitUSL(n, x, 0.95, 9)
	if *a.Peak != *b.Peak || a.Lambda != b.Lambda || a.Sigma != b.Sigma || a.Kappa != b.Kappa {
		t.Errorf("%+v and %+v", a, b)
	}
}

func BenchmarkFitUSL(b *testing.B) {
	s := scaling{1000, 0.05, 0.001, every(1, 64, 3), 2, 0.05}
	n, x := s.measure(3)
	for b.Loop() {
		FitUSL(n, x, 0.95, 9)
	}
}
