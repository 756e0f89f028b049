package claim

import (
	"math"

	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// evidence is what is known of an effect when its verdict is given.
type evidence struct {
	near   interval        // its interval, at the level of the study
	wide   interval        // at the level that all parts of the claim keep together
	margin float64         // the share within which two figures are the same
	base   float64         // what a difference is a share of
	noise  *stats.Interval // ratio of two equal arms; nil if there are none
	own    *ownDirection   // direction that has an expression of its own; nil if it is that of the effect
}

// ownDirection is what an expression for the direction says, at the two levels.
type ownDirection struct{ near, wide state }

// reading is what the data say of one comparison.
type reading struct {
	verdict Verdict
	open    bool // more blocks may change it
	why     i18n.Message
	// directed says that the direction holds, whatever became of the size.
	directed bool
}

// directionHolds is why a verdict is given where the direction holds.
func directionHolds(size i18n.Message) i18n.Message {
	return i18n.New("claim.direction-holds", "the direction holds, %s", size)
}

// directionOnly is directionHolds of a size that speaks against what is claimed.
func directionOnly(size i18n.Message) i18n.Message {
	return i18n.New("claim.direction-holds-only", "the direction holds, but %s", size)
}

// read gives the verdict on one comparison: the rule of
// dyno/docs/claims-and-verdicts.md. What confirms is held to the interval of the part,
// what speaks against it to the wider one of all parts.
func (e *effect) read(v evidence) reading {
	direction, size := e.direction(v), e.size(v)
	none := v.own == nil && e.side() != 0 && e.same(v.wide, v.margin, v.base)
	next := v.own == nil && e.side() != 0 && e.same(v.near, v.margin, v.base)
	switch {
	case direction == fails && v.own != nil:
		return reading{verdict: Opposite, why: i18n.New("claim.direction-fails", "its direction does not hold")}
	case direction == fails:
		return reading{verdict: Opposite, why: i18n.New("claim.opposite-beyond", "the opposite holds, beyond %s", e.reason(v))}
	case size.verdict != "" && direction != open:
		return reading{verdict: size.verdict, why: i18n.Join(size.why, e.remark(next))}
	case none && (e.bare() || v.wide.short(e.target(), e.side())):
		return reading{verdict: NoEffect, why: i18n.New("claim.no-effect", "no effect: the same within %s", inPercent(v.margin))}
	case direction == holds && e.directed(v) && size.state == fails:
		return reading{verdict: SizeRefuted, why: directionOnly(size.why), directed: true}
	case direction == holds && e.directed(v):
		return reading{verdict: Direction, open: size.state == open, why: directionHolds(size.why), directed: true}
	case size.state == fails:
		return reading{verdict: SizeRefuted, why: i18n.Join(size.why, e.undirected(v))}
	case size.verdict != "":
		return reading{verdict: Undecided, open: true, why: i18n.New("claim.only-size-holds", "the size holds, but the direction can't be told")}
	}
	return reading{verdict: Undecided, open: true, why: i18n.New("claim.undecidable", "the data can't tell")}
}

// directed reports whether there is a direction apart from the size.
func (e *effect) directed(v evidence) bool { return v.own != nil || e.side() != 0 }

// bare reports whether nothing but an effect is claimed, of any size.
func (e *effect) bare() bool {
	return e.published == nil && e.hasNull && compare(e.claimed.bound, e.null) == 0
}

// direction says whether there is an effect on the claimed side: it holds if the whole
// interval is there, beyond what two equal arms were found apart, and fails if the
// whole wide interval is on the other side by more than could be distinguished from
// none. A claim without a direction holds in it.
func (e *effect) direction(v evidence) state {
	side := e.side()
	switch {
	case v.own != nil && v.own.wide == fails:
		return fails
	case v.own != nil:
		return max(v.own.near, open)
	case side == 0 && e.bare() && e.claimed.more() != 0: // "a >= b", which allows no effect; of "a ~ b" the size decides
		if v.wide.short(e.off(-e.claimed.more(), e.limit(v)), e.claimed.more()) {
			return fails
		}
		return holds
	case side == 0:
		return holds
	case v.near.beyond(e.off(side, e.bias(v)), side):
		return holds
	case v.wide.short(e.off(-side, e.limit(v)), side):
		return fails
	}
	return open
}

// off is the figure that is away from no effect by a share, to a side.
func (e *effect) off(side int, share float64) float64 {
	switch {
	case e.base != nil:
		return e.null + float64(side)*share
	case side > 0:
		return e.null * (1 + share)
	}
	return e.null / (1 + share)
}

// limit is how far on the other side of no effect a figure must be to be the
// opposite: beyond the margin within which two figures are the same, and beyond
// what the interval of two equal arms leaves open. Of a difference it is in its
// unit.
func (e *effect) limit(v evidence) float64 {
	return e.unit(v) * max(v.margin, reach(v.noise))
}

// bias is how far two equal arms were surely apart, which is no effect either: 0
// if their interval has 1 in it.
func (e *effect) bias(v evidence) float64 {
	if v.noise == nil || v.noise.Low <= 1 && v.noise.High >= 1 {
		return 0
	}
	return e.unit(v) * reach(v.noise)
}

// unit is what shares are of: the base of a difference, or one.
func (e *effect) unit(v evidence) float64 {
	if e.base != nil {
		return math.Abs(v.base)
	}
	return 1
}

// reach is how far the interval of two equal arms goes from 1, as a share.
func reach(noise *stats.Interval) float64 {
	if noise == nil || noise.Level <= 0 || !(noise.Low > 0) {
		return 0
	}
	return max(noise.High, 1/noise.Low) - 1
}

// reason is what a figure is beyond if it is the opposite.
func (e *effect) reason(v evidence) i18n.Message {
	if reach(v.noise) > v.margin {
		return i18n.New("claim.noise-of-twins", "what the same program differs by when measured twice (%s)", inPercent(reach(v.noise)))
	}
	return i18n.New("claim.margin-of", "the margin of %s", inPercent(v.margin))
}

// sized is what is known of the size. verdict is that which it gives if the
// direction holds, too; empty if the size isn't confirmed.
type sized struct {
	verdict Verdict
	state   state // fails if the wide interval excludes it
	why     i18n.Message
}

// size compares the interval with the size that is claimed.
func (e *effect) size(v evidence) sized {
	if e.published == nil {
		return e.sizeOfBound(v)
	}
	x, side := *e.published, e.claimed.more()
	if e.side() != 0 || e.limits() {
		side = e.side()
	}
	within := e.claimed.holding(v.near) == holds && !e.onlyDirection()
	switch {
	case v.near.holds(x) && e.precise(v.near, x):
		return sized{AsPublished, holds, i18n.New("claim.published-inside-interval", "the published figure lies in the interval")}
	case side != 0 && v.near.reaches(x, side):
		return sized{AtLeast, holds, i18n.New("claim.larger-than-published", "the effect is larger than published")}
	case within:
		return sized{AsPublished, holds, i18n.New("claim.interval-near-published", "the whole interval is within what is claimed of the published figure")}
	case side != 0 && v.wide.short(x, side) && e.claimed.holding(v.wide) != holds:
		return sized{"", fails, i18n.New("claim.smaller-than-published", "the effect is smaller than published")}
	case side == 0 && e.claimed.holding(v.wide) == fails && !v.wide.holds(x):
		return sized{"", fails, i18n.New("claim.published-outside-interval", "the published figure is outside of the interval")}
	}
	return sized{"", open, i18n.New("claim.size-undecided", "the size can't be told")}
}

// onlyDirection reports whether the bound is no effect, while the size is that of
// the published figure.
func (e *effect) onlyDirection() bool {
	return e.hasNull && !e.claimed.op.twoSided() && compare(e.claimed.bound, e.null) == 0
}

// sizeOfBound is size for what has no published figure.
func (e *effect) sizeOfBound(v evidence) sized {
	side := e.side()
	low, high := e.claimed.ends()
	switch {
	case e.claimed.holding(v.near) == holds:
		return sized{Confirmed, holds, i18n.New("claim.interval-on-claimed-side", "the whole interval is on the claimed side")}
	case e.claimed.op == About && side > 0 && v.near.above(high), e.claimed.op == About && side < 0 && v.near.below(low):
		return sized{AtLeast, holds, i18n.New("claim.larger-than-claimed", "the effect is larger than claimed")}
	case e.claimed.op == Between && side != 0 && v.wide.beyond(e.claimed.far(side), side):
		return sized{"", fails, i18n.New("claim.larger-than-claimed", "the effect is larger than claimed")}
	case e.claimed.holding(v.wide) == fails && side != 0:
		return sized{"", fails, i18n.New("claim.smaller-than-claimed", "the effect is smaller than claimed")}
	case e.claimed.holding(v.wide) == fails:
		return sized{"", fails, i18n.New("claim.interval-outside-claim", "the whole interval is outside of what is claimed")}
	}
	return sized{"", open, i18n.New("claim.size-undecided", "the size can't be told")}
}

// precise reports whether an interval with x in it says that the figure is about x: it
// excludes half the effect and one and a half times that, or, where there is no effect
// to speak of, figures that are one and a half times as large or as small.
func (e *effect) precise(s interval, x float64) bool {
	low, high := x/1.5, x*1.5
	switch {
	case e.hasNull && e.base == nil && x > 0:
		low, high = math.Pow(x, 0.5), math.Pow(x, 1.5)
	case e.hasNull:
		low, high = e.null+(x-e.null)/2, e.null+(x-e.null)*1.5
	}
	if low > high {
		low, high = high, low
	}
	return s.above(low) && s.below(high)
}

// remark is added to what is confirmed though it is next to nothing.
func (e *effect) remark(next bool) i18n.Message {
	if next {
		return i18n.New("claim.effect-tiny", ", though it is next to no effect")
	}
	return i18n.Message{}
}

// undirected says why a size that is refuted leaves the direction open.
func (e *effect) undirected(v evidence) i18n.Message {
	side := e.side()
	switch {
	case side == 0 || v.own != nil:
		return i18n.Message{}
	case v.near.short(e.null, side):
		return i18n.New("claim.other-side-within", "; what there is lies on the other side, within %s", e.reason(v))
	}
	return i18n.New("claim.existence-undecided", "; whether there is one can't be told")
}

// same reports whether all of an interval is the same as no effect: within the margin
// of 1 for a ratio, within the margin of its base for a difference. At the 95 % of
// the lab that is two one-sided tests at 2.5 % each.
func (e *effect) same(where interval, margin, base float64) bool {
	if e.base == nil {
		return stats.Equivalent(stats.Interval{Low: where.low, High: where.high, Level: 1}, margin)
	}
	return math.Max(math.Abs(where.low), math.Abs(where.high)) <= margin*math.Abs(base)
}
