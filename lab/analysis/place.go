package analysis

import (
	"cmp"
	"slices"
)

// Place is a subject's rank for a metric. Subjects that can't be told apart
// share a rank.
type Place struct {
	Rank    int    `json:"rank"`
	Subject string `json:"subject"`
	Cell    int    `json:"cell"`
	// Behind are the cells that are better beyond doubt. Ranks among some of the
	// subjects follow from it, see [Among].
	Behind []int `json:"behind,omitempty"`
}

// Among ranks some of the places among themselves: one more than the number of those
// that are better beyond doubt. It rests on the same comparisons, which were corrected
// for all pairs, so it holds for any choice, also one that looked at the figures: a new
// test of the best of each kind alone would find differences too often.
func Among(places []Place, chosen func(Place) bool) []Place {
	var some []Place
	for _, p := range places {
		if chosen(p) {
			some = append(some, p)
		}
	}
	ranked := slices.Clone(some)
	for i, p := range some {
		ranked[i].Rank = 1
		ranked[i].Behind = nil
		for _, other := range some {
			if slices.Contains(p.Behind, other.Cell) {
				ranked[i].Rank++
				ranked[i].Behind = append(ranked[i].Behind, other.Cell)
			}
		}
	}
	slices.SortStableFunc(ranked, func(a, b Place) int { return cmp.Compare(a.Rank, b.Rank) })
	return ranked
}
