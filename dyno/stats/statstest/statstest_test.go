package statstest

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The truth that coverage is held against must be true itself.
func TestLatencyQuantiles(t *testing.T) {
	for _, l := range Latencies() {
		t.Run(l.Name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 1))
			for _, q := range []float64{0.5, 0.9, 0.99} {
				truth, above, total := l.Quantile(q), 0.0, 0.0
				for _, windows := range l.Draw(3000, 4, 20, r) {
					for _, w := range windows {
						above += float64(w.Above(truth))
						total += float64(w.Total())
					}
				}
				if got := 1 - above/total; math.Abs(got-q) > 0.15*(1-q)+0.003 {
					t.Errorf("%.4f lie below the %v-quantile", got, q)
				}
			}
		})
	}
}

func TestPairsShareNothingButTheRatio(t *testing.T) {
	for _, noise := range Noises() {
		r := rand.New(rand.NewPCG(2, 1))
		a, b := Pairs(noise, 20_000, 2, r)
		mean := 0.0
		for i := range a {
			mean += math.Log(a[i]/b[i]) / float64(len(a))
		}
		if math.Abs(math.Exp(mean)-2) > 0.01 {
			t.Errorf("%s: ratio %v, want 2", noise.Name, math.Exp(mean))
		}
	}
}

func TestRate(t *testing.T) {
	var r Rate
	for i := range 100 {
		r.Add(i < 5)
	}
	low, high := r.Interval()
	if r.Share() != 0.05 || math.Abs(low-0.0215) > 1e-3 || math.Abs(high-0.1118) > 1e-3 || r.String() != "5.0 % (2.2–11.2)" {
		t.Errorf("%v: %v from %v to %v", r, r.Share(), low, high)
	}
}

// The truth of unequal arms is the ratio of their geometric means.
func TestUnequalArmsHaveTheirRatio(t *testing.T) {
	for _, arms := range UnequalArms() {
		r := rand.New(rand.NewPCG(2, 2))
		a, b := arms.Draw(40_000, 2, r)
		mean := 0.0
		for i := range a {
			mean += math.Log(a[i]/b[i]) / float64(len(a))
		}
		if math.Abs(math.Exp(mean)-2) > 0.015 {
			t.Errorf("%s: ratio %v, want 2", arms.Name, math.Exp(mean))
		}
	}
}

// The truth of shapes is the ratio, but where trials are lost by their value.
func TestShapesHaveTheirRatio(t *testing.T) {
	for _, shape := range Shapes() {
		a, b := present(shape.Draw(2000, 2, rand.New(rand.NewPCG(2, 3))))
		mean := 0.0
		for i := range a {
			mean += math.Log(a[i]/b[i]) / float64(len(a))
		}
		within := 0.03
		if len(a) < 2000 {
			within = 0.06
		}
		if math.Abs(math.Exp(mean)-2) > 2*within {
			t.Errorf("%s: ratio %v, want 2", shape.Name, math.Exp(mean))
		}
	}
}

// A week's rhythm and single bad nights are no changes, a step is one.
func TestCalendars(t *testing.T) {
	weekly := Calendars()[0]
	if found := weekly.Found(21, 1, 0, 0.01, 25, 1); found.Count > 2 {
		t.Errorf("changes found in %v of series without one", found)
	}
	if found := weekly.Found(21, 1.5, 6, 0.01, 10, 1); found.Count < 9 {
		t.Errorf("half as much again is found in %v", found)
	}
}

// Days that are like their neighbours, and far from the one that is judged, alarm more
// often than independent ones.
func TestGatesOfDaysThatAreAlike(t *testing.T) {
	m := Machine{Day: 0.05, Restart: 0.02, Restarts: 10}
	apart := Gates(m, 5, 0.05, 1, 0.95, 1500, 1)
	m.Rho, m.Gap = 0.9, 30
	if alike := Gates(m, 5, 0.05, 1, 0.95, 1500, 1); apart.Share() > 0.05 || alike.Share() < 2*apart.Share() {
		t.Errorf("%v alarm, and %v of those whose days are alike", apart, alike)
	}
}
