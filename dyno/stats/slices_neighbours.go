package stats

import (
	"math"

	"dyno.example/internal/i18n"
)

// Slot is a slice where it comes in time: the turn of one of several subjects.
type Slot struct {
	Arm int // from 0
	Turn
}

// Neighbours is what became of the slices next to each one, which other subjects had, as a
// control variate: where they cost more than those subjects' slices usually do, the
// machine was slow. That tells more than any piece of work done in between can: it
// is the same kind of work, at nearly the same time. Field trials have used the plots beside
// each plot so since Papadakis, "Méthode statistique pour des expériences sur champ" (1937);
// see Bartlett, "Nearest Neighbour Models in the Analysis of Field Experiments", Journal of
// the Royal Statistical Society B 40 (1978).
//
// It doesn't shift a ratio: in a random order each subject's slices are as likely as any
// other's to stand next to slow ones, so what is taken back is 0 on average, whatever the
// machine does. One thing would be no chance: a subject that makes the one after it slower
// would have half of that taken from its own cost. That is looked for, and if it is seen
// nothing is taken back.
type Neighbours struct {
	Used     bool         `json:"used"`
	Slope    float64      `json:"slope"`        // of a slice's deviation, by that of its neighbours
	Explains float64      `json:"explains"`     // share of the slices' variance, out of sample
	Why      i18n.Message `json:"why,omitzero"` // it is not used
	// Logs are to be added to the log of each subject's cost of a request, by start and
	// arm; nil if it is not used.
	Logs [][]float64 `json:"-"`
}

// deviation is one slice with its neighbours, all as deviations from their subjects' costs in
// that start, as shares.
type deviation struct {
	start, arm    int
	fold          int
	own           float64
	before, after float64 // NaN: there is none
}

// fewestNeighbours is how many arms there are at least: two have no neighbours but each
// other, with which they are compared by rounds as it is.
const fewestNeighbours = 3

// ByNeighbours looks at the slices of several starts, each in the order of time, of so many
// arms.
func ByNeighbours(starts [][]Slot, arms int) (n Neighbours) {
	if arms < fewestNeighbours {
		n.Why = i18n.New("stats.neighbours-two", "two subjects have no others next to them")
		return n
	}
	var list []deviation
	for i, slots := range starts {
		list = append(list, deviations(i, slots, arms)...)
	}
	if len(list) < 2*covariateRounds {
		n.Why = i18n.New("stats.neighbours-few", "%d slices are too few to learn what their neighbours explain", len(list))
		return n
	}
	values := make([]float64, len(list))
	for i := range list {
		values[i] = list[i].covariate()
	}
	groups := len(starts) * arms
	var slopes [covariateFolds]float64
	for fold := range slopes {
		slopes[fold] = slopeBeside(list, values, arms, groups, fold)
	}
	n.Slope = slopeBeside(list, values, arms, groups, -1)
	n.Explains = explainedBeside(list, values, arms, groups, slopes[:])
	switch {
	case n.Explains < covariateHelps || n.Slope <= 0:
		n.Why = i18n.New("stats.neighbours-explain-little", "the neighbouring slices explain %.0f %% of what slices differ by: too little to be used", 100*max(n.Explains, 0))
		return n
	case carriesOver(list, arms):
		n.Why = i18n.New("stats.neighbours-are-changed", "slices after those of one subject differ from slices before them by more than chance makes likely: it may be the cause")
		return n
	}
	n.Used = true
	n.Logs = make([][]float64, len(starts))
	counts := make([]float64, groups)
	for i := range n.Logs {
		n.Logs[i] = make([]float64, arms)
	}
	for i := range list {
		b := &list[i]
		counts[b.start*arms+b.arm]++
		n.Logs[b.start][b.arm] -= slopes[b.fold] * values[i]
	}
	for i := range counts {
		n.Logs[i/arms][i%arms] /= max(counts[i], 1)
	}
	return n
}

// neighboursApart is by how many standard errors slices after those of a subject may differ
// from those before: one of ten subjects does by chance in 3 of 100 studies.
const neighboursApart = 3

