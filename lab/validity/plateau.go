package validity

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dyno/lab/load"
	"dyno/lab/stats"
)

// Thresholds of restart-plateau; docs/findings.md explains them.
const (
	plateauTrials = 6    // of a cell, below which groups are seen in any noise
	plateauEach   = 2    // trials on a plateau; one alone is an outlier
	plateauApart  = 0.05 // of the lower one
)

// plateauGap is how many times as wide as what the trials of one plateau differ
// by the gap between plateaus is at least. Few trials leave wide gaps by chance:
// of normal noise one cell in a hundred has a wider one, and of twelve trials and
// more hardly any (simulated).
func plateauGap(n int) float64 { return max(1, 3.4*math.Pow(plateauTrials/float64(n), 1.75)) }

// Restart is one trial of a cell: the value of a metric, and that of its windows,
// as far as they are known.
type Restart struct {
	Trial   int
	Value   float64
	Windows []float64
}

// Plateaus says if the trials of a cell fall on two separate plateaus: if each
// start of the subject settles on one of two levels, and the median over trials
// tells of none of them. It takes a gap that is wide beside what the trials on
// either side of it differ by, and beside their own noise.
func Plateaus(metric string, restarts []Restart) []load.Finding {
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
	at, score := 0, 0.0
	for k := plateauEach; k <= n-plateauEach; k++ {
		within := max(logs[k-1]-logs[0], logs[n-1]-logs[k], 1e-9)
		if s := (logs[k] - logs[k-1]) / within; s > score {
			at, score = k, s
		}
	}
	limit := plateauGap(n)
	if score < limit || math.Exp(logs[at]-logs[at-1])-1 < plateauApart {
		return nil
	}
	f := finding("restart-plateau", load.Suspect, nil,
		"starts of the subject settled on two levels of %s: %.4g in trials %v, %.4g in trials %v; the gap is %.1f times what trials of one level differ by (limit %.1f)",
		metric, middle(values(sorted[:at])), trials(sorted[:at]), middle(values(sorted[at:])), trials(sorted[at:]), score, limit)
	f.Detail += components(restarts)
	return []load.Finding{f}
}

// components says how much restarts and seconds of one start differ, where the
// trials have as many windows each as that takes.
func components(restarts []Restart) string {
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
		return ""
	}
	return fmt.Sprintf("; restarts differ by %.1f %%, seconds of one by %.1f %% (standard deviations)", 100*c.Between/mean, 100*c.Within/mean)
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
