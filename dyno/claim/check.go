package claim

import (
	"math"
	"slices"

	"dyno.example/internal/i18n"
)

// check holds an expression against what a study measures, at one place of a
// moderator if it has one: that its names exist, that every selector leaves one cell,
// and that like is compared with like. The errors are in the order of the text.
func check(e *Expression, s *Space, at []pick) []*Error {
	c := &checker{space: s, outer: at}
	for i := range e.Comparisons {
		c.comparison(&e.Comparisons[i])
	}
	for _, err := range c.errors {
		err.place(e.source)
	}
	return c.errors
}

// nature is what is known of a value before anything is measured.
type nature struct {
	dim      dimension
	bare     bool // made of numbers without a unit, which fit rates as well
	percent  bool // a share that is shown in percent
	measured bool // not made of numbers only
	unknown  bool // after an error
}

type checker struct {
	space  *Space
	outer  []pick // of the sweep or the moderator around
	sweep  bool   // within a sweep
	errors []*Error
}

func (c *checker) fail(err *Error) nature {
	c.errors = append(c.errors, err)
	return nature{unknown: true, measured: true}
}

func (c *checker) comparison(cmp *Comparison) {
	before := len(c.errors)
	left, right := c.nature(cmp.left), c.nature(cmp.right)
	c.alike(left, right, cmp.at)
	if !left.measured && !right.measured {
		c.fail(&Error{at: cmp.left.offset(), What: i18n.New("claim.nothing-compared", "nothing in this comparison is measured"), Hint: i18n.New("claim.metric-form", "name a metric, such as throughput[go/nethttp]")})
	}
	switch {
	case cmp.published == nil && cmp.floor == nil || len(c.errors) > before:
	case c.sweep:
		c.fail(&Error{at: cmp.at, What: i18n.New("claim.condition-takes-no-figure", "a condition has no published figure and no floor"), Hint: i18n.New("claim.options-go-last", "write them behind the whole comparison")})
	default:
		c.clauses(cmp)
	}
}

// clauses checks what stands behind a comparison against the figure that it is
// about.
func (c *checker) clauses(cmp *Comparison) {
	e := newEffect(cmp, c.space, c.outer)
	if cmp.floor != nil {
		floor := c.nature(cmp.floor)
		c.alike(e.nature, floor, cmp.floor.offset())
		if !floor.measured && !floor.unknown {
			c.fail(&Error{at: cmp.floor.offset(), What: i18n.New("claim.floor-without-measurement", "nothing in this floor is measured"), Hint: i18n.New("claim.floor-form", "name the figure with an arm in it that does no work")})
		}
	}
	if cmp.published == nil {
		return
	}
	if cmp.Op == Between {
		c.fail(&Error{at: cmp.publishedAt, What: i18n.New("claim.range-is-published", "a range is itself what was published"), Hint: i18n.New("claim.leave-out-published", "leave the published figure out")})
		return
	}
	before := len(c.errors)
	if c.alike(e.seen, c.nature(cmp.published), cmp.publishedAt); len(c.errors) > before {
		return
	}
	claimed := Comparison{Op: e.claimed.op, Tolerance: e.claimed.tolerance, right: number{value: e.claimed.bound * e.factor, dim: e.seen.dim, bare: e.seen.dim == plain || e.seen.dim == perSecond}}
	text := string(claimed.Op) + " " + write(claimed.right, 0)
	x, side := *e.published, e.claimed.side(e.null)
	switch {
	case e.hasNull && (side > 0 && compare(x, e.null) <= 0 || side < 0 && compare(x, e.null) >= 0):
		c.fail(&Error{at: cmp.publishedAt, What: i18n.New("claim.published-on-other-side", "the published figure %s is not on the side that is claimed, %s", write(cmp.published, 0), text)})
	case e.hasNull && compare(e.claimed.bound, e.null) == 0, x == 0 || e.claimed.bound == 0:
	case math.Abs(math.Log(x/e.claimed.bound)) > apart:
		c.fail(&Error{at: cmp.publishedAt, What: i18n.New("claim.published-outside-claim", "the published figure %s is not what is claimed, %s", write(cmp.published, 0), text), Hint: i18n.New("claim.published-is-of-figure", "claim that figure, or the direction only, such as a > b")})
	}
}

