package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Following is how the costs of subjects that take turns follow the machine. Programs of different kinds don't
// alike: what makes one that waits for memory a third dearer may cost one that computes a sixth. So their ratio is
// another in each state, and a mean over the states that a study has met.
//
// In each round a machine is in some state, of which the costs are, beside the noise of each slice, products of
// powers: the regression of each variety's yield on the mean of its site is that of Finlay and Wilkinson, "The
// analysis of adaptation in a plant-breeding programme", Australian Journal of Agricultural Research 14 (1963). What
// is regressed on has noise too, which would make all slopes too small, and those of quiet subjects the most;
// so slopes are those of one common factor, which covariances between subjects alone say: no slice's noise is in
// them (Spearman 1904; Harman and Jones' minimum residuals, Psychometrika 31, 1966).
type Following struct {
	arms   int
	starts []codeviation
}

// codeviation is, of one start, by pairs of arms: the sum of products of the logs' deviations from the arms' means, and
// of how many rounds.
type codeviation struct{ products, rounds [][]float64 }

// fewestFollowing is of how many arms there is a factor that one can tell from their noise.
const fewestFollowing = 3

// FollowingOf takes the turns of several starts, by start, arm and round; nil for an arm that had none in a start. All
// starts have as many arms.
func FollowingOf(starts [][][]Turn) *Following {
	f := &Following{}
	for _, start := range starts {
		f.arms = len(start)
		logs := make([][]float64, len(start))
		for arm, turns := range start {
			logs[arm] = centredLogs(costsOf(turns))
		}
		c := codeviation{square(f.arms), square(f.arms)}
		for i := range logs {
			for k := range i {
				for round := range min(len(logs[i]), len(logs[k])) {
					if p := logs[i][round] * logs[k][round]; !math.IsNaN(p) {
						c.products[i][k] += p
						c.rounds[i][k]++
					}
				}
				c.products[k][i], c.rounds[k][i] = c.products[i][k], c.rounds[i][k]
			}
		}
		f.starts = append(f.starts, c)
	}
	return f
}

