package analysis

import "slices"

// Place is a subject's place by a metric. Places are in the order of the estimates; where
// others can't be distinguished from it, a subject's rank is an interval.
type Place struct {
	Rank    int    `json:"rank"` // the best it may have: one more than the number of those better beyond doubt
	Last    int    `json:"last"` // the worst: as many as there are, less those worse beyond doubt
	Subject string `json:"subject"`
	Cell    int    `json:"cell"`
	// Behind are the cells that are better beyond doubt. Ranks among some of the
	// subjects follow from it, see [Among].
	Behind []int `json:"behind,omitempty"`
}

// Among ranks some of the places among themselves, in the order that they have. It rests on
// the same comparisons, which were corrected for all pairs, so it holds for any choice,
// also one made after seeing the figures: a new test of the best of each kind alone would
// find differences too often.
func Among(places []Place, chosen func(Place) bool) []Place {
	var some []Place
	for _, p := range places {
		if chosen(p) {
			some = append(some, p)
		}
	}
	ranked := slices.Clone(some)
	for i, p := range some {
		ranked[i].Rank, ranked[i].Last, ranked[i].Behind = 1, len(some), nil
		for _, other := range some {
			if slices.Contains(p.Behind, other.Cell) {
				ranked[i].Rank++
				ranked[i].Behind = append(ranked[i].Behind, other.Cell)
			}
			if slices.Contains(other.Behind, p.Cell) {
				ranked[i].Last--
			}
		}
	}
	return ranked
}
