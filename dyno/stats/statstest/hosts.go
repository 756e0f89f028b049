package statstest

import (
	"math"
	"math/rand/v2"
)

// Host is a machine whose speed changes. Each call of the function that New returns gives
// the logarithm of how much slower it is than at its best, after so many seconds; they
// must not fall.
type Host struct {
	Name string
	New  func(r *rand.Rand) (slow func(seconds float64) float64)
}

// Hosts are machines on which slices are harder to compare in one way each.
func Hosts() []Host {
	return []Host{
		{"steady", func(*rand.Rand) func(float64) float64 { return func(float64) float64 { return 0 } }},
		twoSpeeds("two speeds", 3, 3, math.Log(1.33)),
		twoSpeeds("two speeds, seldom slow", 8, 0.5, math.Log(1.33)),
		{"drift", func(r *rand.Rand) func(float64) float64 { return wandering(r, 0.03, 20) }},
		{"restless", restless},
		{"more restless", moreRestless},
		{"bursts", bursts},
		{"all of it", func(r *rand.Rand) func(float64) float64 {
			speed, drift, burst := twoSpeeds("", 3, 3, math.Log(1.33)).New(r), wandering(r, 0.02, 20), bursts(r)
			return func(t float64) float64 { return speed(t) + drift(t) + burst(t) }
		}},
	}
}

// twoSpeeds is a Markov chain of two states that last so many seconds on average.
func twoSpeeds(name string, fast, slow, by float64) Host {
	return Host{name, func(r *rand.Rand) func(float64) float64 {
		isSlow := r.Float64() < slow/(fast+slow)
		lasts := func() float64 {
			if isSlow {
				return slow * r.ExpFloat64()
			}
			return fast * r.ExpFloat64()
		}
		until := lasts()
		return func(t float64) float64 {
			for t > until {
				isSlow = !isSlow
				until += lasts()
			}
			if isSlow {
				return by
			}
			return 0
		}
	}}
}

// wandering is an Ornstein–Uhlenbeck process of so much deviation, that forgets in so many
// seconds.
func wandering(r *rand.Rand, deviation, forgets float64) func(float64) float64 {
	x, at := deviation*r.NormFloat64(), 0.0
	return func(t float64) float64 {
		keep := math.Exp(-(t - at) / forgets)
		x, at = keep*x+math.Sqrt(1-keep*keep)*deviation*r.NormFloat64(), t
		return x
	}
}

// restless is what slices of ten Go servers on a shared virtual CPU looked like: they cost
// 17 % more or less, and within half a second that is forgotten.
func restless(r *rand.Rand) func(float64) float64 { return wandering(r, 0.17, 0.5) }

// Moody is a restless machine that is another from start to start: its log speed has such a standard deviation between
// them.
func Moody(deviation float64) Host {
	return Host{"moody", func(r *rand.Rand) func(float64) float64 {
		mood, slow := deviation*r.NormFloat64(), restless(r)
		return func(t float64) float64 { return mood + slow(t) }
	}}
}

// moreRestless is the same machine three hours later, in slices of 50 ms: 22 % more or less, of
// which most is forgotten in a quarter of a second and some in seconds.
func moreRestless(r *rand.Rand) func(float64) float64 {
	soon, late := wandering(r, 0.19, 0.25), wandering(r, 0.09, 1.5)
	return func(t float64) float64 { return soon(t) + late(t) }
}

// bursts are neighbours that come every two seconds or so, and take up to half of the
// speed away for some hundredths of a second.
func bursts(r *rand.Rand) func(float64) float64 {
	begins := 2 * r.ExpFloat64()
	ends, by := begins, 0.0
	next := func() {
		ends = begins + 0.05*r.ExpFloat64()
		by = 0.7 * r.Float64()
	}
	next()
	return func(t float64) float64 {
		for t > ends {
			begins = ends + 2*r.ExpFloat64()
			next()
		}
		if t >= begins {
			return by
		}
		return 0
	}
}

// TraceHost repeats what was recorded of a machine, from a random place on: logarithms of
// slowness, one every so many seconds.
func TraceHost(name string, trace []float64, every float64) Host {
	return Host{name, func(r *rand.Rand) func(float64) float64 {
		from := r.IntN(len(trace))
		return func(t float64) float64 { return trace[(from+int(t/every))%len(trace)] }
	}}
}