// deviations are the slices of one start. What a slice adds to the log of its subject's cost,
// times their number, is (S − cost·N)/mean S: the delta method on log(ΣS/ΣN).
func deviations(start int, slots []Slot, arms int) (list []deviation) {
	type sum struct{ spent, requests, slices float64 }
	sums := make([]sum, arms)
	for _, s := range slots {
		if s.Requests > 0 && s.Spent > 0 {
			a := &sums[s.Arm]
			a.spent, a.requests, a.slices = a.spent+s.Spent, a.requests+s.Requests, a.slices+1
		}
	}
	seen := make([]int, arms)
	for _, s := range slots {
		a := &sums[s.Arm]
		if s.Requests <= 0 || s.Spent <= 0 || a.slices < 2 {
			continue
		}
		own := (s.Spent - a.spent/a.requests*s.Requests) * a.slices / a.spent
		list = append(list, deviation{start: start, arm: s.Arm, fold: seen[s.Arm] % covariateFolds, own: own})
		seen[s.Arm]++
	}
	for i := range list {
		list[i].before, list[i].after = nextOther(list, i, -1), nextOther(list, i, 1)
	}
	return list
}

// nextOther is the deviation of the nearest slice of another subject, in one direction.
func nextOther(list []deviation, i, step int) float64 {
	for j := i + step; j >= 0 && j < len(list); j += step {
		if list[j].arm != list[i].arm {
			return list[j].own
		}
	}
	return math.NaN()
}

// covariate is what the neighbours say; nothing where there are none.
func (b *deviation) covariate() float64 {
	switch noBefore, noAfter := math.IsNaN(b.before), math.IsNaN(b.after); {
	case noBefore && noAfter:
		return 0
	case noBefore:
		return b.after
	case noAfter:
		return b.before
	}
	return (b.before + b.after) / 2
}

// carriesOver reports whether slices after those of some subject cost more, or less, than
// those before, by more than chance makes likely. A machine that drifts does that to all.
func carriesOver(list []deviation, arms int) bool {
	steps := make([][]float64, arms)
	all, count := 0.0, 0.0
	for i := range list {
		if step := list[i].after - list[i].before; !math.IsNaN(step) {
			steps[list[i].arm] = append(steps[list[i].arm], step)
			all, count = all+step, count+1
		}
	}
	for _, own := range steps {
		if len(own) < 2 {
			continue
		}
		if m, stderr := meanAndError(own); math.Abs(m-all/count) > neighboursApart*stderr {
			return true
		}
	}
	return false
}

// centres are the means of each subject's slices in each start, of the folds but one.
func centres(list []deviation, arms, groups, without int, of func(i int) float64) []float64 {
	means, counts := make([]float64, groups), make([]float64, groups)
	for i := range list {
		if b := &list[i]; b.fold != without {
			means[b.start*arms+b.arm] += of(i)
			counts[b.start*arms+b.arm]++
		}
	}
	for i := range means {
		means[i] /= max(counts[i], 1)
	}
	return means
}

// slopeBeside is fitted to all slices but those of one fold, within starts and subjects.
func slopeBeside(list []deviation, values []float64, arms, groups, without int) float64 {
	x := centres(list, arms, groups, without, func(i int) float64 { return values[i] })
	y := centres(list, arms, groups, without, func(i int) float64 { return list[i].own })
	xx, xy := 0.0, 0.0
	for i := range list {
		b := &list[i]
		if b.fold == without {
			continue
		}
		dx := values[i] - x[b.start*arms+b.arm]
		xx, xy = xx+dx*dx, xy+dx*(b.own-y[b.start*arms+b.arm])
	}
	if xx == 0 {
		return 0
	}
	return min(max(xy/xx, 0), steepest)
}

// explainedBeside is the share of the variance that slopes of other folds take away.
func explainedBeside(list []deviation, values []float64, arms, groups int, slopes []float64) float64 {
	x := centres(list, arms, groups, -1, func(i int) float64 { return values[i] })
	before, after := 0.0, 0.0
	for i := range list {
		b := &list[i]
		left := b.own - slopes[b.fold]*(values[i]-x[b.start*arms+b.arm])
		before, after = before+b.own*b.own, after+left*left
	}
	if before == 0 {
		return 0
	}
	return 1 - after/before
}
