package claim

import (
	"math"
	"regexp"
	"slices"

	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// Rejudge is a recorded outcome by today's rule and today's wording of the claim, as far as
// the record allows: the effects with their intervals are kept, and nothing is measured or
// estimated again. An outcome of today's rule is returned as it is.
//
//   - An effect stands in the unit of its expression.
//   - The halves of a range are one part.
//   - A size that the wide interval excludes is refuted, also where the direction holds.
//   - What could not have come out otherwise is by construction, and what can't be decided
//     here unmeasurable.
func Rejudge(old Outcome, held *Claim) Outcome {
	out := old
	out.Parts = slices.Clone(old.Parts)
	changed := false
	for i := range out.Parts {
		changed = out.Parts[i].restate() || changed
		changed = out.Parts[i].forgetFailures() || changed
	}
	before := verdictsOf(out.Parts)
	for i := range out.Parts {
		out.Parts[i].refute()
	}
	if merged, ok := held.ranges(out.Parts); ok {
		out.Parts, changed = merged, true
	}
	held.qualify(out.Parts)
	if held.Unmeasurable != "" && !held.marks(func(c *Comparison) bool { return c.Unmeasurable }) {
		for i := range out.Parts {
			out.Parts[i].Verdict, out.Parts[i].Open, out.Parts[i].Needed = Unmeasurable, false, 0
			out.Parts[i].Why = i18n.Verbatim(oneLine(held.Unmeasurable))
		}
		out.Verdict, out.Why, out.Open, out.Needed = Unmeasurable, i18n.Verbatim(oneLine(held.Unmeasurable)), false, 0
		return out
	}
	if !changed && slices.Equal(before, verdictsOf(out.Parts)) {
		return old
	}
	if slices.ContainsFunc(out.Parts, func(p Part) bool { return p.Verdict == ByConstruction }) {
		out.ByConstruction = oneLine(held.ByConstruction)
	}
	out.Open, out.Needed = false, 0
	verdicts, moderated := out.overRanges()
	out.conclude(verdicts, moderated)
	return out
}

// overRanges are the verdicts on each comparison over the range of its moderators, if there are
// any.
func (out *Outcome) overRanges() (verdicts []Verdict, moderated bool) {
	for from := 0; from < len(out.Parts); {
		to := from + 1
		for to < len(out.Parts) && out.Parts[to].Expression == out.Parts[from].Expression && out.Parts[to].At != out.Parts[from].At {
			to++
		}
		verdicts = append(verdicts, overRange(verdictsOf(out.Parts[from:to])))
		moderated = moderated || to-from > 1
		from = to
	}
	return verdicts, moderated
}

// restate puts an effect that was recorded without a factor of its expression into the unit
// of that.
func (p *Part) restate() bool {
	e, err := Parse(p.Expression)
	if err != nil || p.Effect == nil || len(e.Comparisons) != 1 {
		return false
	}
	c := &e.Comparisons[0]
	left, right := c.left, c.right
	if _, rest := strip(left); rest == nil {
		left, right = right, left
	}
	factor, rest := strip(left)
	if _, sides := strip(right); rest == nil || sides != nil || !(factor > 0) || factor == 1 || p.Effect.Of != write(rest, 0) {
		return false
	}
	p.Effect = p.Effect.times(factor)
	p.Effect.Of = write(left, 0)
	if p.ByRank != nil {
		r := scaled(*p.ByRank, factor)
		p.ByRank = &r
	}
	return true
}

// forgetFailures takes out of the reason that a subject failed, where the figure itself is
// the share of requests that did.
func (p *Part) forgetFailures() bool {
	e, err := Parse(p.Expression)
	if err != nil || len(e.Comparisons) != 1 || !ofErrors(e.Comparisons[0].left) || !ofErrors(e.Comparisons[0].right) {
		return false
	}
	why := aSubjectFailed.ReplaceAllString(p.Why.String(), "")
	changed := why != p.Why.String()
	p.Why = i18n.Verbatim(why)
	return changed
}

var aSubjectFailed = regexp.MustCompile(`; in [0-9]+ of [0-9]+ blocks a subject failed$`)

// refute takes the word for a direction from what its interval excludes the size of.
func (p *Part) refute() {
	e := p.Effect
	if p.Verdict != Direction || e == nil || e.Interval.Level == 0 {
		return
	}
	recorded := effect{claimed: region{e.Op, e.Bound, e.Tolerance}, published: e.Published}
	if e.NoEffect != nil {
		recorded.null, recorded.hasNull = *e.NoEffect, true
	}
	near := e.bounds(e.Interval)
	v := evidence{near: near, wide: near}
	if e.Family != nil {
		v.wide = e.bounds(*e.Family)
	}
	if side := recorded.side(); e.Floor != nil && !e.bounds(*e.Floor).reaches(recorded.target(), side) {
		return
	}
	if size := recorded.size(v); size.state == fails {
		p.Verdict, p.Open, p.Needed = SizeRefuted, false, 0
		p.Why = directionOnly(size.why)
	}
}

// bounds is where a figure lies by a recorded interval of it.
func (e *Effect) bounds(iv stats.Interval) interval {
	s := interval{low: iv.Low, high: iv.High}
	if e.Below {
		s.low = math.Inf(-1)
	}
	if e.Above {
		s.high = math.Inf(1)
	}
	return s
}

// times is the effect in a unit of which one of its own is so many.
func (e *Effect) times(factor float64) *Effect {
	out := *e
	out.Interval, out.Bound = scaled(e.Interval, factor), e.Bound*factor
	for _, at := range []**stats.Interval{&out.Family, &out.Floor} {
		if *at != nil {
			iv := scaled(**at, factor)
			*at = &iv
		}
	}
	for _, at := range []**float64{&out.NoEffect, &out.Published} {
		if *at != nil {
			x := **at * factor
			*at = &x
		}
	}
	return &out
}

func scaled(iv stats.Interval, factor float64) stats.Interval {
	iv.Estimate, iv.Low, iv.High = iv.Estimate*factor, iv.Low*factor, iv.High*factor
	return iv
}

// ranges puts the halves of ranges together that the claim has as one comparison today.
func (c *Claim) ranges(parts []Part) (out []Part, changed bool) {
	c.marks(func(r *Comparison) bool {
		low, high := r.end(-1), r.end(+1)
		for i := range parts {
			if r.Op != Between || i+1 >= len(parts) {
				break
			}
			a, b := &parts[i], &parts[i+1]
			figure := write(r.left, 0)
			if a.isHalf(figure, GreaterEq, low) && b.isHalf(figure, LessEq, high) {
				parts[i] = a.joined(b, r)
				parts = slices.Delete(parts, i+1, i+2)
				changed = true
			}
		}
		return false
	})
	return parts, changed
}

// isHalf reports whether a part is one end of a range.
func (p *Part) isHalf(figure string, op Op, end node) bool {
	e, err := Parse(p.Expression)
	if err != nil || len(e.Comparisons) != 1 || p.Effect == nil {
		return false
	}
	c := &e.Comparisons[0]
	bound, rest := strip(c.right)
	want, _ := strip(end)
	return rest == nil && c.Op == op && write(c.left, 0) == figure && compare(bound, want) == 0
}

// joined is the part on a range of which there were two halves, of the same figure.
func (p *Part) joined(upper *Part, r *Comparison) Part {
	out := *p
	e := *p.Effect
	middle := (e.Bound + upper.Effect.Bound) / 2
	e.Op, e.Bound, e.Tolerance, e.Published = Between, middle, r.Tolerance, nil
	out.Expression, out.Effect = r.Text, &e
	out.Open, out.Needed = p.Open || upper.Open, max(p.Needed, upper.Needed)
	switch together := alike([]Verdict{p.Verdict, upper.Verdict}); {
	case together.Confirms():
		out.Verdict, out.Why = Confirmed, i18n.New("claim.interval-on-claimed-side", "the whole interval is on the claimed side")
	case together != Mixed:
		out.Verdict = together
	case p.Verdict.Refutes() || upper.Verdict.Refutes():
		out.Verdict = SizeRefuted
	default:
		out.Verdict = Direction
	}
	return out
}
