package claim

import "math"

// interval is where a figure lies, for all that is known. An end may be infinite, or
// be known not to be reached.
type interval struct {
	low, high               float64
	withoutLow, withoutHigh bool // the end itself is excluded
}

// anywhere is the interval of a figure of which nothing is known.
func anywhere() interval { return interval{low: math.Inf(-1), high: math.Inf(1)} }

// below reports whether all of the interval is below x, atMost whether none is above.
func (s interval) below(x float64) bool {
	c := compare(s.high, x)
	return c < 0 || c == 0 && s.withoutHigh
}
func (s interval) atMost(x float64) bool { return compare(s.high, x) <= 0 }

// above reports whether all of the interval is above x, atLeast whether none is below.
func (s interval) above(x float64) bool {
	c := compare(s.low, x)
	return c > 0 || c == 0 && s.withoutLow
}
func (s interval) atLeast(x float64) bool { return compare(s.low, x) >= 0 }

// beyond and short are above and below as seen from a side: +1 means that more is
// claimed, -1 that less is.
func (s interval) beyond(x float64, side int) bool {
	if side > 0 {
		return s.above(x)
	}
	return s.below(x)
}
func (s interval) short(x float64, side int) bool { return s.beyond(x, -side) }

// reaches reports whether all of the interval is at x or beyond it.
func (s interval) reaches(x float64, side int) bool {
	if side > 0 {
		return s.atLeast(x)
	}
	return s.atMost(x)
}

// holds reports whether x may be the figure.
func (s interval) holds(x float64) bool { return !s.below(x) && !s.above(x) }

// region is what a comparison claims of its figure.
type region struct {
	op        Op
	bound     float64
	tolerance float64
}

// ends are those of the region.
func (r region) ends() (low, high float64) {
	switch r.op {
	case Less, LessEq:
		return math.Inf(-1), r.bound
	case Greater, GreaterEq:
		return r.bound, math.Inf(1)
	}
	about := r.tolerance * math.Abs(r.bound)
	return r.bound - about, r.bound + about
}

// far is the end of the region that is farther from no effect, as seen from a side.
func (r region) far(side int) float64 {
	low, high := r.ends()
	if side > 0 {
		return high
	}
	return low
}

// holding says whether all, none or some of an interval is in the region.
func (r region) holding(s interval) state {
	low, high := r.ends()
	in, out := false, false
	switch r.op {
	case Less:
		in, out = s.below(high), s.atLeast(high)
	case LessEq:
		in, out = s.atMost(high), s.above(high)
	case Greater:
		in, out = s.above(low), s.atMost(low)
	case GreaterEq:
		in, out = s.atLeast(low), s.below(low)
	default:
		in = s.atLeast(low) && s.atMost(high)
		out = s.below(low) || s.above(high)
	}
	switch {
	case in:
		return holds
	case out:
		return fails
	}
	return open
}

// side is +1 if the region lies wholly above x, -1 if wholly below, 0 if x is in
// it.
func (r region) side(x float64) int {
	low, high := r.ends()
	switch {
	case compare(low, x) > 0, r.op == Greater && compare(low, x) == 0:
		return 1
	case compare(high, x) < 0, r.op == Less && compare(high, x) == 0:
		return -1
	}
	return 0
}

// more is +1 if the region has no upper end, -1 if it has no lower one, and 0 if it
// has both.
func (r region) more() int {
	switch r.op {
	case Less, LessEq:
		return -1
	case Greater, GreaterEq:
		return 1
	}
	return 0
}

// compare orders two numbers. Those that differ by rounding only are equal: a mean
// over logarithms is not exact.
func compare(a, b float64) int {
	const rounding = 1e-9
	switch {
	case a == b || math.Abs(a-b) <= rounding*min(math.Abs(a), math.Abs(b)):
		return 0
	case a < b:
		return -1
	}
	return 1
}
