package statstest

import (
	"math"
	"math/rand/v2"

	"dyno.example/dyno/stats"
)

// Calendar is a series of nightly runs that is no autoregression.
type Calendar struct {
	Name string
	// Draw draws the logarithms of so many nights.
	Draw func(nights int, r *rand.Rand) []float64
}

// Calendars are series in which nothing has changed, as far as a change is a step.
func Calendars() []Calendar {
	each := func(name string, night func(i int, r *rand.Rand) float64) Calendar {
		return Calendar{name, func(nights int, r *rand.Rand) []float64 {
			x := make([]float64, nights)
			first := r.IntN(7)
			for i := range x {
				x[i] = night(i+first, r)
			}
			return x
		}}
	}
	return []Calendar{
		each("two nights a week 5 % faster, noise 2 %", func(i int, r *rand.Rand) float64 {
			if i%7 > 4 {
				return quiet(r) - 0.05
			}
			return quiet(r)
		}),
		each("one night in ten 30 % slower, noise 2 %", func(_ int, r *rand.Rand) float64 {
			if r.IntN(10) == 0 {
				return quiet(r) + 0.3
			}
			return quiet(r)
		}),
		each("in steps of 2 %, noise 1 %", func(_ int, r *rand.Rand) float64 {
			return 0.02 * math.Round(0.5*r.NormFloat64())
		}),
		each("skewed (exponential, 5 %)", func(_ int, r *rand.Rand) float64 { return 0.05 * r.ExpFloat64() }),
		{"noise of 1 %, from a night on 5 %", func(nights int, r *rand.Rand) []float64 {
			x, from := make([]float64, nights), r.IntN(nights)
			for i := range x {
				if x[i] = 0.01 * r.NormFloat64(); i >= from {
					x[i] *= 5
				}
			}
			return x
		}},
		each("noise of 1 %, in weeks by turns 5 %", func(i int, r *rand.Rand) float64 {
			return 0.01 * float64(1+i/7%2*4) * r.NormFloat64()
		}),
		{"weeks on another level, 5 % apart, noise 2 %", func(nights int, r *rand.Rand) []float64 {
			x, level := make([]float64, nights), 0.0
			for i := range x {
				if r.IntN(7) == 0 {
					level = 0.05 * float64(r.IntN(2))
				}
				x[i] = level + quiet(r)
			}
			return x
		}},
		{"a random walk of 1 % a night, noise 2 %", func(nights int, r *rand.Rand) []float64 {
			x, level := make([]float64, nights), 0.0
			for i := range x {
				level += 0.01 * r.NormFloat64()
				x[i] = level + quiet(r)
			}
			return x
		}},
	}
}

// Found is how often a series of so many nights, the last ones so many times as high, is
// said to change.
func (c Calendar) Found(nights int, step float64, last int, p float64, series int, seed uint64) (found Rate) {
	r := rand.New(rand.NewPCG(seed, 0x63616c))
	for i := range series {
		x := c.Draw(nights, r)
		for k := nights - last; k < nights; k++ {
			x[k] += math.Log(step)
		}
		found.Add(stats.ChangeP(x, stats.Alike{}, uint64(i)) <= p)
	}
	return found
}

// Nightly looks after each night from first to last, and counts the looks that find a
// change, and the series in which any does.
func (c Calendar) Nightly(first, last int, p float64, series int, seed uint64) (looks, ever Rate) {
	r := rand.New(rand.NewPCG(seed, 0x63616d))
	for i := range series {
		x, once := c.Draw(last, r), false
		for n := first; n <= last; n++ {
			found := stats.ChangeP(x[:n], stats.Alike{}, uint64(i)) <= p
			looks.Add(found)
			once = once || found
		}
		ever.Add(once)
	}
	return looks, ever
}
