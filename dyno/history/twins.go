package history

import (
	"math"

	"dyno.example/dyno/analysis"
	"dyno.example/internal/i18n"
)

// Twins sums up how often a reference differed from itself: each run with a twin asks
// that again, and one run alone can hardly answer it.
type Twins struct {
	Compared int     `json:"compared"` // ratios of a twin to its reference, over all runs
	Differ   int     `json:"differ"`   // whose interval leaves out 1
	Wanted   float64 `json:"wanted"`   // the share that does by chance
	// P is the probability that chance alone makes any metric differ as often as the one
	// that does so most. Metrics of one run rise and fall together, so that they are not
	// counted as if each were asked again: each has a test of its own, corrected for their
	// number (Bonferroni).
	P float64 `json:"p"`
}

// poolTwins counts over the runs; nil if none has a twin.
func poolTwins(runs []*analysis.Analysis, metrics []string) *Twins {
	t := Twins{Wanted: 1 - level, P: 1}
	counted := 0 // metrics
	least := 1.0
	for _, metric := range metrics {
		compared, differ := twinsOf(runs, metric)
		if compared == 0 {
			continue
		}
		t.Compared, t.Differ, counted = t.Compared+compared, t.Differ+differ, counted+1
		least = min(least, atLeast(differ, compared, t.Wanted))
	}
	if t.Compared == 0 {
		return nil
	}
	t.P = min(1, least*float64(counted))
	return &t
}

// twinsOf counts the twins' ratios in a metric, and those whose interval leaves out 1.
func twinsOf(runs []*analysis.Analysis, metric string) (compared, differ int) {
	for _, a := range runs {
		for i := range a.Groups {
			g := &a.Groups[i]
			iv, ok := g.Twin[metric]
			if g.TwinFrom != "" || !ok || iv.Level == 0 {
				continue
			}
			compared++
			if !iv.Contains(1) {
				differ++
			}
		}
	}
	return compared, differ
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

// text says how often, and whether chance makes that.
func (t *Twins) text() i18n.Message {
	text := i18n.New("history.twins-over-runs", "A/A over all runs: the reference differed from itself in %d of %d comparisons (%.1f %%); chance alone makes that of %.0f %%",
		t.Differ, t.Compared, 100*float64(t.Differ)/float64(t.Compared), 100*t.Wanted)
	if t.P < unlikely {
		text = i18n.Join(text, i18n.New("history.alarms-by-chance", ", and so many hardly ever: something in this set-up makes differences of nothing"))
	}
	return text
}
