package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestUnpairedRatioKnown(t *testing.T) {
	exp := func(x ...float64) []float64 {
		for i := range x {
			x[i] = math.Exp(x[i])
		}
		return x
	}
	// Means 3 and 2, variances 1 and 0.25, five values each: df is
	// (0.2+0.05)²/(0.2²/4+0.05²/4) = 5.882, t = 1/√0.25 = 2.
	a, b := exp(3, 3+math.Sqrt2, 3-math.Sqrt2, 3, 3), exp(2, 2+math.Sqrt2/2, 2-math.Sqrt2/2, 2, 2)
	ratio, p := UnpairedRatio(a, b, 0.95)
	freedom := welchFreedom(math.Sqrt(0.2), 5, math.Sqrt(0.05), 5)
	if math.Abs(freedom-100.0/17) > 1e-12 {
		t.Errorf("degrees of freedom %v", freedom)
	}
	if math.Abs(ratio.Estimate-math.E) > 1e-9 || ratio.N != 10 || ratio.Level != 0.95 || ratio.Note.IsZero() {
		t.Errorf("ratio %+v", ratio)
	}
	half := 0.5 * studentQuantile(freedom, 0.975)
	if math.Abs(math.Log(ratio.Low)-(1-half)) > 1e-9 || math.Abs(math.Log(ratio.High)-(1+half)) > 1e-9 {
		t.Errorf("interval %v to %v", ratio.Low, ratio.High)
	}
	if want := studentTwoSided(freedom, 2); math.Abs(p-want) > 1e-12 {
		t.Errorf("p = %v, want %v", p, want)
	}
}

func TestUnpairedRatioOfLittle(t *testing.T) {
	for _, c := range []struct {
		name        string
		a, b        []float64
		level, p    float64
		n           int
		noted, sure bool
	}{
		{name: "nothing", p: 1, noted: true},
		{name: "one side", a: []float64{1, 2}, p: 1, noted: true},
		{name: "only zeros", a: []float64{0, 0}, b: []float64{1, 2}, p: 1, noted: true},
		{name: "one value", a: []float64{2}, b: []float64{1, 1}, p: 1, n: 3, noted: true},
		{name: "no noise, no difference", a: []float64{1, 1, 1, 1, 1, 1}, b: []float64{1, 1, 1, 1, 1, 1}, level: 0.95, p: 1, n: 12, sure: true},
		{name: "no noise, whatever rounding does", a: slices.Repeat([]float64{0.7}, 7), b: slices.Repeat([]float64{0.7}, 50), level: 0.95, p: 1, n: 57, sure: true},
		{name: "no noise", a: []float64{2, 2, 2, 2, 2, 2}, b: []float64{1, 1, 1, 1, 1, 1}, level: 0.95, p: 0, n: 12, sure: true},
		{name: "a zero is left out", a: []float64{2, 0, 2}, b: []float64{1, 1}, level: 0.95, p: 0, n: 4, noted: true, sure: true},
	} {
		ratio, p := UnpairedRatio(c.a, c.b, 0.95)
		if ratio.Level != c.level || p != c.p || ratio.N != c.n || (!ratio.Note.IsZero()) != c.noted {
			t.Errorf("%s: %+v, p %v", c.name, ratio, p)
		}
		if c.sure && (ratio.Low != ratio.Estimate || ratio.High != ratio.Estimate) {
			t.Errorf("%s: %+v is no point", c.name, ratio)
		}
	}
}

// Welch's interval covers the truth though the sides differ in noise and number.
func TestUnpairedRatioCoverage(t *testing.T) {
	const studies, truth = 2000, 1.1
	rng := rand.New(rand.NewPCG(7, 0))
	draw := func(n int, center, deviation float64) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = center * math.Exp(deviation*rng.NormFloat64())
		}
		return values
	}
	covered, rejected := 0, 0
	for range studies {
		ratio, _ := UnpairedRatio(draw(6, 11, 0.06), draw(12, 10, 0.02), 0.95)
		if ratio.Contains(truth) {
			covered++
		}
		if _, p := UnpairedRatio(draw(6, 10, 0.06), draw(12, 10, 0.02), 0.95); p < 0.05 {
			rejected++
		}
	}
	// Four standard errors of a share of 2,000 are 2 percentage points.
	if share := float64(covered) / studies; math.Abs(share-0.95) > 0.02 {
		t.Errorf("covers %.3f", share)
	}
	if share := float64(rejected) / studies; math.Abs(share-0.05) > 0.02 {
		t.Errorf("%.3f false differences", share)
	}
}

func TestLogDeviation(t *testing.T) {
	if d, ok := LogDeviation([]float64{math.E, 0, 1 / math.E}); !ok || math.Abs(d-math.Sqrt2) > 1e-12 {
		t.Errorf("%v, %v", d, ok)
	}
	if _, ok := LogDeviation([]float64{1}); ok {
		t.Error("a deviation of one value")
	}
}

func TestHolmAdjusted(t *testing.T) {
	got := HolmAdjusted([]float64{0.04, 0.01, 0.03, 0.8})
	want := []float64{0.09, 0.04, 0.09, 0.8}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12 {
			t.Errorf("adjusted %v, want %v", got, want)
		}
	}
	if !slices.Equal(HolmAdjusted(nil), []float64{}) {
		t.Error("something from nothing")
	}
}
