package validity

import (
	"cmp"
	"math"
	"slices"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// Thresholds of restart-plateau and restart-outlier; dyno/docs/findings.md explains them.
const (
	plateauTrials = 6    // of a cell, below which groups are seen in any noise
	plateauEach   = 2    // trials on a plateau; one alone is an outlier
	plateauApart  = 0.05 // of the lower one
	quarter       = 0.25 // the share of starts whose chance to be missed is given
)

// Restart is one trial of a cell: the value of a metric, and that of its windows,
// as far as they are known.
type Restart struct {
	Trial   int
	Value   float64
	Windows []float64
	// Disturbed are the findings about the machine or the generator in this trial:
	// with one, what lies apart need not be the start's.
	Disturbed []finding.Name
}

// Plateaus says if the trials of a cell fall on two separate plateaus: if each
// start of the subject settles on one of two levels, and the median over trials
// tells of none of them; or if a single one lies apart from all others, which may be
// an accident or the first sight of such a level. It takes levels that lie farther
// apart than those of one in a hundred cells without any, and by 5 % at least.
func Plateaus(metric i18n.Message, restarts []Restart) []finding.Finding {
	n := len(restarts)
	if n < plateauTrials {
		return nil
	}
	sorted := slices.Clone(restarts)
	slices.SortFunc(sorted, func(a, b Restart) int { return cmp.Compare(a.Value, b.Value) })
	if sorted[0].Value <= 0 {
		return nil
	}
	logs := make([]float64, n)
	for i, r := range sorted {
		logs[i] = math.Log(r.Value)
	}
	apart := func(m stats.Modes) bool {
		return m.Apart() && logs[m.Below]-logs[m.Below-1] >= math.Log1p(plateauApart)
	}
	// Two on either side tell of levels; one alone lies apart only where the rest
	// does not explain it better.
	if m := stats.SplitModes(logs, plateauEach); apart(m) {
		low, high := sorted[:m.Below], sorted[m.Below:]
		f := newFinding(finding.RestartPlateau, finding.Suspect, nil,
			i18n.New("validity.two-levels", "starts of the subject settled on two levels of %s: %.4g in trials %v, %.4g in trials %v; they are %.1f standard errors apart (limit %.1f)",
				metric, middle(values(low)), trials(low), middle(values(high)), trials(high), m.Score, m.Limit))
		f.Detail = i18n.Join(f.Detail, components(restarts), missed(n))
		return []finding.Finding{f}
	}
	m := stats.SplitModes(logs, 1)
	if !apart(m) || m.Below != 1 && m.Below != n-1 {
		return nil
	}
	alone, rest := sorted[0], sorted[1:]
	if m.Below == n-1 {
		alone, rest = sorted[n-1], sorted[:n-1]
	}
	f := newFinding(finding.RestartOutlier, finding.Suspect, nil,
		i18n.New("validity.outlying-start", "one of %d starts of the subject lies apart from the others by %s: %.4g in trial %d, %.4g to %.4g in the others; it is %.1f standard errors apart (limit %.1f)",
			n, metric, alone.Value, alone.Trial, rest[0].Value, rest[n-2].Value, m.Score, m.Limit))
	if len(alone.Disturbed) > 0 {
		f.Detail = i18n.Join(f.Detail, i18n.New("validity.disturbed-start", "; the machine was disturbed in that trial (%s), so it may be no other kind of start", i18n.Names(finding.Words(alone.Disturbed)...)))
	}
	f.Detail = i18n.Join(f.Detail, missed(n))
	return []finding.Finding{f}
}

// missed says how well so many starts can tell of a level that only some take.
func missed(n int) i18n.Message {
	return i18n.New("validity.starts-may-miss-level", "; a level that a quarter of all starts take is missed altogether by %.0f %% of studies of %d starts", 100*stats.ModeMissed(quarter, n), n)
}

// components says how much restarts and seconds of one start differ, where the
// trials have as many windows each as that takes.
func components(restarts []Restart) i18n.Message {
	least := len(restarts[0].Windows)
	for _, r := range restarts {
		least = min(least, len(r.Windows))
	}
	var series [][]float64
	for _, r := range restarts {
		series = append(series, r.Windows[:least])
	}
	c, ok := stats.SplitVariance(series)
	mean := middle(values(restarts))
	if !ok || mean <= 0 {
		return i18n.Message{}
	}
	return i18n.New("validity.restarts-vary", "; restarts differ by %.1f %%, seconds of one by %.1f %% (standard deviations)", 100*c.Between/mean, 100*c.Within/mean)
}

func values(restarts []Restart) (list []float64) {
	for _, r := range restarts {
		list = append(list, r.Value)
	}
	return list
}

func trials(restarts []Restart) (list []int) {
	for _, r := range restarts {
		list = append(list, r.Trial)
	}
	slices.Sort(list)
	return list
}

// middle is the median.
func middle(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
