package statstest

import (
	"math"
	"math/rand/v2"

	"dyno.example/dyno/stats"
)

// Grid is a response whose inputs have a few levels only, so that rows of a Sobol
// design share measurements.
type Grid struct {
	Response
	Levels int // of each input, in equal steps
}

// NewGrid computes the indices of a response over all combinations of levels.
func NewGrid(f Response, levels int) Grid {
	g := Grid{Response: f, Levels: levels}
	dims := len(f.First)
	bins := int(math.Pow(float64(levels), float64(dims)))
	values, mean := make([]float64, bins), 0.0
	for bin := range values {
		values[bin] = f.Of(g.at(bin, dims))
		mean += values[bin] / float64(bins)
	}
	g.Variance, g.First, g.Total = 0, make([]float64, dims), make([]float64, dims)
	for _, v := range values {
		g.Variance += (v - mean) * (v - mean) / float64(bins)
	}
	step := 1
	for d := range dims {
		// Means over all other inputs, and the variance within each line along this one.
		byLevel := make([]float64, levels)
		for bin, v := range values {
			byLevel[bin/step%levels] += v * float64(levels) / float64(bins)
			along := 0.0
			for level := range levels {
				along += values[bin+(level-bin/step%levels)*step] / float64(levels)
			}
			g.Total[d] += (v - along) * (v - along) / float64(bins) / g.Variance
		}
		for _, m := range byLevel {
			g.First[d] += (m - mean) * (m - mean) / float64(levels) / g.Variance
		}
		step *= levels
	}
	return g
}

// at is the input of a bin.
func (g *Grid) at(bin, dims int) []float64 {
	x := make([]float64, dims)
	for d := range x {
		x[d] = (float64(bin%g.Levels) + 0.5) / float64(g.Levels)
		bin /= g.Levels
	}
	return x
}

// bin is that of a row of the design.
func (g *Grid) bin(row []float64) (n int) {
	for d := len(row) - 1; d >= 0; d-- {
		n = n*g.Levels + min(int(row[d]*float64(g.Levels)), g.Levels-1)
	}
	return n
}

// Intervals is how often the intervals of the indices hold them, where each bin is
// measured once, with noise of so many of the function's standard deviations, and what
// the estimates are on average less the truth, for first order and total.
func (g *Grid) Intervals(groups int, noise float64, studies int, seed uint64) (first, total Rate, firstBias, totalBias float64) {
	dims := len(g.First)
	r := rand.New(rand.NewPCG(seed, 0x67726964))
	deviation := noise * math.Sqrt(g.Variance)
	for study := range studies {
		measured := map[int]float64{}
		var y []float64
		var points []int
		for _, row := range stats.Saltelli(groups, dims, uint64(study)+seed<<32) {
			bin := g.bin(row)
			if _, ok := measured[bin]; !ok {
				measured[bin] = g.Of(g.at(bin, dims)) + deviation*r.NormFloat64()
			}
			y, points = append(y, measured[bin]), append(points, bin)
		}
		for d, index := range stats.Sobol(y, points, groups, dims, deviation*deviation, 0.95, uint64(study)) {
			if index.First.Level == 0 {
				continue
			}
			first.Add(index.First.Contains(g.First[d]))
			total.Add(index.Total.Contains(g.Total[d]))
			firstBias += (index.First.Estimate - g.First[d]) / float64(studies*dims)
			totalBias += (index.Total.Estimate - g.Total[d]) / float64(studies*dims)
		}
	}
	return first, total, firstBias, totalBias
}
