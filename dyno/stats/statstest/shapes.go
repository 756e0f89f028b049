package statstest

import (
	"math"
	"math/rand/v2"
	"slices"

	"dyno.example/dyno/stats"
)

// Shape is how the trials of two subjects come about, other than by noise of one kind:
// what a machine, a clock or a choice of trials does to them.
type Shape struct {
	Name string
	// Draw draws the trials of so many blocks, the first subject's figures so many times
	// as high as the second's; NaN where a trial is lost.
	Draw func(blocks int, ratio float64, r *rand.Rand) (a, b []float64)
}

// Shapes are those that a laboratory meets and the noises of [Noises] and [UnequalArms] are not.
func Shapes() []Shape {
	return []Shape{
		inTurns("log-normal, 40 %", func(r *rand.Rand) trialDraw {
			return func(int, int) float64 { return 0.4 * r.NormFloat64() }
		}),
		inTurns("each block on one of two levels, 30 % apart", func(r *rand.Rand) trialDraw {
			level, last := 0.0, -1
			return func(trial, _ int) float64 {
				if trial/2 != last {
					level, last = 0.3*float64(r.IntN(2)), trial/2
				}
				return level + quiet(r)
			}
		}),
		inTurns("each trial 1 % slower than the one before, noise 0.3 %", func(r *rand.Rand) trialDraw {
			return func(trial, _ int) float64 { return -0.01*float64(trial) + 0.003*r.NormFloat64() }
		}),
		inTurns("a fifth slower at first, then less and less", func(r *rand.Rand) trialDraw {
			return func(trial, _ int) float64 { return -0.2*math.Exp(-float64(trial)/4) + quiet(r) }
		}),
		inTurns("one subject is like it was the trial before, by 0.8", func(r *rand.Rand) trialDraw {
			next := autocorrelated(r)
			return func(_, subject int) float64 {
				if subject == 0 {
					return next()
				}
				return quiet(r)
			}
		}),
		rounded("in steps of 1 %, noise 0.3 %", 0.01, 0.003),
		rounded("in steps of 0.1 %, noise 0.03 %", 0.001, 0.0003),
		inTurns("p99 of 300 requests", func(r *rand.Rand) trialDraw {
			return func(int, int) float64 {
				requests := make([]float64, 300)
				for i := range requests {
					requests[i] = r.ExpFloat64()
				}
				slices.Sort(requests)
				return math.Log(requests[297])
			}
		}),
		{"the slowest fifth of one subject's trials is lost", func(blocks int, ratio float64, r *rand.Rand) (a, b []float64) {
			for range blocks {
				x := 0.05 * r.NormFloat64()
				a, b = append(a, ratio*math.Exp(x)), append(b, math.Exp(quiet(r)))
				if x < -0.05*0.8416 {
					a[len(a)-1] = math.NaN()
				}
			}
			return a, b
		}},
	}
}

// trialDraw draws the logarithm of a trial's deviation; trials are numbered in the order in
// which they are run.
type trialDraw func(trial, subject int) float64

// inTurns is a shape in time: two trials a block, in random order, the next block in the
// opposite one, as studies are planned.
func inTurns(name string, begin func(*rand.Rand) trialDraw) Shape {
	return Shape{name, func(blocks int, ratio float64, r *rand.Rand) (a, b []float64) {
		draw := begin(r)
		first := 0
		for block := range blocks {
			if first = 1 - first; block%2 == 0 {
				first = r.IntN(2)
			}
			var both [2]float64
			for i := range 2 {
				subject := (first + i) % 2
				both[subject] = math.Exp(draw(2*block+i, subject))
			}
			a, b = append(a, ratio*both[0]), append(b, both[1])
		}
		return a, b
	}}
}

// rounded is a shape of figures that come in steps of a share of their size, as the
// buckets of a histogram do.
func rounded(name string, step, noise float64) Shape {
	return Shape{name, func(blocks int, ratio float64, r *rand.Rand) (a, b []float64) {
		base := math.Exp(r.Float64())
		bucket := func(x float64) float64 { return math.Exp(step * math.Round(math.Log(x)/step)) }
		for range blocks {
			a = append(a, bucket(ratio*base*math.Exp(noise*r.NormFloat64())))
			b = append(b, bucket(base*math.Exp(noise*r.NormFloat64())))
		}
		return a, b
	}}
}

// present are the pairs that both have a value.
func present(a, b []float64) (x, y []float64) {
	for i := range a {
		if !math.IsNaN(a[i]) && !math.IsNaN(b[i]) {
			x, y = append(x, a[i]), append(y, b[i])
		}
	}
	return x, y
}

// Coverage simulates comparisons of a fixed number of blocks: at a ratio that is not 1,
// and, in different, of subjects that are the same.
func (s Shape) Coverage(blocks, studies int, level float64, seed uint64) (c Comparisons, different Rate) {
	const truth = 1.23
	r := rand.New(rand.NewPCG(seed, 0x73686170))
	for range studies {
		a, b := present(s.Draw(blocks, truth, r))
		ratio := stats.Ratio(a, b, level)
		covered, warned := ratio.Level > 0 && ratio.Contains(truth), Warned(a, b)
		c.Covered.Add(covered)
		c.ByRank.Add(stats.RankRatio(a, b, level).Contains(truth))
		c.Warned.Add(warned)
		c.Silent.Add(!covered && !warned)
		a, b = present(s.Draw(blocks, 1, r))
		different.Add(stats.Compare(a, b, 0, level).Different())
	}
	return c, different
}

// Against is what a gate says that measures two versions in turns, so many blocks each,
// and confirms an alarm by a second run: how often it alarms, and how often it says that
// all is well.
func (s Shape) Against(blocks int, threshold, worse float64, gates int, seed uint64) (alarms, well Rate) {
	r := rand.New(rand.NewPCG(seed, 0x67617465))
	for range gates {
		alarm := true
		for run := 0; run < 2 && alarm; run++ {
			ratio := stats.Ratio(pairOf(s.Draw(blocks, worse, r)))
			alarm = ratio.Level > 0 && ratio.Low > 1 && ratio.Estimate > 1+threshold
			if run == 0 {
				well.Add(ratio.Level > 0 && ratio.High <= 1+threshold)
			}
		}
		alarms.Add(alarm)
	}
	return alarms, well
}

// pairOf are the arguments of a gate's ratio.
func pairOf(a, b []float64) (x, y []float64, level float64) {
	x, y = present(a, b)
	return x, y, 0.95
}

// Rare is a shape for gates: a new version a share of whose starts is so many times as
// slow, as its cost.
func Rare(name string, share, times float64) Shape {
	return Shape{name, func(blocks int, ratio float64, r *rand.Rand) (a, b []float64) {
		for range blocks {
			x := quiet(r)
			if r.Float64() < share {
				x += math.Log(times)
			}
			a, b = append(a, ratio*math.Exp(x)), append(b, math.Exp(quiet(r)))
		}
		return a, b
	}}
}
