package claim

import (
	"math"
	"slices"

	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// Source is what claims are held against: the figures of a run.
type Source interface {
	// Space says what the run measured.
	Space() *Space
	// Blocks is the number of blocks of which there are values.
	Blocks() int
	// Values returns a metric of the cell with the index given, one value for each
	// block, NaN where the block has no usable trial of the cell. If the cell has
	// no figures of the metric for another reason, missing says which.
	Values(metric string, cell int) (values []float64, missing i18n.Message)
	// AtLeast returns what a metric of the cell is known to be at least, for each block:
	// of a percentile that requests which were given up hide, or where a value is the worst
	// that is possible. NaN where nothing is known, nil if that is so in every block.
	AtLeast(metric string, cell int) []float64
	// Failed returns the blocks in which the cell's subject failed by its own fault as the metric was measured, so
	// that its values are the worst there are: 0, or +Inf of what is better if lower.
	Failed(metric string, cell int) []bool
	// Noise is the ratio of two equal arms of the run in the metric, measured as near
	// to the cell as there are such; false if there are none.
	Noise(metric string, cell int) (stats.Interval, bool)
	// Index is a Sobol index of a factor of the run's design; missing says why there is none.
	Index(of Share) (index stats.Interval, missing i18n.Message)
}

// series is a value for each block. It is known to lie from low to high, which
// are the value itself unless a sweep is involved; all three are NaN where it
// isn't known at all.
type series struct {
	value, low, high        []float64
	withoutLow, withoutHigh bool // the ends themselves are excluded
}

// exactly is the series of values that are known as they are.
func exactly(values []float64) series { return series{value: values, low: values, high: values} }

// at is where the value of a block lies.
func (s series) at(block int) interval {
	return interval{s.low[block], s.high[block], s.withoutLow, s.withoutHigh}
}

// forget makes the value of a block unknown.
func (s series) forget(block int) {
	s.value[block], s.low[block], s.high[block] = math.NaN(), math.NaN(), math.NaN()
}

// evaluator computes nodes block by block.
type evaluator struct {
	source Source
	space  *Space
	blocks int
	outer  []pick  // of the sweep or the moderator around
	level  float64 // of the interval of a knee: that of all parts of the claim together

	absent []i18n.Message // why metrics are missing, each once
	zero   []int          // blocks in which something was divided by zero; what is above zero then comes to +Inf
	failed map[int]bool   // blocks in which a subject failed
}

func newEvaluator(src Source, at []pick, level float64) *evaluator {
	return &evaluator{source: src, space: src.Space(), blocks: src.Blocks(), outer: at, level: level, failed: map[int]bool{}}
}

// blank is a series of which nothing is known.
func (e *evaluator) blank() series {
	fill := func() []float64 { return slices.Repeat([]float64{math.NaN()}, e.blocks) }
	return series{value: fill(), low: fill(), high: fill()}
}

// nothing notes why a figure is missing.
func (e *evaluator) nothing(why i18n.Message) series {
	e.absent = with(e.absent, why)
	return e.blank()
}

// series evaluates a node that [Check] has let pass.
func (e *evaluator) series(n node) series {
	switch n := n.(type) {
	case number:
		return exactly(slices.Repeat([]float64{n.value}, e.blocks))
	case quantity:
		return e.quantity(n)
	case sweep:
		return e.sweep(n)
	case index:
		return e.index(n)
	case operation:
		return e.operation(n)
	}
	return e.blank()
}

// quantity reads a metric of a cell, in seconds, bytes or plainly.
func (e *evaluator) quantity(q quantity) series {
	q.picks = within(q.picks, e.outer)
	m, _ := e.space.metric(q.metric)
	cell, err := e.space.one(q.picks, q.at)
	if err != nil {
		return e.nothing(err.What)
	}
	for block, failed := range e.source.Failed(q.metric, cell.Index) {
		if failed {
			e.failed[block] = true
		}
	}
	scale := unitOfMetric(m.Unit).scale
	values, missing := e.source.Values(m.Name, cell.Index)
	if !missing.IsZero() {
		e.nothing(i18n.New("claim.no-value", "no %s: %s", write(q, 0), missing))
		return e.atLeast(m.Name, cell.Index, scale)
	}
	out := make([]float64, e.blocks)
	for i := range out {
		out[i] = values[i] * scale
	}
	return e.down(exactly(out), m.Name, cell.Index, scale)
}

// down lets values that are the worst possible reach as far down as they may.
func (e *evaluator) down(s series, metric string, cell int, scale float64) series {
	for i, least := range e.source.AtLeast(metric, cell) {
		if least *= scale; least < s.value[i] {
			if &s.low[0] == &s.value[0] {
				s.low = slices.Clone(s.value)
			}
			s.low[i] = least
		}
	}
	return s
}

// atLeast is what is known of a figure that has no values: that it is above
// something.
func (e *evaluator) atLeast(metric string, cell int, scale float64) series {
	out := e.blank()
	for i, v := range e.source.AtLeast(metric, cell) {
		if !math.IsNaN(v) {
			out.low[i], out.high[i] = v*scale, math.Inf(1)
		}
	}
	return out
}

func (e *evaluator) operation(o operation) series {
	a, b := e.series(o.left), e.series(o.right)
	out := e.blank()
	for i := range out.value {
		if o.op == '/' && b.value[i] == 0 && !e.failed[i] {
			e.zero = append(e.zero, i)
			if !(a.value[i] > 0) {
				continue
			}
		}
		out.value[i] = calculate(o.op, a.value[i], b.value[i])
		if !math.IsNaN(out.value[i]) {
			out.low[i], out.high[i] = ends(o.op, a.low[i], a.high[i], b.low[i], b.high[i])
		}
	}
	return out
}

func calculate(op byte, a, b float64) float64 {
	switch op {
	case '+':
		return a + b
	case '-':
		return a - b
	case '*':
		return a * b
	}
	return a / b
}

// ends are the least and the most that an operation can come to if its operands
// lie within theirs: the extremes at the corners, unless the divisor may be on
// either side of zero.
func ends(op byte, alow, ahigh, blow, bhigh float64) (low, high float64) {
	if op == '/' && blow < 0 && bhigh > 0 {
		return math.Inf(-1), math.Inf(1)
	}
	low, high = math.Inf(1), math.Inf(-1)
	for _, a := range [...]float64{alow, ahigh} {
		for _, b := range [...]float64{blow, bhigh} {
			if x := calculate(op, a, b); !math.IsNaN(x) {
				low, high = min(low, x), max(high, x)
			}
		}
	}
	return low, high
}

// state is what is known of a condition. The lesser of two is that of both
// together.
type state int

const (
	fails state = iota
	open
	holds
)

// pointwise compares two figures as far as they are known.
func (c *Comparison) pointwise(left, right interval) state {
	if math.IsNaN(left.low) || math.IsNaN(right.low) {
		return open
	}
	low := region{c.Op, right.low, c.Tolerance}.holding(left)
	if high := (region{c.Op, right.high, c.Tolerance}).holding(left); high != low {
		return open
	}
	return low
}
