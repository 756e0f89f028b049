package analysis

import (
	"math"

	"dyno.example/dyno/stats"
)

// finishTwin compares the reference's second arm with its first.
func (t *table) finishTwin(reference *cellBuilder, c *confidence) {
	if t.twin == nil {
		return
	}
	t.twin.estimate(c)
	t.twin.compare(reference, c)
	t.Twin = t.twin.Ratios
	t.TwinCell = &t.twin.Cell
}

// shareTwins gives the groups without a twin that of the first group of their
// load that has one, and was measured as they were.
func shareTwins(groups []Group) {
	type alike struct {
		load     string
		inTrials bool // of a load that is measured in slices too
	}
	first := map[alike]*Group{}
	of := func(g *Group) alike { return alike{g.Load, g.Beside != "" && g.Slices == nil} }
	for i := range groups {
		g := &groups[i]
		if g.Twin != nil && first[of(g)] == nil {
			first[of(g)] = g
		}
	}
	for i := range groups {
		g := &groups[i]
		if from := first[of(g)]; g.Twin == nil && from != nil {
			g.Twin, g.TwinFrom = from.Twin, from.Title
		}
	}
}

// Noise is how far the A/A comparison leaves open that two measurements of the
// same thing are apart by a metric: 0.02 if its interval reaches from a ratio of
// 0.985 to 1.02. It is not ok if there is no twin, or the twin has no figure.
func (g *Group) Noise(metric string) (share float64, ok bool) {
	span, ok := spanOf(g.Twin[metric])
	return math.Expm1(span), ok
}

// spanOf is how far an interval of ratios reaches from 1, on the log scale. One pair has
// none.
func spanOf(iv stats.Interval) (span float64, ok bool) {
	if iv.N == 0 || iv.Level == 0 || iv.Low <= 0 || iv.High <= 0 {
		return 0, false
	}
	return max(math.Abs(math.Log(iv.Low)), math.Abs(math.Log(iv.High))), true
}

// InNoise reports whether a difference, given as a ratio to the reference, is no
// larger than what the A/A comparison leaves open for no difference at all.
func (g *Group) InNoise(metric string, ratio float64) bool {
	span, ok := spanOf(g.Twin[metric])
	return ok && ratio > 0 && math.Abs(math.Log(ratio)) <= span
}