func square(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

// costsOf are what a request cost in each turn; NaN of a turn without.
func costsOf(turns []Turn) []float64 {
	costs := make([]float64, len(turns))
	for i, t := range turns {
		if costs[i] = t.Spent / t.Requests; !(t.Requests > 0) {
			costs[i] = math.NaN()
		}
	}
	return costs
}

// Slopes are by how much the log of each arm's cost follows the state that all have in common: 1 on average. Deviation
// is the standard deviation of that state from round to round. They are nil where no such factor is to be
// seen.
func (f *Following) Slopes() (slopes []float64, deviation float64) {
	if f.arms < fewestFollowing {
		return nil, 0
	}
	cov := square(f.arms)
	for i := range cov {
		for k := range cov[i] {
			rounds := 0.0
			for s := range f.starts {
				cov[i][k], rounds = cov[i][k]+f.starts[s].products[i][k], rounds+f.starts[s].rounds[i][k]
			}
			if cov[i][k] /= max(rounds, 1); i != k && !(cov[i][k] > 0) {
				return nil, 0
			}
		}
	}
	return commonFactor(cov)
}

// factorSteps is how often the loadings of a factor are improved: each step leaves less than half of the error, if there
// are three, and less of more.
const factorSteps = 50

// commonFactor are loadings l, 1 on average, and a deviation d, such that d²·l[i]·l[k] is as near to the covariances as
// can be, where i is not k.
func commonFactor(cov [][]float64) (loadings []float64, deviation float64) {
	loadings = make([]float64, len(cov))
	for i := range loadings {
		loadings[i] = math.Sqrt(cov[i][(i+1)%len(cov)])
	}
	for range factorSteps {
		for i := range loadings {
			above, below := 0.0, 0.0
			for k := range loadings {
				if k != i {
					above, below = above+cov[i][k]*loadings[k], below+loadings[k]*loadings[k]
				}
			}
			loadings[i] = above / below
		}
	}
	for _, l := range loadings {
		deviation += l / float64(len(loadings))
	}
	for i := range loadings {
		loadings[i] /= deviation
	}
	return loadings, deviation
}

// AtOneState is the ratio of two arms' costs, and its interval, if the machine had been in the mean of its states in each
// start: the ratio of their geometric means is the same. costs are by arm and start, NaN where an arm had none; what the
// state was in a start is what the other arms say. It has no level where there are none.
func (f *Following) AtOneState(costs [][]float64, arm, other int, level float64) Interval {
	slopes, _ := f.Slopes()
	if slopes == nil {
		return Interval{}
	}
	logs := make([][]float64, len(costs))
	for i := range costs {
		logs[i] = centredLogs(costs[i])
	}
	var a, b, states []float64
	mean := 0.0
	for s := range f.starts {
		state := stateOf(logs, slopes, s, arm, other)
		if costs[arm][s] > 0 && costs[other][s] > 0 && !math.IsNaN(state) {
			a, b, states, mean = append(a, costs[arm][s]), append(b, costs[other][s]), append(states, state), mean+state
		}
	}
	if len(a) < 2 {
		return Interval{}
	}
	for n := range a {
		a[n] *= math.Exp(-(slopes[arm] - slopes[other]) * (states[n] - mean/float64(len(states))))
	}
	return Ratio(a, b, level)
}

// centredLogs are the logs of an arm's costs, less their mean; NaN where there is none.
func centredLogs(costs []float64) []float64 {
	logs, sum, n := make([]float64, len(costs)), 0.0, 0.0
	for s, c := range costs {
		if logs[s] = math.NaN(); c > 0 {
			logs[s] = math.Log(c)
			sum, n = sum+logs[s], n+1
		}
	}
	for s := range logs {
		logs[s] -= sum / max(n, 1)
	}
	return logs
}

// stateOf is the state of the machine in a start, as all arms say but some; NaN if none does.
func stateOf(logs [][]float64, slopes []float64, start int, but ...int) float64 {
	state, all := 0.0, 0.0
	for i := range logs {
		if l := logs[i][start]; !slices.Contains(but, i) && !math.IsNaN(l) {
			state, all = state+l, all+slopes[i]
		}
	}
	return state / all // NaN of none
}

// Between is by how much what rounds say of how arms follow the machine holds between starts: 1 if in starts whose
// state was dearer the arms cost more by just what their slopes say, 0 if that explains nothing. As slopes are of rounds
// less the means of their starts, nothing that starts have by chance is in them.
type Between struct {
	Holds  float64 `json:"holds"`  // slope of a regression through the origin, over all arms and starts
	Starts int     `json:"starts"` // 0: it isn't known
	// P is how often it is as great or greater if starts are given each other's states at random: of a permutation test,
	// which takes of noise only that it doesn't know in which state a start was (Fisher 1935; Phipson and Smyth 2010).
	P float64 `json:"p"`
}

const permutations = 2000

// Between says it of these costs, which are as for AtOneState. It isn't known of fewer than three arms or starts, or
// without a common factor. The same costs give the same answer.
func (f *Following) Between(costs [][]float64) (b Between) {
	slopes, _ := f.Slopes()
	if slopes == nil || len(f.starts) < 3 {
		return b
	}
	logs := make([][]float64, len(costs))
	for i := range costs {
		logs[i] = centredLogs(costs[i])
	}
	said, came := interactions(logs, slopes)
	holds := func(order []int) float64 {
		xy, xx := 0.0, 0.0
		for i := range said {
			for s, at := range order {
				if x, y := said[i][at], came[i][s]; !math.IsNaN(x * y) {
					xy, xx = xy+x*y, xx+x*x
				}
			}
		}
		return xy / max(xx, math.SmallestNonzeroFloat64)
	}
	order := make([]int, len(f.starts))
	for s := range order {
		order[s] = s
	}
	b = Between{Holds: holds(order), Starts: len(order)}
	r, as := rand.New(rand.NewPCG(1, uint64(len(order)))), 1
	for range permutations {
		if holds(r.Perm(len(order))) >= b.Holds {
			as++
		}
	}
	b.P = float64(as) / (permutations + 1)
	return b
}

// interactions are by what arms differ in each start from what the state that the others say makes of any: as their
// slopes say, and as it came.
func interactions(logs [][]float64, slopes []float64) (said, came [][]float64) {
	for i := range logs {
		var says, comes []float64
		for s := range logs[i] {
			state := stateOf(logs, slopes, s, i)
			says, comes = append(says, (slopes[i]-1)*state), append(comes, logs[i][s]-state)
		}
		said, came = append(said, says), append(came, comes)
	}
	return said, came
}
