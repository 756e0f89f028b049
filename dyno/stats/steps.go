package stats

import (
	"math"
	"slices"
)

// pairedError is the mean of the logarithms of a[i]/b[i] and its standard error, of the
// two pairs at least that have one.
//
// Figures may come in steps, as the buckets of a histogram or counts do. Noise below a
// step then hardly shows, and few pairs that happen to agree would pass for certain. So
// where values of one side are tied but not all the same, the error is at least what
// rounding alone makes: a step's √(1/12) on either side (Sheppard, "On the Calculation of
// the Most Probable Values of Frequency-Constants, for Data Arranged According to
// Equidistant Division of a Scale", Proceedings of the London Mathematical Society 29,
// 1898). Values that are all the same, such as the size of a file, are taken to be exact.
func pairedError(a, b, logs []float64) (mean, stderr float64) {
	mean, stderr = meanAndError(logs)
	if step := stepOf(a, b); step > 0 {
		stderr = max(stderr, step*math.Sqrt(1.0/6/float64(len(logs))))
	}
	return mean, stderr
}

// stepOf is the least distance, on the log scale, of two values of one of the sides, if
// values of a side are tied but not all the same; else 0.
func stepOf(sides ...[]float64) float64 {
	step, inSteps := math.Inf(1), false
	for _, side := range sides {
		sorted := slices.Sorted(slices.Values(logs(side)))
		tied, differ := false, false
		for i := 1; i < len(sorted); i++ {
			apart := sorted[i] - sorted[i-1]
			if tied, differ = tied || apart == 0, differ || apart > 0; apart > 0 {
				step = min(step, apart)
			}
		}
		inSteps = inSteps || tied && differ
	}
	if !inSteps {
		return 0
	}
	return step
}
