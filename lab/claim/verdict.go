package claim

import (
	"math"

	"dyno/lab/stats"
)

// Verdict is what becomes of a claim.
type Verdict string

// The five verdicts.
const (
	Confirmed    Verdict = "confirmed"    // direction and size hold
	Direction    Verdict = "direction"    // the direction holds, the size does not
	Refuted      Verdict = "refuted"      // the opposite holds, or nothing where something was claimed
	Undecided    Verdict = "undecided"    // the data can't tell
	Unmeasurable Verdict = "unmeasurable" // it can't be measured here
)

// Verdicts are all five, best first.
func Verdicts() []Verdict {
	return []Verdict{Confirmed, Direction, Refuted, Undecided, Unmeasurable}
}

// weakest is the verdict on several things that are claimed together: refuted if
// one of them is, else unmeasurable if one is, else undecided, else direction, and
// confirmed only if all are.
func weakest(list []Verdict) Verdict {
	rank := map[Verdict]int{Confirmed: 0, Direction: 1, Undecided: 2, Unmeasurable: 3, Refuted: 4}
	worst := Confirmed
	for _, v := range list {
		if rank[v] > rank[worst] {
			worst = v
		}
	}
	return worst
}

// rule is the verdict by what is known of size and direction, as the table in
// docs/claims-and-verdicts.md has it.
func rule(size, direction state) Verdict {
	switch {
	case direction == fails:
		return Refuted
	case direction == open || size == open:
		return Undecided
	case size == holds:
		return Confirmed
	}
	return Direction
}

// reading is what the data say of one comparison.
type reading struct {
	size, direction state
	directed        bool // there is a direction apart from the size
	own             bool // the direction is not that of the figure, but has an expression of its own
	same            bool // the figure is within the margin of no effect
	less            bool // with the size failing: the effect is smaller than claimed, not larger
}

func (r reading) verdict() Verdict { return rule(r.size, r.direction) }

// read compares where a figure lies with what is claimed of it. Figures within the
// margin, a share, are the same; base is what a difference is a share of.
func (e *effect) read(where span, margin, base float64) reading {
	r := reading{size: e.claimed.holding(where)}
	r.direction = r.size
	if !e.hasNull {
		return r
	}
	r.same = e.same(where, margin, base)
	side := e.claimed.side(e.null)
	if side == 0 {
		return r
	}
	r.directed, r.direction = true, open
	low, high := compare(where.low, e.null), compare(where.high, e.null)
	switch {
	case r.same && r.size != holds && (r.size == fails || compare(e.claimed.bound, e.null) == 0):
		r.direction = fails
	case side > 0 && low > 0 || side < 0 && high < 0:
		r.direction = holds
	case side > 0 && high < 0 || side < 0 && low > 0:
		r.direction = fails
	}
	// Short of a region above no effect is below it, and the other way round.
	from, to := e.claimed.ends()
	r.less = side > 0 && where.high <= from || side < 0 && where.low >= to
	return r
}

// same reports whether all of a span is the same as no effect: within the margin
// of 1 for a ratio, within the margin of its base for a difference.
func (e *effect) same(where span, margin, base float64) bool {
	if e.base == nil {
		return stats.Equivalent(stats.Interval{Low: where.low, High: where.high, Level: 1}, margin)
	}
	return math.Max(math.Abs(where.low), math.Abs(where.high)) <= margin*math.Abs(base)
}
