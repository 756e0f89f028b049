package history

import (
	"math"
	"time"

	"dyno.example/dyno/compare"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// seed of the drawn series that chance is known by: the same runs give the same
// history.
const seed = 1

// findChanges finds the changes of all series. Of many series some look changed by
// chance, and in each all nights are looked at again every night: so the share of
// false ones among all series that are said to change is what P bounds.
func (h *History) findChanges() {
	p := make([]float64, len(h.Series))
	scales := make([]scale, len(h.Series))
	var all [][]float64
	for i := range h.Series {
		if scales[i] = h.Series[i].scale(); scales[i].logs {
			all = append(all, scales[i].values)
		}
	}
	alike := stats.AlikeOf(all)
	for i := range h.Series {
		p[i] = stats.ChangeP(scales[i].values, alike, seed)
		h.Series[i].P = p[i]
	}
	h.Limit, _ = stats.FalseDiscovery(p, h.P)
	for i := range h.Series {
		if p[i] > h.Limit {
			continue
		}
		s := &h.Series[i]
		for _, found := range stats.ChangePoints(scales[i].values, alike, h.Limit, seed) {
			found.Before, found.After = scales[i].back(found.Before), scales[i].back(found.After)
			if max(found.Before, found.After) > (1+h.Margin)*min(found.Before, found.After) {
				s.Changes = append(s.Changes, h.change(s, found))
			}
		}
	}
}

// scale is what a series is looked at on.
type scale struct {
	values []float64
	logs   bool // they are logarithms
}

// scale is that of logarithms, on which a rise and the fall that takes it back are as
// large, unless there are zeros, as mostly of the share of errors: those are taken as they
// are.
func (s *Series) scale() scale {
	plain, logs := make([]float64, len(s.Points)), make([]float64, len(s.Points))
	positive := true
	for i, p := range s.Points {
		plain[i], logs[i] = p.Value.Estimate, math.Log(p.Value.Estimate)
		positive = positive && p.Value.Estimate > 0
	}
	if positive {
		return scale{logs, true}
	}
	return scale{plain, false}
}

// back is a value of the scale as it was measured.
func (s *scale) back(x float64) float64 {
	if s.logs {
		return math.Exp(x)
	}
	return x
}

// change puts a change into words. Its levels are as they were measured.
func (h *History) change(s *Series, found stats.Change) Change {
	first, last := &h.Runs[s.Points[found.Index].Run], &h.Runs[s.Points[found.Index-1].Run]
	c := Change{
		Point: found.Index, Run: first.ID, Previous: last.ID, P: found.P, Before: found.Before, After: found.After,
		Worse: (found.After > found.Before) == (s.Better == string(stats.Lower)),
	}
	word := i18n.New("history.is-better", "which is better")
	if c.Worse {
		word = i18n.New("history.is-worse", "which is worse")
	}
	by := i18n.New("history.figure-instead", "%.3g instead of %.3g", c.After, c.Before)
	if s.Unit == "%" {
		by = i18n.New("history.percent-instead", "%.3g %% instead of %.3g %%", c.After, c.Before)
	}
	if c.Before > 0 && c.After > 0 {
		by = compare.Change(stats.Interval{Estimate: c.After / c.Before})
	}
	c.Sentence = i18n.New("history.is-from", "%s is %s, %s, from %s of %s on%s",
		compare.MetricName(s.Metric), by, word, first.ID, first.Started.UTC().Format(time.DateOnly), what(s, last, first))
	return c
}
