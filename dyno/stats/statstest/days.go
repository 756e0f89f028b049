package statstest

import (
	"math"
	"math/rand/v2"

	"dyno.example/dyno/stats"
)

// Machine is one whose days differ: all restarts of a day are moved by the same
// share.
type Machine struct {
	Day      float64 // standard deviation of the logarithm between days
	Restart  float64 // between restarts of a day
	Restarts int     // of a run
	// Rho is how alike a day is to the one before. The day that is judged is so many days
	// after the baseline's last one.
	Rho float64
	Gap int
}

// on starts a day so many standard deviations off the usual one: each call of the function
// returned measures a run of it, of a service so many times slower than the usual one.
func (m Machine) on(day, worse float64, r *rand.Rand) func() []float64 {
	level := worse * math.Exp(m.Day*day)
	return func() []float64 {
		run := make([]float64, m.Restarts)
		for i := range run {
			run[i] = level * math.Exp(m.Restart*r.NormFloat64())
		}
		return run
	}
}

// Gates is how often a gate alarms that holds a service against a baseline of so many
// days: the interval's lower end is above 1 and the estimate beyond 1 + threshold, in
// each of two runs of one day. Without a change these are false alarms.
func Gates(m Machine, days int, threshold, worse, level float64, studies int, seed uint64) (alarms Rate) {
	r := rand.New(rand.NewPCG(seed, 0x646179))
	for range studies {
		before := make([][]float64, days)
		day := r.NormFloat64()
		next := func(days int) {
			for range days {
				day = m.Rho*day + math.Sqrt(1-m.Rho*m.Rho)*r.NormFloat64()
			}
		}
		for i := range before {
			before[i] = m.on(day, 1, r)()
			next(1)
		}
		next(max(m.Gap-1, 0))
		run, alarm := m.on(day, worse, r), true
		for i := 0; i < 2 && alarm; i++ {
			ratio := stats.DaysRatio(before, run(), level).Ratio
			alarm = ratio.Low > 1 && ratio.Estimate > 1+threshold
		}
		alarms.Add(alarm)
	}
	return alarms
}
