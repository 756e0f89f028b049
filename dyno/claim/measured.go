package claim

import (
	"math"
	"slices"
	"strconv"

	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// measuredComparison is one comparison with the data it is decided by.
type measuredComparison struct {
	text      string
	at        string // the place of the moderators
	effect    effect
	sample    sample
	floor     *sample    // of what the figure would be without the work; nil if the claim names none
	direction *direction // nil if it is that of the effect
	margin    float64
	base      float64 // mean of what a difference is taken from

	noise  *stats.Interval
	blocks int // of the run
	absent []i18n.Message
	zero   int // blocks left out because something was divided by zero
}

// newMeasuredComparison takes the data of a comparison. level is that of the intervals that are
// found before there are others, as of knees.
func newMeasuredComparison(c *Comparison, d *direction, margin float64, src Source, at []pick, level float64) *measuredComparison {
	m := &measuredComparison{text: c.Text, at: where(at), effect: newEffect(c, src.Space(), at), direction: d, margin: margin, blocks: src.Blocks()}
	e := newEvaluator(src, at, level)
	like := m.effect.hasNull && m.effect.base == nil
	figure := e.series(m.effect.figure)
	m.sample = newSample(figure, subtracts(m.effect.figure), like, e.failed)
	if m.effect.base != nil {
		m.base = meanOf(e.series(m.effect.base).value)
	}
	if m.effect.floor != nil {
		floor := newSample(e.series(m.effect.floor), subtracts(m.effect.floor), like, e.failed)
		m.floor = &floor
	}
	m.absent = append(e.absent, d.absent()...)
	slices.Sort(e.zero)
	for _, block := range slices.Compact(e.zero) {
		if !like || !math.IsInf(figure.value[block], 1) {
			m.zero++
		}
	}
	if names := m.effect.metrics(); len(names) == 1 && m.effect.hasNull {
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
		cell, _ := e.space.one(within(n.picks, e.outer), n.at)
		return cell
	case operation:
		if cell := e.first(n.left); cell != nil {
			return cell
		}
		return e.first(n.right)
	}
	return nil
}

// meanOf is the mean of the values that are known, and that aren't those of whoever failed: of no
// infinite one can anything be a share.
func meanOf(values []float64) float64 {
	sum, n := 0.0, 0.0
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			sum, n = sum+v, n+1
		}
	}
	return sum / max(n, 1)
}

// estimate is that of the sample, or of one with more blocks.
func (m *measuredComparison) estimate(more int, o Options) (stats.Interval, interval) {
	if more == 0 {
		return m.sample.estimate(o)
	}
	longer := m.sample.longer(more)
	iv, where := longer.estimate(o)
	if iv.Level == 0 { // so many blocks were not planned for
		o.Ratio, o.Median = stats.Ratio, stats.Median
		return longer.estimate(o)
	}
	return iv, where
}

// read says what the data say, or would say with more blocks.
func (m *measuredComparison) read(more int, o Options) reading {
	_, near := m.estimate(more, o)
	v := evidence{near: near, wide: near, margin: m.margin, base: m.base, noise: m.noise}
	if o.parts > 1 {
		_, v.wide = m.estimate(more, o.family())
	}
	if m.direction != nil {
		v.own = &ownDirection{near: m.direction.state(more, o), wide: m.direction.state(more, o.family())}
	}
	return m.withFloor(m.effect.read(v), more, o)
}

// withFloor holds what speaks against the size to what the best there is could have
// come to: where not even work that costs nothing reaches the size, nothing is
// learnt of it.
func (m *measuredComparison) withFloor(r reading, more int, o Options) reading {
	if m.floor == nil || r.verdict.Confirms() {
		return r
	}
	floor := &measuredComparison{effect: m.effect, sample: *m.floor}
	iv, where := floor.estimate(more, o)
	if iv.N < 2 {
		where = anywhere()
	}
	side := m.effect.side()
	if side == 0 {
		side = m.effect.claimed.more()
	}
	switch target := m.effect.target(); {
	case side == 0 || where.reaches(target, side):
		return r
	case where.short(target, side):
		return reading{verdict: Unmeasurable, why: i18n.New("claim.floor-too-high", "it can't be measured this way: not even work that costs nothing would reach the size that is claimed")}
	case r.verdict == SizeRefuted && r.directed:
		return reading{verdict: Direction, open: true, why: directionHolds(floorUnknown()), directed: true}
	case r.verdict == SizeRefuted || r.verdict == NoEffect:
		return reading{verdict: Undecided, open: true, why: floorUnknown()}
	}
	return r
}

// floorUnknown is why a size that is not reached isn't refuted.
func floorUnknown() i18n.Message {
	return i18n.New("claim.size-or-floor-undecided", "the size is not reached, but whether work that costs nothing would reach it can't be told")
}

// part decides.
func (m *measuredComparison) part(o Options) Part {
	p := Part{Expression: m.text, At: m.at, Blocks: len(m.sample.value), Failed: m.sample.failed, Noise: m.noise}
	p.Left = m.blocks - p.Blocks
	if len(m.absent) > 0 {
		p.Verdict, p.Why = Unmeasurable, m.absent[0]
		return p
	}
	p.Effect = m.shown(o)
	if p.Blocks < 2 {
		p.Verdict, p.Open, p.Needed = Undecided, true, 2-p.Blocks
		p.Why = m.tooFew(p.Blocks)
		return p
	}
	r := m.read(0, o)
	p.Verdict, p.Open = r.verdict, r.open
	p.Why = r.why
	if p.Open {
		p.Needed = m.needed(o)
		p.Why = i18n.Join(p.Why, m.hope(p.Needed))
	}
	if p.ByRank = m.byRank(); p.ByRank != nil {
		p.SameByRank = m.sameByRank(p.Verdict, o)
	}
	p.Why = i18n.Join(p.Why, m.leftOut(p.Left), m.failures(), m.zeros(), m.never(), m.parting(p.ByRank, p.SameByRank))
	return p
}

