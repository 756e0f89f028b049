package history

import (
	"fmt"
	"math"

	"dyno/lab/analysis"
)

// Twins sums up how often a reference differed from itself: each run with a twin asks
// that again, and one run alone can hardly answer it.
type Twins struct {
	Compared int     `json:"compared"` // ratios of a twin to its reference, over all runs
	Differ   int     `json:"differ"`   // whose interval leaves out 1
	Wanted   float64 `json:"wanted"`   // the share that does by chance
	P        float64 `json:"p"`        // of so many or more by chance, if the ratios were independent
}

// poolTwins counts over the runs; nil if none has a twin.
func poolTwins(runs []*analysis.Analysis, metrics []string) *Twins {
	t := Twins{Wanted: 1 - level}
	for _, a := range runs {
		for i := range a.Groups {
			g := &a.Groups[i]
			if g.TwinFrom != "" {
				continue
			}
			for _, metric := range metrics {
				iv, ok := g.Twin[metric]
				if !ok || iv.Level == 0 {
					continue
				}
				t.Compared++
				if !iv.Contains(1) {
					t.Differ++
				}
			}
		}
	}
	if t.Compared == 0 {
		return nil
	}
	t.P = atLeast(t.Differ, t.Compared, t.Wanted)
	return &t
}

// atLeast is the probability of so many or more of n, each with the chance given.
func atLeast(k, n int, chance float64) (p float64) {
	for i := k; i <= n; i++ {
		all, _ := math.Lgamma(float64(n + 1))
		in, _ := math.Lgamma(float64(i + 1))
		out, _ := math.Lgamma(float64(n - i + 1))
		p += math.Exp(all - in - out + float64(i)*math.Log(chance) + float64(n-i)*math.Log1p(-chance))
	}
	return min(p, 1)
}

// unlikely is the probability below which chance does not explain the twins.
const unlikely = 0.01

func (t *Twins) text() string {
	text := fmt.Sprintf("A/A over all runs: the reference differed from itself in %d of %d comparisons (%.1f %%); chance alone makes that of %.0f %%",
		t.Differ, t.Compared, 100*float64(t.Differ)/float64(t.Compared), 100*t.Wanted)
	if t.P < unlikely {
		text += ", and so many hardly ever: something in this set-up makes differences of nothing"
	}
	return text
}
