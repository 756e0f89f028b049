package regression

import (
	"slices"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/baseline"
	"dyno.example/internal/i18n"
)

// Suspects are the cells about which there is an alarm.
func (r *Result) Suspects() (subjects, groups []string) {
	for _, c := range r.Checks {
		if c.Decision != Regression {
			continue
		}
		if !slices.Contains(subjects, c.Subject) {
			subjects = append(subjects, c.Subject)
		}
		if !slices.Contains(groups, c.Group) {
			groups = append(groups, c.Group)
		}
	}
	return subjects, groups
}

// ConfirmPairs holds alarms against a second run of the two versions.
func (r *Result) ConfirmPairs(a *analysis.Analysis, list []Pair, o Options) {
	second := newResult(a, r.Mode, r.confirms)
	second.judge(pairs(a, list), o, r.Level)
	r.confirm(second)
	r.watch(a)
}

// ConfirmStored holds alarms against a second run and the same baseline.
func (r *Result) ConfirmStored(a *analysis.Analysis, b *baseline.Baseline, o Options) {
	second := newResult(a, r.Mode, r.confirms)
	second.judge(stored(a, b), o, r.Level)
	r.confirm(second)
}

// confirm replaces each alarm by what the second run says of it: an alarm only
// if it alarms too. Figures are then those of the second run, which were not
// chosen for being bad.
func (r *Result) confirm(second *Result) {
	r.Runs = append(r.Runs, second.Runs...)
	r.Took += second.Took
	for i := range r.Checks {
		c := &r.Checks[i]
		if c.Decision != Regression {
			continue
		}
		first := c.change()
		at := slices.IndexFunc(second.Checks, func(s Check) bool {
			return s.Group == c.Group && s.Subject == c.Subject && s.Threshold == c.Threshold
		})
		if at < 0 {
			c.cannotTell(i18n.New("regression.unconfirmed-cell-missing", "the alarm could not be confirmed, as the second run has no such cell; first run: %s", c.changed()))
		} else {
			said := c.changed()
			*c = second.Checks[at]
			c.Sentence = i18n.Join(c.Sentence, i18n.New("regression.first-run", "; first run: %s", said), c.byBoth(r.FalseAlarm))
		}
		c.First = &first
	}
	for _, remark := range second.Remarks {
		if !slices.Contains(r.Remarks, remark) {
			r.Remarks = append(r.Remarks, remark)
		}
	}
	r.conclude()
}

// byBoth explains an alarm of two runs whose figures leave open that nothing is worse: in stages neither
// of the two has to be as certain by itself as an interval of 95 % says.
func (c *Check) byBoth(falseAlarms float64) i18n.Message {
	if c.Decision != Regression || !c.Ratio.Contains(1) {
		return i18n.Message{}
	}
	return i18n.New("regression.by-both", " (no change is in this run's interval alone: it takes both runs, which alarm in at most %.2g %% of the gates in which nothing is worse)", 100*falseAlarms)
}

// Unconfirmable takes the alarms back because there is no second run, and says
// why. What the first found stays in the result.
func (r *Result) Unconfirmable(why error) {
	for i := range r.Checks {
		c := &r.Checks[i]
		if c.Decision != Regression {
			continue
		}
		first := c.change()
		c.First = &first
		c.cannotTell(i18n.New("regression.unconfirmed", "the alarm could not be confirmed: %v; first run: %s", why, c.changed()))
	}
	r.conclude()
}

// Unconfirmed is what to add if an alarm rests on one run alone.
func (r *Result) Unconfirmed(why string) {
	if r.Decision == Regression {
		r.Remarks = append(r.Remarks, i18n.New("regression.alarm-of-one-run", "the alarm rests on one run: %s", why))
	}
}
