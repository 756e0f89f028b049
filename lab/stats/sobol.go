package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// SobolIndex tells how much of a result's variance is due to one input.
type SobolIndex struct {
	First Interval `json:"first"` // to the input alone: what would go if it were fixed
	Total Interval `json:"total"` // to it and its interactions with others: what stays if only it varies
}

// resamplesSobol is enough for the ends of a 95 % interval.
const resamplesSobol = 999

// Sobol estimates the Sobol indices of dims inputs from y, the function's values
// at the rows of [Saltelli](n, dims, …) in their order. A group of rows of which
// any value is NaN, such as that of a failed trial, is left out; N counts the
// groups that remain. It panics if len(y) is not n·(dims+2).
//
// Of first order it is the estimator of Saltelli et al. 2010 (table 2, b), of
// the total that of Jansen ("Analysis of variance designs for model output",
// Computer Physics Communications 117, 1999; table 2, f), of values less their
// mean. Intervals are percentiles of the bootstrap over groups (Archer, Saltelli
// and Sobol', "Sensitivity measures, ANOVA-like techniques and the use of
// bootstrap", Journal of Statistical Computation and Simulation 58, 1997). Being
// estimates, indices may come out somewhat below 0 or above 1.
//
// Noise of measurement is variance that no input explains: it makes first-order
// indices smaller and adds to every total. noise is its variance in one value, as far as
// it is known, and is taken from the variance of the values and from that of every
// difference; 0 takes nothing away. What all rows of a group share, such as a busy
// hour, cancels in the differences and is no noise in this sense.
//
// The interval is narrower than it should be, the more so the fewer groups there are.
// Its Level is the confidence that it had in simulations of several functions with and
// without noise (bench/statistics -what sobol), not the one asked for, where that is
// less; Note says so.
//
// With fewer than eight groups there is no interval, and with no variance there
// are no indices; Note then says so.
func Sobol(y []float64, n, dims int, noise, level float64, seed uint64) []SobolIndex {
	if len(y) != n*(dims+2) {
		panic(fmt.Sprintf("stats: %d values for %d groups of %d", len(y), n, dims+2))
	}
	groups := completeGroups(y, dims+2)
	drawn := make([][]float64, len(groups))
	random := rand.New(rand.NewPCG(seed, 0x736f626f6c))
	estimates := sobolOf(groups, dims, noise)
	draws := make([][]float64, 2*dims)
	for range resamplesSobol {
		for i := range drawn {
			drawn[i] = groups[random.IntN(len(groups))]
		}
		if values := sobolOf(drawn, dims, noise); values != nil {
			for k, v := range values {
				draws[k] = append(draws[k], v)
			}
		}
	}
	indices := make([]SobolIndex, dims)
	for d := range indices {
		indices[d].First = sobolInterval(len(groups), d, estimates, draws, level)
		indices[d].Total = sobolInterval(len(groups), dims+d, estimates, draws, level)
	}
	return indices
}

// completeGroups cuts y into groups, without those that lack a value.
func completeGroups(y []float64, size int) [][]float64 {
	var groups [][]float64
	for from := 0; from < len(y); from += size {
		group := y[from : from+size]
		sum := 0.0
		for _, v := range group {
			sum += v
		}
		if !math.IsNaN(sum) {
			groups = append(groups, group)
		}
	}
	return groups
}

// sobolOf returns first-order and then total indices; nil without variance beyond
// that of the noise.
func sobolOf(groups [][]float64, dims int, noise float64) []float64 {
	mean, variance := momentsOf(groups)
	variance -= noise
	if !(variance > 1e-20*mean*mean) { // what rounding makes
		return nil
	}
	indices := make([]float64, 2*dims)
	share := 1 / (variance * float64(len(groups)))
	for _, g := range groups {
		a, b := g[0], g[1]
		for d := range dims {
			mixed := g[2+d]
			indices[d] += (b - mean) * (mixed - a) * share
			indices[dims+d] += ((a-mixed)*(a-mixed)/2 - noise) * share
		}
	}
	return indices
}

// momentsOf returns mean and variance of the independent rows, A and B.
func momentsOf(groups [][]float64) (mean, variance float64) {
	n := float64(2 * len(groups))
	for _, g := range groups {
		mean += (g[0] + g[1]) / n
	}
	for _, g := range groups {
		variance += ((g[0]-mean)*(g[0]-mean) + (g[1]-mean)*(g[1]-mean)) / n
	}
	return mean, variance
}

// sobolInterval is the k-th of the estimates with its interval.
func sobolInterval(groups, k int, estimates []float64, draws [][]float64, level float64) Interval {
	const least = 8
	switch {
	case groups == 0:
		return Interval{Note: "no complete group of trials"}
	case estimates == nil:
		return Interval{N: groups, Note: "the result does not vary, or no more than by noise"}
	case groups < least:
		return Interval{N: groups, Estimate: estimates[k], Low: estimates[k], High: estimates[k],
			Note: fmt.Sprintf("need ≥ %d complete groups for an interval", least)}
	}
	interval := percentiles(groups, estimates[k], draws[k], level)
	if given := sobolGives(groups); given < level {
		interval.Level = given
		interval.Note = fmt.Sprintf("%d groups give an interval of %s rather than %s", groups, percent(given), percent(level))
	}
	return interval
}

// sobolGives is the confidence that percentile intervals of so many groups have when
// asked for 95 %: about the least that the simulations of three functions, with noise
// and without, came to.
func sobolGives(groups int) float64 {
	switch {
	case groups < 16:
		return 0.83
	case groups < 32:
		return 0.86
	case groups < 64:
		return 0.90
	}
	return 0.93
}