// apart is how far, as a logarithm, a bound may lie from the published figure that
// it is rounded from.
const apart = 0.105

// alike reports what can't be compared or added.
func (c *checker) alike(a, b nature, at int) {
	fits := a.dim == b.dim || a.bare && b.dim == perSecond || b.bare && a.dim == perSecond
	if fits || a.unknown || b.unknown {
		return
	}
	hint := i18n.Message{}
	if a.bare || b.bare {
		hint = i18n.New("claim.unit-form", "write numbers with their unit, such as 12ms or 4MB")
	}
	c.fail(&Error{at: at, What: i18n.New("claim.units-differ", "%v can't be held against %v", a.dim, b.dim), Hint: hint})
}

func (c *checker) nature(n node) nature {
	switch n := n.(type) {
	case number:
		return nature{dim: n.dim, bare: n.bare}
	case quantity:
		return c.quantity(n)
	case sweep:
		return c.level(n)
	case index:
		return c.index(n)
	case operation:
		return c.operation(n)
	}
	return nature{unknown: true}
}

func (c *checker) operation(o operation) nature {
	a, b := c.nature(o.left), c.nature(o.right)
	both := nature{measured: a.measured || b.measured, unknown: a.unknown || b.unknown, bare: a.bare && b.bare}
	switch o.op {
	case '*':
		both.dim = a.dim.times(b.dim)
		both.percent = a.percent && b.bare || b.percent && a.bare
	case '/':
		both.dim = a.dim.over(b.dim)
		both.percent = a.percent && b.bare
		if factor, _ := strip(o.right); factor == 0 {
			return c.fail(&Error{at: o.at, What: i18n.New("claim.division-zero", "division by zero")})
		}
	default:
		c.alike(a, b, o.at)
		both.dim = a.dim
		if a.bare {
			both.dim = b.dim
		}
		both.percent = a.percent || b.percent
	}
	return both
}

func (c *checker) quantity(q quantity) nature {
	m, ok := c.space.metric(q.metric)
	if !ok {
		err := unknown("metric", q.metric, c.space.metricNames())
		err.at = q.at
		return c.fail(err)
	}
	if c.space.Sampled != nil {
		return c.fail(&Error{at: q.at, What: i18n.New("claim.samples-have-no-names", "the samples of a Sobol design have no names: which they are hangs on the seed"), Hint: i18n.New("claim.index-instead", "claim a share of the variance: sobol(%s, %s)", q.metric, c.space.Sampled[0])})
	}
	if _, err := c.space.one(within(q.picks, c.outer), q.at); err != nil {
		return c.fail(err)
	}
	return nature{dim: unitOfMetric(m.Unit).dim, percent: m.Unit == "%", measured: true}
}

// within puts the selector of a sweep around that of a quantity in it: what the
// quantity says itself counts.
func within(inner, outer []pick) []pick {
	all := slices.Clone(inner)
	for _, o := range outer {
		if !slices.ContainsFunc(inner, func(p pick) bool { return p.about() == o.about() }) {
			all = append(all, o)
		}
	}
	return all
}

// about is what the pick chooses.
func (p pick) about() string {
	if p.key == "" {
		return subjectKey
	}
	return p.key
}

// level checks a sweep at each level of its factor.
func (c *checker) level(s sweep) nature {
	if c.sweep {
		return c.fail(&Error{at: s.at, What: i18n.New("claim.range-functions-nested", "knee and max can't stand within each other")})
	}
	steps, err := c.space.steps(s)
	if err != nil {
		return c.fail(err)
	}
	for _, step := range steps {
		inner := &checker{space: c.space, sweep: true, outer: within(step.picks(s), c.outer)}
		conditions := s.conditions()
		for i := range conditions {
			inner.comparison(&conditions[i])
		}
		if len(inner.errors) > 0 {
			return c.fail(inner.errors[0])
		}
	}
	return nature{dim: steps[0].dim, measured: true}
}
