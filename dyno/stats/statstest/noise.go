package statstest

import (
	"math"
	"math/rand/v2"
)

// Noise is how trials that follow each other on one machine scatter.
type Noise struct {
	Name string
	// New starts a series: each call of next gives the logarithm of the next
	// trial's deviation.
	New func(r *rand.Rand) (next func() float64)
}

// Noises are series that a normal distribution, or independence, describes badly
// in different ways, and one that they describe well. Each scatters by some 2 %
// where nothing disturbs it.
func Noises() []Noise {
	return []Noise{
		independent("log-normal", quiet),
		independent("skewed", func(r *rand.Rand) float64 { return -0.02 * r.ExpFloat64() }),
		independent("contaminated", func(r *rand.Rand) float64 {
			if r.IntN(10) == 0 {
				return 10 * quiet(r)
			}
			return quiet(r)
		}),
		independent("sometimes slow", func(r *rand.Rand) float64 {
			if r.IntN(10) == 0 {
				return quiet(r) - 0.2
			}
			return quiet(r)
		}),
		independent("plateaus", func(r *rand.Rand) float64 { return quiet(r) + 0.1*float64(r.IntN(2)) }),
		{"autocorrelated", autocorrelated},
		{"regimes", regimes},
	}
}

func quiet(r *rand.Rand) float64 { return 0.02 * r.NormFloat64() }

func independent(name string, draw func(*rand.Rand) float64) Noise {
	return Noise{name, func(r *rand.Rand) func() float64 { return func() float64 { return draw(r) } }}
}

// autocorrelated is a first-order autoregression with the coefficient 0.8.
func autocorrelated(r *rand.Rand) func() float64 {
	const rho = 0.8
	x := quiet(r)
	return func() float64 {
		x = rho*x + math.Sqrt(1-rho*rho)*quiet(r)
		return x
	}
}

// regimes switches between a machine of one's own and one that is shared, where
// everything takes a fifth longer, every ten trials or so.
func regimes(r *rand.Rand) func() float64 {
	slow := 0.2 * float64(r.IntN(2))
	return func() float64 {
		if r.IntN(10) == 0 {
			slow = 0.2 - slow
		}
		return quiet(r) - slow
	}
}

// Pairs draws the trials of two subjects in so many blocks, of which the first
// is ratio times as high: one series, the order random in each block.
func Pairs(noise Noise, blocks int, ratio float64, r *rand.Rand) (a, b []float64) {
	next := noise.New(r)
	a, b = make([]float64, blocks), make([]float64, blocks)
	for i := range a {
		x, y := next(), next()
		if r.IntN(2) == 0 {
			x, y = y, x
		}
		a[i], b[i] = ratio*math.Exp(x), math.Exp(y)
	}
	return a, b
}
