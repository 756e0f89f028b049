package stats

import "slices"

// condense makes a series no longer than most: medians of so many consecutive values
// each, the last perhaps of fewer. A series that is no longer is returned as it is,
// each of its values standing for itself. It is for methods that use all pairs of
// values: a day has 86,400 seconds, and those have more pairs than fit into memory.
func condense(values []float64, most int) (points []float64, each int) {
	each = (len(values) + most - 1) / most
	if each <= 1 {
		return values, 1
	}
	for part := range slices.Chunk(values, each) {
		points = append(points, medianOf(part))
	}
	return points, each
}
