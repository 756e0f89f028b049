package stats

import (
	"math"

	"dyno.example/internal/i18n"
)

// Jackknife is an estimate over groups with its interval: estimate(−1) is that of all,
// estimate(g) that of all without group g. The error is the delete-a-group jackknife's, with
// Student's t of one degree of freedom less than there are groups (Efron and Stein 1981;
// Kott 2001). Groups are what could have come out otherwise independently: restarts, or
// stretches of time longer than what lasts.
func Jackknife(groups int, estimate func(without int) float64, level float64) Interval {
	all := estimate(-1)
	i := Interval{N: groups, Estimate: all, Low: all, High: all}
	if groups < 3 {
		i.Note = i18n.New("stats.jackknife-few", "%d groups can't say how sure it is", groups)
		return i
	}
	left := make([]float64, groups)
	mean := 0.0
	for g := range left {
		left[g] = estimate(g)
		mean += left[g] / float64(groups)
	}
	squares := 0.0
	for _, v := range left {
		squares += (v - mean) * (v - mean)
	}
	n := float64(groups)
	half := studentQuantile(n-1, (1+level)/2) * math.Sqrt(squares*(n-1)/n)
	i.Low, i.High, i.Level = all-half, all+half, level
	return i
}
