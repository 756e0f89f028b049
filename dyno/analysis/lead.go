package analysis

import (
	"slices"

	"dyno.example/dyno/stats"
)

// Versus holds the first place of a ranking against another one.
type Versus struct {
	Subject string `json:"subject"` // the other
	Cell    int    `json:"cell"`    // its index in the plan
	// Ratio is the first's figure to the other's, paired by block, with the interval of
	// just that pair. N is 0 if they share no block.
	Ratio stats.Interval `json:"ratio"`
	// Apart reports whether the first is the better of the two beyond doubt: the other
	// is behind it, for which all pairs were corrected, and the interval leaves no room
	// for the opposite either. A rank doesn't say it: the second may owe its rank to
	// the third.
	Apart bool `json:"apart"`
}

// leads holds the first of the places against each of the others, in their order.
func (t *table) leads(f figure, places []Place, blocks []int, c *confidence) []Versus {
	if len(places) < 2 {
		return nil
	}
	first := t.builderOf(places[0].Cell).byBlock(f.Name, blocks)
	var list []Versus
	for _, p := range places[1:] {
		ratio := c.ratio(first, t.builderOf(p.Cell).byBlock(f.Name, blocks))
		better := ratio.Level > 0 && ratio.Low > 1
		if f.Better == string(stats.Lower) {
			better = ratio.Level > 0 && ratio.High < 1
		}
		list = append(list, Versus{Subject: p.Subject, Cell: p.Cell, Ratio: ratio, Apart: better && slices.Contains(p.Behind, places[0].Cell)})
	}
	return list
}

func (t *table) builderOf(cell int) *cellBuilder {
	return t.builders[slices.IndexFunc(t.builders, func(s *cellBuilder) bool { return s.Cell.Cell == cell })]
}
