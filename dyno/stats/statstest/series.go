package statstest

import (
	"math"
	"math/rand/v2"

	"dyno.example/dyno/stats"
)

// Nights are runs of one study, one a night: a first-order autoregression.
type Nights struct {
	Rho   float64 // correlation of neighbours
	Noise float64 // standard deviation of a night's logarithm
	// Shared is the correlation of the series of one machine with each other: what
	// is busy one night is so for all that is measured in it.
	Shared float64
	// Mixed makes every second series one whose nights are not alike at all.
	Mixed bool
}

// Draw draws so many nights, the last ones so many times as high.
func (s Nights) Draw(nights int, step float64, last int, r *rand.Rand) []float64 {
	x := make([]float64, nights)
	v := r.NormFloat64()
	for i := range x {
		x[i] = s.Noise * v
		if i >= nights-last {
			x[i] += math.Log(step)
		}
		v = s.Rho*v + math.Sqrt(1-s.Rho*s.Rho)*r.NormFloat64()
	}
	return x
}

// Found is how often a series of so many nights, the last ones so many times as
// high, is said to change. With a step of 1 these are false alarms.
func (s Nights) Found(nights int, step float64, last int, p float64, series int, seed uint64) (found Rate) {
	r := rand.New(rand.NewPCG(seed, 0x6e6967))
	for i := range series {
		found.Add(stats.ChangeP(s.Draw(nights, step, last, r), stats.Alike{}, uint64(i)) <= p)
	}
	return found
}

// Nightly tests a series without changes after each night from first to last. It
// returns how many of all looks say that there is one, and how many series say so at
// any look.
func (s Nights) Nightly(first, last int, p float64, series int, seed uint64) (looks, ever Rate) {
	r := rand.New(rand.NewPCG(seed, 0x6e6977))
	for i := range series {
		x, once := s.Draw(last, 1, 0, r), false
		for n := first; n <= last; n++ {
			found := stats.ChangeP(x[:n], stats.Alike{}, uint64(i)) <= p
			looks.Add(found)
			once = once || found
		}
		ever.Add(once)
	}
	return looks, ever
}

// Discoveries is the share of false ones among the series said to change, on average,
// of studies with so many series, of which the first changed by the step so many
// nights ago; and how often any is false if none changed.
func (s Nights) Discoveries(nights, series, changed, last int, step, share float64, studies int, seed uint64) (falseShare float64, any Rate, missed Rate) {
	r := rand.New(rand.NewPCG(seed, 0x666472))
	for study := range studies {
		p := make([]float64, series)
		all := s.together(nights, series, changed, last, step, r)
		alike := stats.AlikeOf(all)
		for i := range p {
			p[i] = stats.ChangeP(all[i], alike, uint64(study))
		}
		limit, count := stats.FalseDiscovery(p, share)
		wrong := 0
		for i, value := range p {
			called := count > 0 && value <= limit
			if called && i >= changed {
				wrong++
			}
			if i < changed {
				missed.Add(!called)
			}
		}
		falseShare += float64(wrong) / float64(max(count, 1)) / float64(studies)
		any.Add(wrong > 0)
	}
	return falseShare, any, missed
}

// together draws several series of the same nights, of which the first changed by the
// step so many nights ago.
func (s Nights) together(nights, series, changed, last int, step float64, r *rand.Rand) [][]float64 {
	machine := s.Draw(nights, 1, 0, r)
	all := make([][]float64, series)
	for i := range all {
		one, size := s, 1.0
		if s.Mixed && i%2 == 1 {
			one.Rho = 0
		}
		if i < changed {
			size = step
		}
		all[i] = one.Draw(nights, 1, 0, r)
		for night := range all[i] {
			all[i][night] = math.Sqrt(s.Shared)*machine[night] + math.Sqrt(1-s.Shared)*all[i][night]
			if night >= nights-last {
				all[i][night] += math.Log(size)
			}
		}
	}
	return all
}
