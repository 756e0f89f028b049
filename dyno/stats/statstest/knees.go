package statstest

import (
	"math"
	"math/rand/v2"
	"slices"

	"dyno.example/dyno/stats"
)

// Curve is a service's throughput by connections.
type Curve struct {
	Name string
	Of   func(connections float64) float64
}

// KneeLevels are the numbers of connections of simulated sweeps.
func KneeLevels() []float64 {
	var levels []float64
	for n := 500.0; n <= 10_000; n += 500 {
		levels = append(levels, n)
	}
	return levels
}

// Curves have their knee at 2,000 connections (the sharp ones), or where saturation
// comes slowly.
func Curves() []Curve {
	return []Curve{
		{"rises to 2,000 and is flat", func(n float64) float64 { return min(n, 2000) }},
		{"rises to 2,000 and falls", func(n float64) float64 { return min(n, 2000) * min(1, math.Pow(n/2000, -0.2)) }},
		{"saturates slowly", func(n float64) float64 { return n / (1 + n/300) }},
		{"still rises at the end", func(n float64) float64 { return n }},
	}
}

// Knee is the true one: the lowest level with at least the share of the highest.
func (c Curve) Knee(levels []float64, share float64) float64 {
	top := 0.0
	for _, n := range levels {
		top = max(top, c.Of(n))
	}
	return levels[slices.IndexFunc(levels, func(n float64) bool { return c.Of(n) >= share*top })]
}

// Knees is what simulated sweeps came to.
type Knees struct {
	Covered Rate    // the interval holds the true knee
	Mean    float64 // of the estimates
	ByBlock float64 // mean of the lowest level with the share of the highest of each block, averaged
}

// SimulateKnees draws sweeps of so many blocks with the noise given, as a share.
func SimulateKnees(c Curve, blocks int, noise float64, sweeps int, seed uint64) (k Knees) {
	const share = 0.95
	r := rand.New(rand.NewPCG(seed, 0x6b6e6565))
	levels := KneeLevels()
	truth := c.Knee(levels, share)
	for i := range sweeps {
		values := make([][]float64, len(levels))
		for l, n := range levels {
			for range blocks {
				values[l] = append(values[l], c.Of(n)*math.Exp(noise*r.NormFloat64()))
			}
		}
		found, ok := stats.FindKnee(levels, values, share, 0.95, uint64(i))
		if !ok {
			continue
		}
		k.Covered.Add(levels[found.Low] <= truth && truth <= levels[found.High])
		k.Mean += levels[found.At] / float64(sweeps)
		for b := range blocks {
			top := 0.0
			for l := range levels {
				top = max(top, values[l][b])
			}
			at := slices.IndexFunc(values, func(row []float64) bool { return row[b] >= share*top })
			k.ByBlock += levels[at] / float64(blocks) / float64(sweeps)
		}
	}
	return k
}
