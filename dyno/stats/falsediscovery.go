package stats

import "slices"

// FalseDiscovery returns the largest p-value that still counts as a discovery if at
// most the share of all discoveries may be false, on average, and how many count, by
// Benjamini and Hochberg's method ("Controlling the False Discovery Rate", Journal of
// the Royal Statistical Society B 57, 1995). It holds for independent p-values and for
// those that rise and fall together, as the metrics of one run do (Benjamini and
// Yekutieli, Annals of Statistics 29, 2001).
func FalseDiscovery(p []float64, share float64) (limit float64, count int) {
	sorted := slices.Sorted(slices.Values(p))
	for i, value := range sorted {
		if at := share * float64(i+1) / float64(len(sorted)); value <= at {
			limit, count = at, i+1
		}
	}
	return limit, count
}
