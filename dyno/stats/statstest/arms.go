package statstest

import (
	"math"
	"math/rand/v2"

	"dyno.example/dyno/stats"
)

// Arms are two subjects whose starts scatter each in its own way. Each draws the
// logarithm of a start's deviation.
type Arms struct {
	Name string
	A, B func(r *rand.Rand) float64
	Mean float64 // by which A's deviations are above B's, on average
}

// UnequalArms are pairs of which only one subject is noisier, skewed, or slow at some
// starts, and, for comparison, pairs that are alike.
func UnequalArms() []Arms {
	slow := func(share, by float64) func(*rand.Rand) float64 {
		return func(r *rand.Rand) float64 {
			x := quiet(r)
			if r.Float64() < share {
				x -= by
			}
			return x
		}
	}
	quarter, tenth := slow(0.25, 0.2), slow(0.1, -math.Log(0.4))
	return []Arms{
		{"alike", quiet, quiet, 0},
		{"one five times as noisy", func(r *rand.Rand) float64 { return 5 * quiet(r) }, quiet, 0},
		{"one skewed (exponential, 10 %)", func(r *rand.Rand) float64 { return -0.1 * r.ExpFloat64() }, quiet, -0.1},
		{"both slow by 18 % at a quarter of starts", quarter, quarter, 0},
		{"one slow by 18 % at a quarter of starts", quarter, quiet, -0.05},
		{"both slow by 60 % at a tenth of starts", tenth, tenth, 0},
		{"one slow by 60 % at a tenth of starts", tenth, quiet, 0.1 * math.Log(0.4)},
	}
}

// Draw draws the starts of so many blocks. The geometric means of the two are as
// ratio to 1, over all starts that there could be.
func (a Arms) Draw(blocks int, ratio float64, r *rand.Rand) (x, y []float64) {
	x, y = make([]float64, blocks), make([]float64, blocks)
	for i := range x {
		x[i], y[i] = ratio*math.Exp(a.A(r)-a.Mean), math.Exp(a.B(r))
	}
	return x, y
}

// Warned reports whether the lab says that something is wrong with a comparison: that
// starts of a subject are of two kinds, or that its ratio depends on the method.
func Warned(a, b []float64) bool {
	const least = 6
	if len(a) < least {
		return false
	}
	for _, arm := range [][]float64{a, b} {
		logs := make([]float64, len(arm))
		for i, v := range arm {
			logs[i] = math.Log(v)
		}
		if stats.SplitModes(logs, 1).Apart() {
			return true
		}
	}
	return stats.Part(stats.Ratio(a, b, 0.95), stats.RankRatio(a, b, 0.95))
}

// Comparisons is what comparisons of two subjects came to.
type Comparisons struct {
	Covered Rate // the interval held the true ratio of the geometric means
	ByRank  Rate // so did the interval by ranks
	Warned  Rate // the lab warned
	Silent  Rate // the interval missed, and the lab did not warn
}

// UnequalCoverage simulates studies of a fixed number of blocks.
func UnequalCoverage(arms Arms, blocks, studies int, level float64, seed uint64) (c Comparisons) {
	const truth = 1.25
	r := rand.New(rand.NewPCG(seed, 0x61726d73))
	for range studies {
		a, b := arms.Draw(blocks, truth, r)
		covered, warned := stats.Ratio(a, b, level).Contains(truth), Warned(a, b)
		c.Covered.Add(covered)
		c.ByRank.Add(stats.RankRatio(a, b, level).Contains(truth))
		c.Warned.Add(warned)
		c.Silent.Add(!covered && !warned)
	}
	return c
}

// UnequalSequential simulates studies that stop early, of subjects whose geometric
// means don't differ: how often a difference is found, and how often without a
// warning.
func UnequalSequential(arms Arms, rule Rule, looks Looks, studies int, seed uint64) (different, silent Rate) {
	r := rand.New(rand.NewPCG(seed, 0x61726d71))
	for range studies {
		a, b := arms.Draw(looks.Last, 1, r)
		found, warned := false, false
		for n := looks.First; n <= looks.Last && !found; n++ {
			if found = stats.Judge(rule(a[:n], b[:n]), looks.Margin).Different(); found {
				warned = Warned(a[:n], b[:n])
			}
		}
		different.Add(found)
		silent.Add(found && !warned)
	}
	return different, silent
}
