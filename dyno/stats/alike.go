package stats

import "math"

// Alike is what several series of the same nights say of how alike neighbouring nights
// are: a correlation, and how many more values of a single series that is worth.
type Alike struct{ Rho, Values float64 }

// AlikeOf sums up several series, each with its best step taken away. How alike nights
// are is a property of the machine more than of what is measured on it, and one series
// of some thirty nights says little of it, so that each borrows from all (as in the
// estimates of James and Stein, Proceedings of the Fourth Berkeley Symposium 1, 1961):
//
//   - Series of the same nights rise and fall together, and then say the same thing
//     twice. The estimates of the correlation of two series are themselves correlated by
//     the square of the series' own correlation (Bartlett, "On the Theoretical Specification
//     and Sampling Properties of Autocorrelated Time-Series", Supplement to the Journal of
//     the Royal Statistical Society 8, 1946): S series are worth S² / Σ r² of them.
//   - Series may be alike in different degree. What their estimates differ by beyond their own error
//     bounds what each can borrow.
//
// Series with fewer than six values, or without any noise, say nothing.
func AlikeOf(series [][]float64) Alike {
	var rests [][]float64
	var estimates []float64
	values := 0.0
	for _, x := range series {
		x = x[max(0, len(x)-maxSeries):]
		rest, rho, ok := restOf(x)
		if !ok {
			continue
		}
		rests, estimates = append(rests, rest), append(estimates, corrected(rho, len(x)))
		values += float64(len(x))
	}
	n := float64(len(rests))
	if n < 2 {
		return Alike{}
	}
	values /= n
	center := min(max(mean(estimates), 0), 1)
	said := n * n / squaredCorrelations(rests)
	borrowed := (said - 1) * values
	// The error of one estimate, and what they differ by beyond it. Those of series
	// that say the same differ less, which must not pass for being alike.
	inflated := 1 + 11/values
	own := (1 - center*center) * inflated * inflated / values
	between := 0.0
	for _, e := range estimates {
		between += (e - mean(estimates)) * (e - mean(estimates)) / (n - 1)
	}
	if excess := between - own*(1-1/said)*n/(n-1); excess > 0 {
		borrowed = min(borrowed, own*values/excess)
	}
	return Alike{Rho: center, Values: borrowed}
}

// restOf is what is left of a series when its best step is taken away, and how alike
// neighbours among that are.
func restOf(x []float64) (rest []float64, rho float64, ok bool) {
	if len(x) < leastSeries {
		return nil, 0, false
	}
	var s levelScan
	best := s.scan(x)
	if best.score == 0 {
		return nil, 0, false
	}
	rest, rho = best.rest(x)
	return rest, rho, true
}

// squaredCorrelations is the sum of the squared correlations of all pairs of series,
// each with itself among them. Series of different lengths are not of the same
// nights one by one: they count as saying the same.
func squaredCorrelations(rests [][]float64) (sum float64) {
	for i, a := range rests {
		sum++
		for _, b := range rests[:i] {
			r := 1.0
			if len(a) == len(b) {
				r = correlationOf(a, b)
			}
			// By chance alone it is 1/n on average.
			sum += 2 * max(0, r*r-1/float64(len(a)))
		}
	}
	return sum
}

// correlationOf is that of two series of equal length whose means are about 0.
func correlationOf(a, b []float64) float64 {
	ab, aa, bb := 0.0, 0.0, 0.0
	for i := range a {
		ab, aa, bb = ab+a[i]*b[i], aa+a[i]*a[i], bb+b[i]*b[i]
	}
	if aa == 0 || bb == 0 {
		return 1
	}
	return ab / math.Sqrt(aa*bb)
}