// failures says in how many blocks a subject failed. Of a share of requests that failed it goes
// without saying: the subject is there, and the figure is what is asked.
func (m *measuredComparison) failures() i18n.Message {
	switch {
	case m.sample.failed == 0, !m.sample.ranked && ofErrors(m.effect.as):
		return i18n.Message{}
	case m.sample.ranked:
		return i18n.New("claim.blocks-failed-as-worst", "; in %d of %d blocks a subject failed, which counts as the worst figure there is: the median stands for the mean", m.sample.failed, m.blocks)
	}
	return i18n.New("claim.blocks-subject-failed", "; in %d of %d blocks a subject failed", m.sample.failed, m.blocks)
}

// ofErrors reports whether a figure is made of shares of requests that failed, and of nothing
// else that is measured.
func ofErrors(n node) bool {
	switch n := n.(type) {
	case quantity:
		return n.metric == "errors"
	case operation:
		return ofErrors(n.left) && ofErrors(n.right)
	case number:
		return true
	}
	return false
}

// shown is the effect in the unit that people read, or nil without a value.
func (m *measuredComparison) shown(o Options) *Effect {
	iv, where := m.sample.estimate(o)
	if iv.N == 0 || math.IsInf(iv.Estimate, 0) {
		return nil
	}
	e := &m.effect
	out := &Effect{Of: write(e.as, 0), Op: e.claimed.op, Tolerance: e.claimed.tolerance}
	name, scale := e.shown()
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
	if e.published != nil {
		x := *e.published * scale
		out.Published = &x
	}
	if o.parts > 1 && iv.N > 1 {
		if wide, where := m.sample.estimate(o.family()); !math.IsInf(where.low, 0) && !math.IsInf(where.high, 0) {
			out.Family = &stats.Interval{N: wide.N, Estimate: out.Interval.Estimate, Low: where.low * scale, High: where.high * scale, Level: wide.Level}
		}
	}
	if m.floor != nil {
		if floor, where := m.floor.estimate(o); floor.N > 1 && !math.IsInf(where.low, 0) && !math.IsInf(where.high, 0) {
			out.Floor = &stats.Interval{N: floor.N, Estimate: floor.Estimate * scale, Low: floor.Low * scale, High: floor.High * scale, Level: floor.Level}
		}
	}
	return out
}

// maxNeeded is the number of blocks beyond which more hardly help.
const maxNeeded = 1000

// needed is about how many more blocks decide, if they are like those there are: 0
// if more than maxNeeded.
func (m *measuredComparison) needed(o Options) int {
	if m.sample.ranked {
		return max(m.sample.wanting(o.family().Level), 0)
	}
	decided := func(more int) bool { return !m.read(more, o).open }
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

func (m *measuredComparison) tooFew(blocks int) i18n.Message {
	text := i18n.New("claim.too-few-blocks", "%d of at least 2 blocks can be used", blocks)
	if m.zero > 0 {
		text = i18n.Join(text, i18n.New("claim.would-division-zero", "; in %d there would be a division by zero", m.zero))
	}
	return text
}

// leftOut says how many blocks could not be used.
func (m *measuredComparison) leftOut(n int) i18n.Message {
	switch {
	case m.zero > 0:
		return i18n.New("claim.blocks-divide-by-zero", "; %d of %d blocks are left out, %d for a division by zero", n, m.blocks, m.zero)
	case m.sample.lone > 0:
		return i18n.New("claim.blocks-nothing-beside-failure", "; %d of %d blocks are left out, %d of them as a subject failed and there is nothing to compare it with", n, m.blocks, m.sample.lone)
	case n > 0:
		return i18n.New("claim.blocks-unusable", "; %d of %d blocks are left out, which lack a usable trial", n, m.blocks)
	}
	return i18n.Message{}
}

// hope says what more blocks would do.
func (m *measuredComparison) hope(needed int) i18n.Message {
	switch {
	case needed > 0 && m.sample.ranked:
		return i18n.New("claim.needed-at-least", ": it takes at least %s", more(needed))
	case needed > 0:
		return i18n.New("claim.needed-about", ": about %s would tell", more(needed))
	case m.sample.ranked:
		return i18n.Message{}
	case hasIndex(m.effect.figure):
		return i18n.New("claim.more-samples", ": it takes more samples")
	case !slices.Equal(m.sample.low, m.sample.high):
		return i18n.New("claim.levels-too-coarse", ": the levels that were measured lie too far apart, or end too soon")
	}
	return i18n.New("claim.more-blocks-no-help", ", and more blocks would hardly tell")
}

// inPercent writes a share as a reader wants it, to three digits and without an
// exponent: "2 %", "1.3 %", "1230 %".
func inPercent(share float64) string {
	text := strconv.FormatFloat(100*share, 'g', 3, 64)
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		text = strconv.FormatFloat(x, 'f', -1, 64)
	}
	return text + " %"
}
