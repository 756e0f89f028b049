package noise

import (
	"math"

	"dyno.example/dyno/stats"
)

// What a difference must be to be called seen.
const (
	Level = 0.95 // confidence of its interval
	Power = 0.9  // share of the studies that find it
)

// blocks are the lengths of studies that are looked at.
var blocks = []int{3, 5, 8, 12, 20}

// Spread is how much one figure of the fixed subject varies.
type Spread struct {
	Figure     string           `json:"figure"` // "throughput" (1/s), "cpu" (s per request)
	Mean       float64          `json:"mean"`   // geometric
	Components stats.Components `json:"components"`
	// Trial is the standard deviation of trials that are each a start with one
	// run. Like the components it is of logarithms: 0.01 is 1 %.
	Trial      float64      `json:"trial"`
	Detectable []Detectable `json:"detectable"`
}

// Detectable is the smallest difference that a study can see.
type Detectable struct {
	Blocks int `json:"blocks"`
	// Difference is a share: 0.02 if the larger must be 2 % above the smaller.
	Difference float64 `json:"difference"`
}

// sumUp turns runs into spreads.
func (r *Report) sumUp(runs [][]run) {
	throughput, cpu := make([][]float64, len(runs)), make([][]float64, len(runs))
	for i, start := range runs {
		for _, one := range start {
			throughput[i] = append(throughput[i], math.Log(one.throughput))
			cpu[i] = append(cpu[i], math.Log(one.cpu))
			if !one.usable {
				r.Unusable++
			}
		}
	}
	r.Spreads = []Spread{spreadOf("throughput", throughput), spreadOf("cpu", cpu)}
}

// spreadOf takes the logarithms of a figure, by start and run.
func spreadOf(figure string, logs [][]float64) Spread {
	s := Spread{Figure: figure}
	sum, n := 0.0, 0
	for _, start := range logs {
		for _, x := range start {
			sum += x
			n++
		}
	}
	s.Mean = math.Exp(sum / float64(n))
	var ok bool
	if s.Components, ok = stats.SplitVariance(logs); !ok {
		return s
	}
	s.Trial = s.Components.Trial()
	for _, n := range blocks {
		s.Detectable = append(s.Detectable, Detectable{n, stats.DetectableRatio(s.Trial, n, Level, Power) - 1})
	}
	return s
}
