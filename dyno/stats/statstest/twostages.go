package statstest

import (
	"math"
	"math/rand/v2"

	"dyno.example/dyno/stats"
)

// Seeded is a source of random numbers that gives the same ones again.
func Seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x73656564)) }

// TwoStaged is what decisions in two stages came to.
type TwoStaged struct {
	Alarms Rate    `json:"alarms"`
	Clear  Rate    `json:"clear"`
	Pairs  float64 `json:"pairs"` // of both stages, on average
}

// TwoStages simulates gates whose pairs have a log ratio of so much deviation, normally
// distributed.
func TwoStages(plan *stats.TwoStage, deviation, truth float64, gates int, seed uint64) (o TwoStaged) {
	r := Seeded(seed)
	return TwoStagesOf(plan, gates, func() float64 { return math.Log(truth) + deviation*r.NormFloat64() })
}

// TwoStagesOf simulates gates whose pairs are drawn.
func TwoStagesOf(plan *stats.TwoStage, gates int, pair func() float64) (o TwoStaged) {
	for range gates {
		var stages [2][]float64
		s := plan.Decide(nil, nil)
		for s.Stand == stats.Open {
			stages[s.Stage-1] = append(stages[s.Stage-1], pair())
			s = plan.Decide(stages[0], stages[1])
		}
		o.Alarms.Add(s.Stand == stats.Above)
		o.Clear.Add(s.Stand == stats.Clear)
		o.Pairs += (float64(len(stages[0])+len(stages[1])) - o.Pairs) / float64(o.Alarms.Of)
	}
	return o
}
