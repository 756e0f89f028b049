package claim

import (
	"fmt"
	"slices"
)

// Check holds an expression against what a study measures: that its names exist,
// that every selector leaves one cell, and that like is compared with like. The
// errors are in the order of the text.
func Check(e *Expression, s *Space) []*Error {
	c := &checker{space: s}
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
	outer  []pick // of the sweep around
	sweep  bool   // within one
	errors []*Error
}

func (c *checker) fail(err *Error) nature {
	c.errors = append(c.errors, err)
	return nature{unknown: true, measured: true}
}

func (c *checker) comparison(cmp *Comparison) {
	left, right := c.nature(cmp.left), c.nature(cmp.right)
	c.alike(left, right, cmp.at)
	if !left.measured && !right.measured {
		c.fail(&Error{at: cmp.left.offset(), Message: "nothing in this comparison is measured", Hint: "name a metric, such as throughput[go/nethttp]"})
	}
}

// alike reports what can't be compared or added.
func (c *checker) alike(a, b nature, at int) {
	fits := a.dim == b.dim || a.bare && b.dim == perSecond || b.bare && a.dim == perSecond
	if fits || a.unknown || b.unknown {
		return
	}
	hint := ""
	if a.bare || b.bare {
		hint = "write numbers with their unit, such as 12ms or 4MB"
	}
	c.fail(&Error{at: at, Message: fmt.Sprintf("%v can't be held against %v", a.dim, b.dim), Hint: hint})
}

func (c *checker) nature(n node) nature {
	switch n := n.(type) {
	case number:
		return nature{dim: n.dim, bare: n.bare}
	case quantity:
		return c.quantity(n)
	case sweep:
		return c.level(n)
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
			return c.fail(&Error{at: o.at, Message: "division by zero"})
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
		return c.fail(&Error{at: s.at, Message: "knee and max can't stand within each other"})
	}
	steps, err := c.space.steps(s)
	if err != nil {
		return c.fail(err)
	}
	for _, step := range steps {
		inner := &checker{space: c.space, sweep: true, outer: step.picks(s)}
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
