package claim

import (
	"maps"
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
	// factor is the number that was taken out of the figure, 1 of a quotient of two
	// sides: people are shown what stands in the expression, not what is left of it.
	factor float64
	as     node   // what people are shown: the figure with its factor
	seen   nature // of as
	// null is what the figure would be if there were no effect: 1 for a ratio of
	// like things, 0 for a difference of such. Other figures have none.
	null    float64
	hasNull bool
	// base is what a difference is taken from; nil for a ratio, whose base is 1.
	base node
	// published is the figure that was published, floor what the figure would be if
	// the work that is measured cost nothing; nil if the claim names none.
	published *float64
	floor     node
}

func newEffect(c *Comparison, s *Space, outer []pick) effect {
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
	e := effect{figure: leftRest, claimed: region{op, rightFactor / leftFactor, c.Tolerance}, factor: leftFactor, as: left}
	if rightRest != nil {
		e.figure = operation{'/', leftRest, rightRest, c.at}
		if !op.twoSided() && (subtracts(leftRest) || subtracts(rightRest) || !(rightFactor > 0)) {
			e.figure, e.claimed.bound = operation{'-', left, right, c.at}, 0
		}
	}
	if rightRest != nil { // of the quotient they are written as it is
		leftFactor, e.factor, e.as = 1, 1, e.figure
	}
	check := &checker{space: s, outer: outer}
	e.nature, e.seen = check.nature(e.figure), check.nature(e.as)
	e.findNull()
	if c.published != nil {
		x, _ := strip(c.published)
		x /= leftFactor
		e.published = &x
	}
	if e.floor = c.floor; c.floor != nil && leftFactor != 1 {
		e.floor = operation{'/', c.floor, number{value: leftFactor, bare: true}, c.floor.offset()}
	}
	return e
}

// shown is the unit that people read the effect in, and how many of it one of the figure's
// is: its factor is part of that, so that an effect stands in the unit of its expression.
func (e *effect) shown() (name string, scale float64) {
	name, scale = shownAs(e.seen.dim, e.hasNull && e.base == nil, e.seen.percent)
	return name, scale * e.factor
}

// side is +1 if more than no effect is claimed, -1 if less; 0 if no effect is
// within what is claimed, or has no meaning.
func (e *effect) side() int {
	if !e.hasNull {
		return 0
	}
	if side := e.claimed.side(e.null); side != 0 || e.published == nil || e.limits() {
		return side
	}
	return compare(*e.published, e.null)
}

// limits reports whether what is claimed is a limit that no effect keeps, such as
// "a <= 1.2 * b", and not an effect that is to be reached.
func (e *effect) limits() bool {
	return e.hasNull && !e.claimed.op.twoSided() && compare(e.claimed.bound, e.null) != 0 && e.claimed.side(e.null) == 0
}

// target is the size that is claimed: the published figure, or else the bound.
func (e *effect) target() float64 {
	if e.published != nil {
		return *e.published
	}
	return e.claimed.bound
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
	case index:
		into[n.kind+" "+n.metric] = true
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
