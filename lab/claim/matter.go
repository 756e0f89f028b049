package claim

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dyno/lab/stats"
)

// matter is one comparison with the data it is decided by.
type matter struct {
	text      string
	effect    effect
	sample    sample
	direction *direction // nil if it is that of the effect
	margin    float64
	base      float64 // mean of what a difference is taken from

	noise  *stats.Interval
	blocks int // of the run
	absent []string
	zero   int // blocks left out because something was divided by zero
}

func newMatter(c *Comparison, d *direction, margin float64, src Source) *matter {
	m := &matter{text: c.Text, effect: newEffect(c, src.Space()), direction: d, margin: margin, blocks: src.Blocks()}
	e := newEvaluator(src)
	m.sample = newSample(e.series(m.effect.figure), subtracts(m.effect.figure))
	if m.effect.base != nil {
		m.base = meanOf(e.series(m.effect.base).value)
	}
	m.absent = append(e.absent, d.absent()...)
	slices.Sort(e.zero)
	m.zero = len(slices.Compact(e.zero))
	if names := m.effect.metrics(); len(names) == 1 && m.effect.hasNull && m.effect.base == nil {
		if cell := e.first(m.effect.figure); cell != nil {
			if noise, ok := src.Noise(names[0], cell.Index); ok {
				m.noise = &noise
			}
		}
	}
	return m
}

// first is the cell of the first metric in a figure; nil if there is none outside
// of sweeps.
func (e *evaluator) first(n node) *Cell {
	switch n := n.(type) {
	case quantity:
		cell, _ := e.space.one(n.picks, n.at)
		return cell
	case operation:
		if cell := e.first(n.left); cell != nil {
			return cell
		}
		return e.first(n.right)
	}
	return nil
}

// meanOf is the mean of the values that are known.
func meanOf(values []float64) float64 {
	sum, n := 0.0, 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	return sum / max(n, 1)
}

// estimate is that of the sample, or of one with more blocks.
func (m *matter) estimate(more int, o Options) (stats.Interval, span) {
	if more == 0 {
		return m.sample.estimate(o)
	}
	longer := m.sample.longer(more)
	iv, where := longer.estimate(o)
	if iv.Level == 0 { // so many blocks were not planned for
		o.Ratio = stats.Ratio
		return longer.estimate(o)
	}
	return iv, where
}

// read says what the data say, or would say with more blocks.
func (m *matter) read(more int, o Options) reading {
	_, where := m.estimate(more, o)
	r := m.effect.read(where, m.margin, m.base)
	if m.direction != nil {
		r.directed, r.own, r.direction = true, true, m.direction.state(more, o)
	}
	return r
}

// part decides.
func (m *matter) part(o Options) Part {
	p := Part{Expression: m.text, Blocks: len(m.sample.value), Noise: m.noise}
	p.Left = m.blocks - p.Blocks
	if len(m.absent) > 0 {
		p.Verdict, p.Why = Unmeasurable, m.absent[0]
		return p
	}
	p.Effect = m.shown(o)
	if p.Blocks < 2 {
		p.Verdict, p.Needed = Undecided, 2-p.Blocks
		p.Why = m.tooFew(p.Blocks)
		return p
	}
	r := m.read(0, o)
	p.Verdict = r.verdict()
	if p.Verdict == Undecided {
		p.Needed = m.needed(o)
	}
	p.Why = m.why(r, p.Needed) + m.leftOut(p.Left)
	return p
}

// shown is the effect in the unit that people read, or nil without a value.
func (m *matter) shown(o Options) *Effect {
	iv, where := m.sample.estimate(o)
	if iv.N == 0 {
		return nil
	}
	e := &m.effect
	out := &Effect{Of: write(e.figure, 0), Op: e.claimed.op, Tolerance: e.claimed.tolerance}
	ratio := e.hasNull && e.base == nil
	name, scale := shownAs(e.nature.dim, ratio, e.nature.percent)
	out.Unit, out.Bound = name, e.claimed.bound*scale
	out.Interval = iv
	out.Interval.Estimate *= scale
	out.Interval.Low, out.Interval.High = out.Interval.Estimate, out.Interval.Estimate
	if iv.N > 1 {
		out.Below, out.Above = math.IsInf(where.low, -1), math.IsInf(where.high, 1)
	}
	if iv.N > 1 && !out.Below {
		out.Interval.Low = where.low * scale
	}
	if iv.N > 1 && !out.Above {
		out.Interval.High = where.high * scale
	}
	if e.hasNull {
		null := e.null * scale
		out.NoEffect = &null
	}
	return out
}

// maxNeeded is the number of blocks beyond which more hardly help.
const maxNeeded = 1000

// needed is about how many more blocks decide, if they are like those there are: 0
// if more than maxNeeded.
func (m *matter) needed(o Options) int {
	decided := func(more int) bool { return m.read(more, o).verdict() != Undecided }
	low, high := 0, 1
	for !decided(high) {
		if low, high = high, 2*high; high > 2*maxNeeded {
			return 0
		}
	}
	for high-low > 1 {
		if middle := (low + high) / 2; decided(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	if high > maxNeeded {
		return 0
	}
	return high
}

func (m *matter) tooFew(blocks int) string {
	text := fmt.Sprintf("%d of at least 2 blocks can be used", blocks)
	if m.zero > 0 {
		text += fmt.Sprintf("; in %d there would be a division by zero", m.zero)
	}
	return text
}

// leftOut says how many blocks could not be used.
func (m *matter) leftOut(n int) string {
	switch {
	case m.zero > 0:
		return fmt.Sprintf("; %d of %d blocks are left out, %d for a division by zero", n, m.blocks, m.zero)
	case n > 0:
		return fmt.Sprintf("; %d of %d blocks are left out, which lack a usable trial", n, m.blocks)
	}
	return ""
}

// why puts the reading into a clause.
func (m *matter) why(r reading, needed int) string {
	within := strings.Replace(percent(m.margin), "%", " %", 1)
	switch r.verdict() {
	case Confirmed:
		if r.same && r.directed {
			return "the whole interval is on the claimed side, though within " + within + " of no effect"
		}
		return "the whole interval is on the claimed side"
	case Direction:
		if !r.own && !r.less {
			return "the direction holds, but the effect is larger than claimed"
		}
		if r.own {
			return "the direction holds, but the size does not"
		}
		return "the direction holds, but the effect is smaller than claimed"
	case Refuted:
		switch {
		case r.own:
			return "its direction does not hold"
		case r.same && r.directed:
			return "no effect: the same within " + within
		case r.directed:
			return "the opposite holds"
		}
		return "the whole interval is outside of what is claimed"
	}
	return undecided(r) + m.hope(needed)
}

func undecided(r reading) string {
	switch {
	case r.directed && r.direction == holds:
		return "the direction holds, but the size can't be told"
	case r.directed && r.size == holds:
		return "the size holds, but the direction can't be told"
	case r.directed && r.size == fails:
		return "the size does not hold, and the direction can't be told"
	}
	return "the data can't tell"
}

// hope says what more blocks would do.
func (m *matter) hope(needed int) string {
	switch {
	case needed > 0:
		return ": about " + more(needed) + " would tell"
	case !slices.Equal(m.sample.low, m.sample.high):
		return ": the levels that were measured lie too far apart, or end too soon"
	}
	return ", and more blocks would hardly tell"
}
