package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"dyno.example/internal/i18n"
)

func TestRatio(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		a, b []float64
		want Interval
	}{
		{"none", nil, nil, Interval{Note: i18n.Verbatim("no pair of values above zero")}},
		{"zeros", []float64{0, 1}, []float64{1, 0}, Interval{Note: i18n.Verbatim("no pair of values above zero")}},
		{"one", []float64{8, nan, 0}, []float64{2, 1, 1},
			Interval{N: 1, Estimate: 4, Low: 4, High: 4, Note: i18n.Verbatim("need ≥ 2 blocks for an interval")}},
		{"the same everywhere", []float64{2, 4, 8, 16, 32, 64}, []float64{1, 2, 4, 8, 16, 32},
			Interval{N: 6, Estimate: 2, Low: 2, High: 2, Level: 0.95}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Ratio(c.a, c.b, 0.95)
			for _, p := range []*float64{&got.Estimate, &got.Low, &got.High} {
				*p = math.Round(*p*1e12) / 1e12 // exp(log x) is x but for the last bits
			}
			got.Note = i18n.Verbatim(got.Note.String())
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// By hand: logarithms of the ratios are ±0.1, their mean 0, the standard error
// 0.1·√(4/3)/2, and t(3) at 97.5 % is 3.18245.
func TestRatioByHand(t *testing.T) {
	a := []float64{math.Exp(0.1), math.Exp(-0.1), 3 * math.Exp(0.1), 5 * math.Exp(-0.1)}
	got := Ratio(a, []float64{1, 1, 3, 5}, 0.95)
	half := 3.182446305 * 0.1 * math.Sqrt(4.0/3) / 2
	if math.Abs(got.Estimate-1) > 1e-9 || math.Abs(got.Low-math.Exp(-half)) > 1e-9 || math.Abs(got.High-math.Exp(half)) > 1e-9 {
		t.Errorf("got %+v, want 1 from %v to %v", got, math.Exp(-half), math.Exp(half))
	}
	if got.N != 4 || got.Level != 0.95 || got.Note.IsZero() {
		t.Errorf("got %+v, want a note that four blocks are few", got)
	}
}

func TestRatioIgnoresWhatABlockShares(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	a, b := make([]float64, 8), make([]float64, 8)
	for i := range a {
		shared := math.Exp(r.NormFloat64()) // far more than the difference
		a[i] = 1.05 * shared * math.Exp(0.005*r.NormFloat64())
		b[i] = shared * math.Exp(0.005*r.NormFloat64())
	}
	if got := Ratio(a, b, 0.95); got.Contains(1) || !got.Contains(1.05) {
		t.Errorf("got %+v, want 1.05 and not 1", got)
	}
}

func TestRatioPanicsOnUnequalLengths(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Ratio([]float64{1}, []float64{1, 2}, 0.95)
}

// noise draws the logarithm of one trial's disturbance.
type noise func(*rand.Rand) float64

func logNormal(r *rand.Rand) float64 { return 0.02 * r.NormFloat64() }

// contaminated is ten times as noisy in a tenth of the trials.
func contaminated(r *rand.Rand) float64 {
	if r.IntN(10) == 0 {
		return 0.2 * r.NormFloat64()
	}
	return logNormal(r)
}

// sometimesSlow loses a fifth in a tenth of the trials.
func sometimesSlow(r *rand.Rand) float64 {
	if r.IntN(10) == 0 {
		return logNormal(r) - 0.2
	}
	return logNormal(r)
}

// plateaus settles on one of two plateaus at each start.
func plateaus(r *rand.Rand) float64 { return logNormal(r) + 0.1*float64(r.IntN(2)) }

// A 95 % interval has to cover the true ratio in about 95 of 100 runs, whatever
// disturbs the trials.
func TestRatioCoverage(t *testing.T) {
	const runs, truth, atLeast = 600, 1.25, 0.92
	for _, c := range []struct {
		name  string
		noise noise
	}{
		{"log-normal", logNormal}, {"contaminated", contaminated}, {"sometimes slow", sometimesSlow}, {"plateaus", plateaus},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := 6; n <= 12; n += 2 {
				if got := coverage(runs, n, truth, c.noise); got < atLeast {
					t.Errorf("n=%d: covers the ratio in %.3f of the runs, want at least %v", n, got, atLeast)
				}
			}
		})
	}
}

// coverage is the share of runs of n blocks in which the interval holds truth.
func coverage(runs, n int, truth float64, noise noise) float64 {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	a, b := make([]float64, n), make([]float64, n)
	covered := 0
	for range runs {
		for i := range a {
			shared := 1000 * math.Exp(0.1*r.NormFloat64())
			a[i], b[i] = truth*shared*math.Exp(noise(r)), shared*math.Exp(noise(r))
		}
		if Ratio(a, b, 0.95).Contains(truth) {
			covered++
		}
	}
	return float64(covered) / float64(runs)
}
