// Package steadiness says if what was measured second by second was another thing at the
// end than at the beginning: a subject that warmed up, got slower, or drifted.
package steadiness

import (
	"cmp"
	"math"
	"slices"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// FewestWindows is how many windows it takes to say anything about how they
// change.
const FewestWindows = 8

// TrendChance is how improbable a trend must be by chance to be reported.
const TrendChance = 0.001

// Signal is a figure window by window.
type Signal struct {
	Name   i18n.Message
	Values []float64 // one for each window of the series
	Worse  float64   // +1 if more of it is worse, −1 if less is
	Slight float64   // the change of it, as a share, that doesn't matter yet
}

// Changes that don't matter yet: what trials of one subject differ by anyway on a
// machine that is shared.
const (
	SlightRate    = 0.05
	SlightLatency = 0.10
)

// Series are windows with their signals.
type Series struct {
	Index   []int // of the windows
	Signals []Signal
}

// Judge says if the subject was another one at the end of the measured
// time than at its beginning. It takes a change that is no chance and that
// matters: a shift of a signal's level by more than is slight for it.
func (s *Series) Judge() []finding.Finding {
	if len(s.Index) < FewestWindows || len(s.Signals) == 0 {
		return nil
	}
	steady := stats.Steadiness(s.costs())
	switch steady.Kind {
	case stats.WarmUp:
		if better, _ := s.shifts(steady.From); !better.IsZero() {
			return []finding.Finding{s.warmingUp(steady.From, better)}
		}
	case stats.SlowDown:
		if _, worse := s.shifts(steady.From); !worse.IsZero() {
			return []finding.Finding{newFinding(finding.Drifting, finding.Suspect, s.Index[steady.From:],
				i18n.New("steadiness.slower-from", "from second %d on the subject is slower: %s", s.Index[steady.From], worse))}
		}
	case stats.NoSteadyState:
		if better, worse := s.shifts(steady.Changes[len(steady.Changes)-1]); !i18n.Join(better, worse).IsZero() {
			// A result, not a fault: there are programs that never settle.
			return []finding.Finding{newFinding(finding.NeverSteady, finding.Valid, nil, i18n.New("steadiness.never-steady", "no steady state in %d seconds: at the end still, %s", len(s.Index), cmp.Or(worse, better)))}
		}
	}
	return s.drifting()
}

// costs are the signals as what a request costs, so that more is worse in all of
// them.
func (s *Series) costs() [][]float64 {
	var all [][]float64
	for _, g := range s.Signals {
		values := slices.Clone(g.Values)
		if g.Worse < 0 {
			for i, v := range values {
				values[i] = 1 / v
			}
		}
		all = append(all, values)
	}
	return all
}

// shifts says which signals got better and which got worse at the place given, by
// more than is slight and more than seconds differ anyway, as a reader wants it.
func (s *Series) shifts(at int) (better, worse i18n.Message) {
	if at <= 0 || at >= len(s.Index) {
		return i18n.Message{}, i18n.Message{}
	}
	var up, down []i18n.Message
	for _, g := range s.Signals {
		before, after := middle(g.Values[:at]), middle(g.Values[at:])
		change := after/before - 1
		apart := plainly * deviation(append(residuals(g.Values[:at], before), residuals(g.Values[at:], after)...))
		if math.Abs(change) < g.Slight || math.Abs(math.Log(after/before)) < apart {
			continue
		}
		text := i18n.New("steadiness.limit", "%s %+.0f %% (limit %.0f %%)", g.Name, 100*change, 100*g.Slight)
		if change*g.Worse < 0 {
			up = append(up, text)
		} else {
			down = append(down, text)
		}
	}
	return i18n.Enumerate(up...), i18n.Enumerate(down...)
}

// warmingUp is the finding for a subject that settled only at the place given.
// Where that is more than half of what was measured, figures rest on the wrong
// thing.
func (s *Series) warmingUp(at int, better i18n.Message) finding.Finding {
	level := finding.Suspect
	if 2*at > len(s.Index) {
		level = finding.Invalid
	}
	if 10*at <= len(s.Index) {
		level = finding.Valid
	}
	return newFinding(finding.StillWarmingUp, level, s.Index[:at],
		i18n.New("steadiness.settled-late", "the subject settled only in second %d of the measured time: %s; give it a warm-up of %d seconds more", s.Index[at], better, s.Index[at]))
}

// drifting says if a signal moved all the time by what matters, towards better
// or worse: no change in one place, but no steady state either.
func (s *Series) drifting() []finding.Finding {
	for _, g := range s.Signals {
		t := stats.TrendOf(g.Values)
		if t.P >= TrendChance || math.Abs(t.Change) < 2*g.Slight || math.Abs(math.Log1p(t.Change)) < plainly*deviation(offTrend(g.Values, t)) {
			continue
		}
		return []finding.Finding{newFinding(finding.Drifting, finding.Suspect, nil,
			i18n.New("steadiness.trend", "%s moved by %+.0f %% over %d seconds (limit %.0f %%; p = %.1g, limit %.1g)", g.Name, 100*t.Change, len(g.Values), 200*g.Slight, t.P, TrendChance))}
	}
	return nil
}

// plainly is how many standard deviations of single seconds a change must be: those
// before and those after it then hardly overlap. Neighbouring seconds are alike,
// and wander together for a while without anything having changed, so that
// standard errors would promise too much.
const plainly = 6

// residuals are the logarithms of the values less that of a level.
func residuals(values []float64, level float64) []float64 {
	var list []float64
	for _, v := range values {
		list = append(list, math.Log(v/level))
	}
	return list
}

// offTrend are the logarithms of the values less those of a line.
func offTrend(values []float64, t stats.Trend) []float64 {
	var list []float64
	for i, v := range values {
		list = append(list, math.Log(v/max(t.Start+t.Slope*float64(i), 1e-9)))
	}
	return list
}

// deviation is the standard deviation of residuals, from their median size, which
// outliers don't move.
func deviation(residuals []float64) float64 {
	for i, r := range residuals {
		residuals[i] = math.Abs(r)
	}
	const normal = 1.4826 // standard deviations in the median size of normal residuals
	return normal * middle(residuals)
}

// middle is the median.
func middle(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// newFinding makes one of a load or a trial.
func newFinding(name finding.Name, level finding.Validity, windows []int, detail i18n.Message) finding.Finding {
	return finding.Finding{Name: name, Validity: level, Windows: windows, Detail: detail}
}
