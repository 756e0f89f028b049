package regression

import (
	"math"
	"slices"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/compare"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// Canary is what an unchanged program did next to those that an alarm is about: the old version
// measured once more in each block of the second run.
type Canary struct {
	Group  string         `json:"group"`
	Metric string         `json:"metric"`
	Ratio  stats.Interval `json:"ratio"` // Level 0: there is no interval
	Moved  bool           `json:"moved"` // its interval has no 1 in it
}

// watch says of each alarm whether an unchanged program moved too. It changes no decision: that
// has its own rates of error, and this may move by chance in one of twenty.
func (r *Result) watch(a *analysis.Analysis) {
	for i := range r.Checks {
		c := &r.Checks[i]
		at := slices.IndexFunc(a.Groups, func(g analysis.Group) bool { return g.Title == c.Group })
		if c.Decision != Regression || at < 0 {
			continue
		}
		ratio, ok := a.Groups[at].Twin[c.Metric]
		if !ok || ratio.N == 0 || slices.ContainsFunc(r.Canaries, func(k Canary) bool { return k.Group == c.Group && k.Metric == c.Metric }) {
			continue
		}
		k := Canary{Group: c.Group, Metric: c.Metric, Ratio: ratio, Moved: ratio.Level > 0 && !ratio.Contains(1)}
		r.Canaries = append(r.Canaries, k)
		r.Remarks = append(r.Remarks, k.says(a.Run.Reference))
	}
}

func (k *Canary) says(old string) i18n.Message {
	name := compare.MetricName(k.Metric)
	switch by := 100 * math.Abs(k.Ratio.Estimate-1); {
	case k.Ratio.Level == 0:
		return i18n.New("regression.canary-without-interval", "%s, measured once more alongside the others under %s, came out at %.3f times itself in %s: too few blocks for an interval", old, k.Group, k.Ratio.Estimate, name)
	case k.Moved:
		return i18n.New("regression.canary-moved", "an unchanged program moved too: %s, measured once more alongside the others under %s, came out at %.3f times itself (%.3f–%.3f) in %s; the machine may be the cause of as much as %.1f %%", old, k.Group, k.Ratio.Estimate, k.Ratio.Low, k.Ratio.High, name, by)
	}
	return i18n.New("regression.canary-stayed", "an unchanged program did not move: %s, measured once more alongside the others under %s, came out at %.3f times itself (%.3f–%.3f) in %s", old, k.Group, k.Ratio.Estimate, k.Ratio.Low, k.Ratio.High, name)
}
