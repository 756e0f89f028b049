package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// studentQuantile returns the p-quantile of Student's t distribution with the
// degrees of freedom given, for p from 0.5 to below 1 (Abramowitz and Stegun,
// 26.7.1: the two-sided tail is a regularised incomplete beta function).
func studentQuantile(freedom, p float64) float64 {
	x := mathext.InvRegIncBeta(freedom/2, 0.5, 2*(1-p))
	return math.Sqrt(freedom * (1 - x) / x)
}

// studentTwoSided returns the probability that |T| is at least |t|.
func studentTwoSided(freedom, t float64) float64 {
	if math.IsInf(t, 0) {
		return 0
	}
	return mathext.RegIncBeta(freedom/2, 0.5, freedom/(freedom+t*t))
}

// normalCDF is the distribution function of the standard normal distribution.
func normalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// meanAndError returns the mean of x and its standard error; x holds at least
// two values. Of values that are all the same the error is exactly 0: what
// rounding makes of it could pass for a difference.
func meanAndError(x []float64) (mean, stderr float64) {
	if slices.Min(x) == slices.Max(x) {
		return x[0], 0
	}
	n := float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	squares := 0.0
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(squares / (n - 1) / n)
}
