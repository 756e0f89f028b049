package statstest

import (
	"math"
	"math/rand/v2"

	"dyno.example/dyno/stats"
)

// Trial is how the windows of a trial go: the logarithm of what each costs.
type Trial struct {
	Name  string
	Want  string // what stats.Steadiness must call it
	Least int    // windows that it takes to see that
	Cost  func(window, windows int) float64
}

// Trials are one of each kind; changes are of a tenth and more.
func Trials() []Trial {
	return []Trial{
		{"flat", stats.Flat, 8, func(int, int) float64 { return 0 }},
		{"five windows of warm-up", stats.WarmUp, 10, func(w, _ int) float64 {
			if w < 5 {
				return 0.25
			}
			return 0
		}},
		{"slower from the middle on", stats.SlowDown, 10, func(w, windows int) float64 {
			if w >= windows/2 {
				return 0.1
			}
			return 0
		}},
		{"slower just before the end", stats.NoSteadyState, 20, func(w, windows int) float64 {
			if w >= windows-3 {
				return 0.4
			}
			return 0
		}},
	}
}

// Signals draws three signals of the trial's windows: two that follow its cost,
// and one that doesn't. Each has noise of its own, a first-order autoregression
// with the coefficient rho and the standard deviation noise.
func (t Trial) Signals(windows int, noise, rho float64, r *rand.Rand) [][]float64 {
	signals := make([][]float64, 3)
	for i := range signals {
		x := r.NormFloat64()
		for w := range windows {
			cost := t.Cost(w, windows)
			if i == 2 {
				cost = 0
			}
			signals[i] = append(signals[i], math.Exp(3+cost+noise*x))
			x = rho*x + math.Sqrt(1-rho*rho)*r.NormFloat64()
		}
	}
	return signals
}

// Steadiness is how often stats.Steadiness calls trials what they are.
func Steadiness(t Trial, windows int, noise, rho float64, trials int, seed uint64) (right Rate) {
	r := rand.New(rand.NewPCG(seed, 0x737464))
	for range trials {
		right.Add(stats.Steadiness(t.Signals(windows, noise, rho, r)).Kind == t.Want)
	}
	return right
}
