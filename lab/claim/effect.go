package claim

import (
	"maps"
	"math"
	"slices"
)

// effect is a comparison made ready for statistics: one figure for each block, and
// the region it is claimed to be in.
//
// What is above zero on both sides becomes a ratio, left over right, with the
// numbers taken out: "a < 1.2 * b" is a/b < 1.2. Where something is subtracted,
// it is a difference.
type effect struct {
	figure  node
	claimed region
	nature  nature
	// null is what the figure would be if there were no effect: 1 for a ratio of
	// like things, 0 for a difference of such. Other figures have none.
	null    float64
	hasNull bool
	// base is what a difference is taken from; nil for a ratio, whose base is 1.
	base node
}

func newEffect(c *Comparison, s *Space) effect {
	left, right, op := c.left, c.right, c.Op
	leftFactor, leftRest := strip(left)
	rightFactor, rightRest := strip(right)
	if leftRest == nil { // the number stands on the left
		left, right, op = right, left, op.flipped()
		leftFactor, leftRest, rightFactor, rightRest = rightFactor, rightRest, leftFactor, leftRest
	}
	if !(leftFactor > 0) { // a factor that isn't positive would turn the comparison round
		leftFactor, leftRest = 1, left
	}
	e := effect{figure: leftRest, claimed: region{op, rightFactor / leftFactor, c.Tolerance}}
	if rightRest != nil {
		e.figure = operation{'/', leftRest, rightRest, c.at}
		if op != About && (subtracts(leftRest) || subtracts(rightRest) || !(rightFactor > 0)) {
			e.figure, e.claimed.bound = operation{'-', left, right, c.at}, 0
		}
	}
	e.nature = (&checker{space: s}).nature(e.figure)
	e.findNull()
	return e
}

// findNull looks for what the figure would be without an effect.
func (e *effect) findNull() {
	if top, bottom := makes(e.figure, false); len(top) > 0 && maps.Equal(top, bottom) && e.nature.dim == plain {
		e.null, e.hasNull = 1, true
		return
	}
	o, ok := e.figure.(operation)
	if !ok || o.op != '-' {
		return
	}
	leftTop, leftBottom := makes(o.left, false)
	rightTop, rightBottom := makes(o.right, false)
	if len(leftTop) > 0 && maps.Equal(leftTop, rightTop) && maps.Equal(leftBottom, rightBottom) {
		e.null, e.hasNull, e.base = 0, true, o.right
	}
}

// makes returns what a figure is made of above and below the line of a fraction:
// metrics, sweeps by their factor, and numbers that are added to such.
func makes(n node, below bool) (top, bottom map[string]bool) {
	top, bottom = map[string]bool{}, map[string]bool{}
	into := top
	if below {
		into = bottom
	}
	switch n := n.(type) {
	case quantity:
		into[n.metric] = true
	case sweep:
		into[n.kind+" "+n.factor] = true
	case operation:
		for i, side := range []node{n.left, n.right} {
			if x, rest := strip(side); rest == nil && x != 0 && binding(n.op) == binding('+') {
				into["a number"] = true
			}
			t, b := makes(side, below != (n.op == '/' && i == 1))
			maps.Copy(top, t)
			maps.Copy(bottom, b)
		}
	}
	return top, bottom
}

// strip takes the number out of a product: 1.2 × the rest, which is nil if there
// is nothing but numbers.
func strip(n node) (factor float64, rest node) {
	switch n := n.(type) {
	case number:
		return n.value, nil
	case operation:
		left, l := strip(n.left)
		right, r := strip(n.right)
		switch {
		case l == nil && r == nil:
			return calculate(n.op, left, right), nil
		case n.op == '*' && l == nil:
			return left * right, r
		case n.op == '*' && r == nil, n.op == '/' && r == nil:
			return calculate(n.op, left, right), l
		case n.op == '/' && l == nil:
			return left / right, operation{'/', number{value: 1, bare: true, at: n.at}, r, n.at}
		case n.op == '*' || n.op == '/':
			return calculate(n.op, left, right), operation{n.op, l, r, n.at}
		}
	}
	return 1, n
}

// subtracts reports whether a node may come out below zero.
func subtracts(n node) bool {
	o, ok := n.(operation)
	return ok && (o.op == '-' || subtracts(o.left) || subtracts(o.right))
}

// metrics are the names of all that the figure is made of.
func (e *effect) metrics() []string {
	top, bottom := makes(e.figure, false)
	maps.Copy(top, bottom)
	return slices.Sorted(maps.Keys(top))
}

// span is where a figure lies, for all that is known; an end may be infinite.
type span struct{ low, high float64 }

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

// holding says whether all, none or some of a span is in the region.
func (r region) holding(s span) state {
	low, high := r.ends()
	in, out := false, false
	switch r.op {
	case Less:
		in, out = compare(s.high, high) < 0, compare(s.low, high) >= 0
	case LessEq:
		in, out = compare(s.high, high) <= 0, compare(s.low, high) > 0
	case Greater:
		in, out = compare(s.low, low) > 0, compare(s.high, low) <= 0
	case GreaterEq:
		in, out = compare(s.low, low) >= 0, compare(s.high, low) < 0
	default:
		in = compare(s.low, low) >= 0 && compare(s.high, high) <= 0
		out = compare(s.high, low) < 0 || compare(s.low, high) > 0
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
