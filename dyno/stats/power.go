package stats

import "math"

// DetectableRatio is the smallest ratio above 1 of two subjects that a study of
// so many blocks finds with the probability power: that the interval of [Ratio]
// at the level given lies wholly above 1. deviation is the standard deviation of
// the logarithm of one trial; those of the two subjects in a block are taken to
// be independent, so that what a block's pairing takes away of the noise is not
// counted on. It is infinite with fewer than two blocks.
//
// It is exact for normally distributed logarithms: the test statistic then has
// the noncentral t distribution.
func DetectableRatio(deviation float64, blocks int, level, power float64) float64 {
	if blocks < 2 {
		return math.Inf(1)
	}
	if deviation == 0 {
		return 1
	}
	return math.Exp(detectable(float64(blocks-1), level, power) * deviation * math.Sqrt2 / math.Sqrt(float64(blocks)))
}

// detectable is the smallest difference, in standard errors, that a t test with so
// many degrees of freedom finds with the probability power.
func detectable(freedom, level, power float64) float64 {
	critical := studentQuantile(freedom, 1-(1-level)/2)
	low, high := 0.0, 1.0
	for noncentralAbove(high, freedom, critical) < power {
		low, high = high, 2*high
	}
	for range 60 {
		if middle := (low + high) / 2; noncentralAbove(middle, freedom, critical) < power {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// noncentralAbove is the probability that a noncentral t variable is above x:
// that of a normal variable about shift to be above x·s, s² being chi-squared
// over its degrees of freedom, integrated over s (Johnson, Kotz and
// Balakrishnan, Continuous Univariate Distributions 2, chapter 31).
func noncentralAbove(shift, freedom, x float64) float64 {
	lg, _ := math.Lgamma(freedom / 2)
	scale := math.Log(2) + freedom/2*math.Log(freedom/2) - lg // of the density of s
	density := func(s float64) float64 {
		if s == 0 {
			if freedom == 1 {
				return math.Exp(scale)
			}
			return 0
		}
		return math.Exp(scale + (freedom-1)*math.Log(s) - freedom*s*s/2)
	}
	// Beyond 1+8/√freedom the density is below 1e-13: Simpson's rule up to there.
	const steps = 2000
	end := 1 + 8/math.Sqrt(freedom)
	sum := 0.0
	for i := range steps + 1 {
		s := end * float64(i) / steps
		weight := 2.0
		switch {
		case i == 0 || i == steps:
			weight = 1
		case i%2 == 1:
			weight = 4
		}
		sum += weight * density(s) * normalCDF(shift-x*s)
	}
	return sum * end / steps / 3
}
