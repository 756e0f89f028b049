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
	cells := int(math.Pow(float64(levels), float64(dims)))
	values, mean := make([]float64, cells), 0.0
	for cell := range values {
		values[cell] = f.Of(g.at(cell, dims))
		mean += values[cell] / float64(cells)
	}
	g.Variance, g.First, g.Total = 0, make([]float64, dims), make([]float64, dims)
	for _, v := range values {
		g.Variance += (v - mean) * (v - mean) / float64(cells)
	}
	step := 1
	for d := range dims {
		// Means over all other inputs, and the variance within each line along this one.
		byLevel := make([]float64, levels)
		for cell, v := range values {
			byLevel[cell/step%levels] += v * float64(levels) / float64(cells)
			along := 0.0
			for level := range levels {
				along += values[cell+(level-cell/step%levels)*step] / float64(levels)
			}
			g.Total[d] += (v - along) * (v - along) / float64(cells) / g.Variance
		}
		for _, m := range byLevel {
			g.First[d] += (m - mean) * (m - mean) / float64(levels) / g.Variance
		}
		step *= levels
	}
	return g
}

// at is the input of a cell.
func (g *Grid) at(cell, dims int) []float64 {
	x := make([]float64, dims)
	for d := range x {
		x[d] = (float64(cell%g.Levels) + 0.5) / float64(g.Levels)
		cell /= g.Levels
	}
	return x
}

// cell is that of a row of the design.
func (g *Grid) cell(row []float64) (cell int) {
	for d := len(row) - 1; d >= 0; d-- {
		cell = cell*g.Levels + min(int(row[d]*float64(g.Levels)), g.Levels-1)
	}
	return cell
}

// Intervals is how often the intervals of the indices hold them, where each cell is
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
			cell := g.cell(row)
			if _, ok := measured[cell]; !ok {
				measured[cell] = g.Of(g.at(cell, dims)) + deviation*r.NormFloat64()
			}
			y, points = append(y, measured[cell]), append(points, cell)
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
