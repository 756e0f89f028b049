package claim

import (
	"cmp"
	"math"
	"slices"

	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// enough is the share of the highest throughput from which a level is as good as
// any: the knee is the lowest such level.
const enough = 0.95

// step is one level of a sweep's factor.
type step struct {
	level string
	value float64
	dim   dimension
}

// steps are the levels of a sweep's factor, ascending.
func (s *Space) steps(w sweep) ([]step, *Error) {
	f, ok := s.factor(w.factor)
	if !ok {
		err := unknown("factor", w.factor, s.factorNames())
		err.at = w.factorAt
		return nil, err
	}
	var steps []step
	for _, level := range f.Levels {
		value, dim, ok := magnitude(level)
		if f.Name == "rate" {
			dim = perSecond
		}
		if !ok || len(steps) > 0 && steps[0].dim != dim {
			return nil, &Error{at: w.factorAt, What: i18n.New("claim.levels-not-numbers", "the levels of %s are no numbers of one kind: %q", f.Name, level)}
		}
		steps = append(steps, step{level, value, dim})
	}
	if len(steps) < 2 {
		return nil, &Error{at: w.factorAt, What: i18n.New("claim.one-level-only", "%s has one level only", f.Name)}
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.value, b.value) })
	return steps, nil
}

// picks is the selector of what is measured at the step.
func (t step) picks(w sweep) []pick {
	return within([]pick{{key: w.factor, value: t.level, at: w.at}}, w.picks)
}

// conditions of a sweep are those of max; that of a knee stands for itself, so
// that it is checked that there is a throughput.
func (w sweep) conditions() []Comparison {
	if w.kind == "max" {
		return w.holds
	}
	q := quantity{metric: throughput, at: w.at}
	return []Comparison{{Op: GreaterEq, left: q, right: q, at: w.at}}
}

// throughput is the metric that a knee is one of.
const throughput = "throughput"

// sweep evaluates a knee or a max in each block. Levels lie apart, so that only the two
// are known between which the result is: low is the one, high the other, infinite if
// there is no higher one. The level at which a condition fails is not the result, nor
// is the one without enough throughput.
func (e *evaluator) sweep(w sweep) series {
	steps, err := e.space.steps(w)
	if err != nil {
		return e.nothing(i18n.From(err))
	}
	if w.kind == "knee" {
		return e.knee(w, steps)
	}
	return e.max(w, steps)
}

// around is the selector of what is measured at a step, within that of a moderator.
func (e *evaluator) around(t step, w sweep) []pick { return within(t.picks(w), e.outer) }

// inner evaluates what a sweep is made of, under its selector.
func (e *evaluator) inner(picks []pick) *evaluator {
	return &evaluator{source: e.source, space: e.space, blocks: e.blocks, outer: picks, level: e.level, failed: e.failed}
}

// max is below the first level at which the conditions fail, and not below the
// last at which they hold.
func (e *evaluator) max(w sweep, steps []step) series {
	out := e.blank()
	out.withoutHigh = true
	held := make([][]state, len(steps))
	var absent []i18n.Message
	known := false
	for i, t := range steps {
		var missing []i18n.Message
		held[i], missing = e.hold(w, e.around(t, w))
		decided := slices.ContainsFunc(held[i], func(s state) bool { return s != open })
		absent, known = append(absent, missing...), known || decided || len(missing) == 0
	}
	if !known { // at no level at all
		return e.nothing(absent[0])
	}
	for block := range out.value {
		last, first := stillHolds(held, block)
		out.low[block], out.high[block] = 0, math.Inf(1)
		if last >= 0 {
			out.low[block] = steps[last].value
		}
		if first < len(steps) {
			out.high[block] = steps[first].value
		}
		out.value[block] = out.low[block]
		if last < 0 && first == len(steps) { // nothing is known of any level
			out.forget(block)
		}
	}
	return out
}

// hold says of each block whether the conditions hold with the selector around
// them, and why that can't be measured, if it can't.
func (e *evaluator) hold(w sweep, picks []pick) (held []state, absent []i18n.Message) {
	inner := e.inner(picks)
	held = slices.Repeat([]state{holds}, e.blocks)
	for i := range w.holds {
		c := &w.holds[i]
		left, right := inner.series(c.left), inner.series(c.right)
		for block := range held {
			held[block] = min(held[block], c.pointwise(left.at(block), right.at(block)))
		}
	}
	return held, inner.absent
}

// stillHolds returns the last level up to which the conditions hold in a block,
// and the first at which they fail; levels of which nothing is known lie between
// them. last is -1 and first the number of levels if there is none.
func stillHolds(held [][]state, block int) (last, first int) {
	last, first = -1, len(held)
	known := true
	for i := range held {
		switch held[i][block] {
		case fails:
			return last, i
		case holds:
			if known {
				last = i
			}
		default:
			known = false
		}
	}
	return last, first
}

// knee is the lowest level with enough of the highest throughput. It is that of the
// mean curve of all blocks, and the same in each: of single blocks the highest of many
// noisy levels is too high, and with it the knee. What scatter leaves open of it is
// between low and high.
func (e *evaluator) knee(w sweep, steps []step) series {
	out := e.blank()
	out.withoutLow = true
	measured := make([]series, len(steps))
	for i, t := range steps {
		inner := e.inner(e.around(t, w))
		measured[i] = inner.series(quantity{metric: throughput, at: w.at})
		e.absent = append(e.absent, inner.absent...)
	}
	var blocks []int // with a throughput at every level
	for block := range out.value {
		if !slices.ContainsFunc(measured, func(s series) bool { return math.IsNaN(s.value[block]) }) {
			blocks = append(blocks, block)
		}
	}
	levels, values := make([]float64, len(steps)), make([][]float64, len(steps))
	for i := range steps {
		levels[i] = steps[i].value
		for _, block := range blocks {
			values[i] = append(values[i], measured[i].value[block])
		}
	}
	found, ok := stats.FindKnee(levels, values, enough, e.level, kneeSeed)
	for k, block := range blocks {
		at := found
		if !ok { // a single block, or one that gave nothing at some level
			one, known := kneeOfBlock(values, k)
			if !known {
				continue
			}
			at = one
		}
		out.value[block], out.low[block], out.high[block] = levels[at.At], 0, levels[at.High]
		if at.Low > 0 {
			out.low[block] = levels[at.Low-1]
		}
		if at.High == len(levels)-1 {
			out.high[block] = math.Inf(1)
		}
	}
	return out
}

// kneeSeed is that of the draws of a knee's interval: the same run gives the same
// verdict.
const kneeSeed = 1

// kneeOfBlock is the knee of what was measured in one block.
func kneeOfBlock(values [][]float64, block int) (k stats.Knee, ok bool) {
	top := 0.0
	for _, row := range values {
		top = max(top, row[block])
	}
	if !(top > 0) {
		return k, false
	}
	k.At = slices.IndexFunc(values, func(row []float64) bool { return row[block] >= enough*top })
	k.Low, k.High = k.At, k.At
	return k, true
}
