package regression

import (
	"math"
	"slices"

	"dyno.example/dyno/compare"
	"dyno.example/dyno/regression/threshold"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// minTrials is how many restarts each version needs for a judgement: with two,
// an interval says next to nothing about its own width.
const minTrials = 3

// missing says why there are no values of a metric; empty if there are.
func (s *sample) missing(metric string) i18n.Message {
	v, ok := s.metrics[metric]
	if !ok {
		return i18n.New("compare.not-measured", "not measured")
	}
	return v.missing
}

// judged reports whether a threshold leads to a check: one that nobody named
// doesn't if its metric can't be measured here. What only one of the versions
// lacks can be: it may be missing because that version is worse, as a percentile
// is that lies among requests which were given up.
func (s *sample) judged(t threshold.Threshold, asked bool) bool {
	v, ok := s.metrics[t.Metric]
	return asked || !s.broken.IsZero() || ok && !v.nowhere
}

// check holds a threshold against a metric; stages is nil if the number of blocks is fixed.
func (s *sample) check(t threshold.Threshold, level float64, stages *Stages) Check {
	if t.OfErrors() && s.errors != nil {
		return *s.errors
	}
	c := Check{Group: s.group, Subject: s.subject, Metric: t.Metric, Threshold: t, Decision: CannotTell}
	v := s.metrics[t.Metric]
	c.Unit = v.unit
	why := firstOf(s.broken, s.missing(t.Metric))
	if why.IsZero() && min(len(v.old), len(v.new)) < minTrials {
		why = i18n.New("regression.too-few-restarts", "%d restarts of the old and %d of the new version are too few: it takes %d", len(v.old), len(v.new), minTrials)
	}
	if why.IsZero() && min(slices.Min(v.old), slices.Min(v.new)) <= 0 {
		why = i18n.New("compare.ratio-of-zero", "it is zero in some trials, and of zero there is no ratio")
	}
	if !why.IsZero() {
		c.cannotTell(why)
		return c
	}
	c.Old, c.New = stats.Median(v.old, level), stats.Median(v.new, level)
	if stages != nil && v.paired {
		c.stage(&v, stages.plan(t))
	} else {
		c.Ratio = v.ratio(level)
		c.Decision = judge(c.Ratio, t)
		c.power(&v, level)
		c.Sentence = c.says()
	}
	if c.Decision == OK && !s.failing().IsZero() {
		c.cannotTell(s.failing())
	}
	return c
}

func (c *Check) cannotTell(why i18n.Message) {
	c.Decision, c.Sentence = CannotTell, i18n.New("compare.cant-tell-why", "can't tell about %s: %s", compare.MetricName(c.Metric), why)
}

func (v *values) ratio(level float64) stats.Interval {
	if v.paired {
		return stats.Ratio(v.new, v.old, level)
	}
	return stats.DaysRatio(v.days, v.new, level).Ratio
}

// power fills in what the check finds, and what it would take.
func (c *Check) power(v *values, level float64) {
	// Several days: what they differ by decides, however many restarts each has.
	if d := stats.DaysRatio(v.days, v.new, level); !v.paired && d.Days > 1 && d.Between > 0 {
		c.Finds = findsAmongDays(d, c.Threshold, level)
		if c.Decision == CannotTell {
			c.NeedsDays = needsDays(d, c.Threshold, level)
		}
		return
	}
	if deviation, n, ok := v.noise(); ok {
		c.Finds = finds(deviation, n, c.Threshold, level)
		if c.Decision == CannotTell {
			c.Needs = needs(deviation, n, c.Threshold, level)
		}
	}
}

// judge holds a ratio against a threshold; the package's comment says how.
func judge(ratio stats.Interval, t threshold.Threshold) Decision {
	if ratio.Level == 0 {
		return CannotTell
	}
	low, estimate, high, limit := ratio.Low, ratio.Estimate, ratio.High, t.Limit()
	if !t.Rises() { // the same, seen upside down
		low, estimate, high, limit = 1/high, 1/estimate, 1/low, 1/limit
	}
	switch {
	case high <= limit:
		return OK
	case low > 1 && estimate > limit:
		return Regression
	}
	return CannotTell
}

// says puts the check into a sentence.
func (c *Check) says() i18n.Message {
	what := compare.MetricName(c.Metric)
	if c.Ratio.Level == 0 {
		return i18n.New("compare.cant-tell-why", "can't tell about %s: %s", what, c.Ratio.Note)
	}
	text := i18n.Join(i18n.New("compare.is", "%s is %s", what, compare.Change(c.Ratio)), i18n.New("regression.are-allowed", "; %.3g %% are allowed", 100*math.Abs(c.Threshold.Change)))
	if compare.Contradicts(c.Ratio, c.Old, c.New) {
		text = i18n.Join(text, compare.ByMedians())
	}
	if c.Decision != CannotTell {
		return text
	}
	text = i18n.New("regression.cannot-tell", "can't tell: %s", text)
	if c.Needs > 0 {
		text = i18n.Join(text, i18n.New("regression.blocks-would-tell", "; about %d blocks would tell", c.Needs))
	}
	if c.NeedsDays > 0 {
		text = i18n.Join(text, i18n.New("regression.days-would-tell", "; a baseline of about %d days would tell", c.NeedsDays))
	}
	return text
}

// noise is what there is to compute power from: the standard deviation of the
// logarithm of one restart, such that the ratio of n restarts on each side has
// the error deviation·√(2/n); and that n.
func (v *values) noise() (deviation float64, n int, ok bool) {
	if v.paired {
		ratios := make([]float64, len(v.new))
		for i := range v.new {
			ratios[i] = v.new[i] / v.old[i]
		}
		d, ok := stats.LogDeviation(ratios)
		return d / math.Sqrt2, len(ratios), ok
	}
	old, okOld := stats.LogDeviation(v.old)
	new, okNew := stats.LogDeviation(v.new)
	n = int(2 / (1/float64(len(v.old)) + 1/float64(len(v.new)))) // harmonic: the smaller side counts
	return math.Sqrt((old*old + new*new) / 2), n, okOld && okNew
}

// finds is the smallest worsening, as a share, at which n restarts on each side
// raise an alarm with the power: the interval must leave out 1, and the estimate
// be beyond the threshold. It is 0 if that is unknown.
func finds(deviation float64, n int, t threshold.Threshold, level float64) float64 {
	if n < 2 {
		return 0
	}
	const quantile = 1.8808 // of the normal distribution, for the power
	beyond := math.Exp(math.Abs(math.Log(t.Limit())) + quantile*deviation*math.Sqrt(2/float64(n)))
	ratio := max(beyond, stats.DetectableRatio(deviation, n, level, power))
	if t.Rises() {
		return ratio - 1
	}
	return 1 - 1/ratio
}

// findsAmongDays is finds of a new day against several.
func findsAmongDays(d stats.Days, t threshold.Threshold, level float64) float64 {
	const quantile = 1.8808 // as in finds
	scatter := d.Between * math.Sqrt(1+1/float64(d.Days))
	ratio := max(math.Exp(math.Abs(math.Log(t.Limit()))+quantile*scatter), stats.DetectableDay(d.Between, d.Days, level, power))
	if t.Rises() {
		return ratio - 1
	}
	return 1 - 1/ratio
}

// needsDays is needs in days of the baseline: 0 if it has so many already, or if no
// number of them will do.
func needsDays(d stats.Days, t threshold.Threshold, level float64) int {
	limit := t.Limit()
	if limit < 1 {
		limit = 1 / limit
	}
	if days := stats.DaysFor(limit, d.Between, level, power); days > d.Days {
		return days
	}
	return 0
}

// mostBlocks is how many blocks are worth telling of.
const mostBlocks = 1000

// needs is the smallest number of blocks whose interval leaves out 1 with the
// power if the metric is worse by the threshold; 0 if n are so many already, or
// if not even mostBlocks will do.
func needs(deviation float64, n int, t threshold.Threshold, level float64) int {
	blocks := stats.BlocksFor(t.Limit(), deviation, level, power)
	if blocks <= n || blocks > mostBlocks {
		return 0
	}
	return blocks
}
