package regression

import (
	"slices"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/compare"
	"dyno.example/dyno/regression/threshold"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// To fail is cheaper than to serve: a version that fails looks better in every other
// figure. So each cell has a check of its errors, whatever else is asked for, unless the
// study accepts them; and no other check says that all is well where that one does not.

// errorShare is the metric of how many requests failed, in percent.
const errorShare = "errors"

// shares are the shares of errors of both versions of a cell, in percent, one for each
// restart. One in which the version failed as a whole, as it did not start or died, counts as
// all of its requests.
type shares struct {
	old, new         []float64
	oldName, newName string
	died             int          // restarts in which the new version failed as a whole
	broken           i18n.Message // why they may not be judged; empty if they may
}

func newShares(a *analysis.Analysis, c *compare.Cell, oldName string) shares {
	return shares{
		new: sharesOf(c), newName: c.Subject, oldName: oldName, died: len(c.Failed),
		broken: firstOf(brokenRun(a), brokenShares(a, c)),
	}
}

func (s *shares) ofOld(a *analysis.Analysis, c *compare.Cell) {
	s.old, s.broken = sharesOf(c), firstOf(s.broken, brokenShares(a, c))
}

func sharesOf(c *compare.Cell) []float64 {
	const all = 100
	if len(c.Trials) > 0 && len(c.Values[errorShare]) == 0 {
		return nil // not known
	}
	return append(slices.Clone(c.Values[errorShare]), slices.Repeat([]float64{all}, len(c.Failed))...)
}

// brokenShares says why a cell's errors may not be judged. Trials that failed by the
// subject's own fault can be, other than in [brokenCell].
func brokenShares(a *analysis.Analysis, c *compare.Cell) i18n.Message {
	used, all := len(c.Trials)+len(c.Failed), len(c.Trials)+len(c.Failed)+len(c.Left)
	if used > 0 && 2*used >= all {
		return i18n.Message{}
	}
	return i18n.New("regression.too-few-trials", "only %d of %d trials of %s can be used%s", used, all, c.Subject, because(a, c.Left))
}

// withErrors adds the threshold of errors, unless there is one or they are accepted.
func (r *Result) withErrors(list []threshold.Threshold) []threshold.Threshold {
	named := slices.ContainsFunc(list, threshold.Threshold.OfErrors)
	if named || r.errorsAccepted {
		return list
	}
	return append(slices.Clone(list), threshold.Errors())
}

// holdErrors fills in the check of errors, as others depend on it.
func (s *sample) holdErrors(thresholds []threshold.Threshold, o Options, level float64) {
	s.errors = nil
	for _, t := range thresholds {
		if t.OfErrors() && (s.broken.IsZero() || len(s.shares.new) > 0 && s.shares.broken.IsZero()) {
			c := s.checkErrors(t, o.named(t), level)
			s.errors = &c
		}
	}
}

// checkErrors holds the share of errors against its threshold: worse if it is certainly
// higher, and higher by more than the threshold, as far as is known. A
// threshold that nobody named can't leave the gate undecided about a few errors
// here and there: below it in the estimate is enough then.
func (s *sample) checkErrors(t threshold.Threshold, named bool, level float64) Check {
	c := Check{Group: s.group, Subject: s.subject, Metric: t.Metric, Unit: "%", Threshold: t, Decision: CannotTell}
	h := &s.shares
	switch n := min(len(h.old), len(h.new)); {
	case !h.broken.IsZero():
		c.cannotTell(h.broken)
		return c
	case n == 0:
		c.cannotTell(firstOf(s.missing(errorShare), i18n.New("compare.not-measured", "not measured")))
		return c
	case n < minTrials:
		c.cannotTell(i18n.New("regression.too-few-restarts", "%d restarts of the old and %d of the new version are too few: it takes %d", len(h.old), len(h.new), minTrials))
		return c
	}
	c.Old, c.New = stats.Median(h.old, level), stats.Median(h.new, level)
	d := stats.UnpairedDifference(h.new, h.old, level)
	c.Difference = &d
	limit := 100 * t.Change
	switch {
	case d.Low > 0 && d.Estimate > limit:
		c.Decision = Regression
	case d.High <= limit, !named && d.Estimate <= limit:
		c.Decision = OK
	}
	c.Sentence = i18n.Join(h.says(d), i18n.New("regression.points-allowed", "; %.3g points more are allowed", limit))
	if c.Decision == CannotTell {
		c.Sentence = i18n.New("regression.cannot-tell", "can't tell: %s", c.Sentence)
	}
	return c
}

// says names both shares, and the difference if there is one.
func (s *shares) says(d stats.Interval) i18n.Message {
	text := s.compared()
	if d.Estimate != 0 {
		text = i18n.Join(text, ": ", differenceText(d))
	}
	if s.died > 0 {
		text = i18n.Join(text, i18n.New("regression.failed-whole-trials", "; it failed as a whole in %d of %d trials, which count as 100 %%", s.died, len(s.new)))
	}
	return text
}

// compared names both shares.
func (s *shares) compared() i18n.Message {
	return i18n.New("regression.fails-requests", "%s fails %.3g %% of its requests, %s %.3g %%", s.newName, mean(s.new), s.oldName, mean(s.old))
}

// mean is that of a list that is not empty.
func mean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}

// differenceText writes a difference of shares: "4 points more (3.5 to 4.5)".
func differenceText(d stats.Interval) i18n.Message {
	text := i18n.New("regression.points-more", "%.3g points more", d.Estimate)
	if d.Estimate < 0 {
		d.Estimate, d.Low, d.High = -d.Estimate, -d.High, -d.Low
		text = i18n.New("regression.points-fewer", "%.3g points fewer", d.Estimate)
	}
	if d.Level > 0 && d.Low != d.High {
		text = i18n.Join(text, i18n.New("regression.to", " (%.3g to %.3g)", d.Low, d.High))
	}
	return text
}

// failing says why no other metric of the cell can be called well: empty if it can be.
func (s *sample) failing() i18n.Message {
	if s.errors == nil || s.errors.Difference == nil || s.errors.Decision == OK {
		return i18n.Message{}
	}
	return i18n.Join(s.shares.compared(), i18n.New("regression.failing-is-cheaper", ", and failing is cheaper than serving"))
}

// bothFail says that what is compared are versions that fail alike: no regression, but
// hardly what was meant to be measured.
func (s *sample) bothFail() i18n.Message {
	const some = 0.5 // percent, from which on a trial says so (the finding "errors")
	if len(s.shares.old) == 0 || len(s.shares.new) == 0 || min(mean(s.shares.old), mean(s.shares.new)) < some {
		return i18n.Message{}
	}
	return i18n.New("regression.both-versions-fail", "%s under %s: both versions fail requests (%s): the other figures are of a service that fails", s.subject, s.group, s.shares.compared())
}

// change is what a check found: a ratio, or a difference of shares.
func (c *Check) change() stats.Interval {
	if c.Difference != nil {
		return *c.Difference
	}
	return c.Ratio
}

// changed is the same in words.
func (c *Check) changed() i18n.Message {
	if c.Difference != nil {
		return differenceText(*c.Difference)
	}
	return compare.Change(c.Ratio)
}
