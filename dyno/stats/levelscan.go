package stats

import (
	"math"
	"math/rand/v2"
)

// levelScan searches for another level in a series whose values are like their
// neighbours: from some place on, or, if passing, up to a second place. It is
// regression with the places unknown (Worsley, "Testing for a Two-Phase Multiple
// Regression", Technometrics 25, 1983), on the series whitened by the correlation rho
// (Prais and Winsten, "Trend Estimators and Serial Correlation", Cowles Commission,
// 1954).
//
// Memory is used again from scan to scan.
type levelScan struct {
	passing bool
	alike   Alike
	rho     float64
	white   []float64
	sums    []float64 // sums[i] is that of white[1:i]
}

// bestLevel is the best place for another level.
type bestLevel struct {
	from, to int     // values from, …, to−1 are on it; to is the series' length of a step
	score    float64 // |t| of its height
}

// scan finds the places at which another level explains most.
func (s *levelScan) scan(x []float64) (best bestLevel) {
	n, keep := len(x), 1-s.rho
	start := math.Sqrt(1 - s.rho*s.rho)
	s.white = append(s.white[:0], start*x[0])
	s.sums = append(s.sums[:0], 0, 0)
	squares, sum := s.white[0]*s.white[0], x[0]
	for i := 1; i < n; i++ {
		sum += x[i]
		w := x[i] - s.rho*x[i-1]
		s.white = append(s.white, w)
		s.sums = append(s.sums, s.sums[i]+w)
		squares += w * w
	}
	// The regressors, whitened: the mean is start, keep, keep, …; another level is 0
	// before it, then 1, keep, keep, …, and −rho where it ends.
	meanMean := start*start + float64(n-1)*keep*keep
	meanX := start*s.white[0] + keep*s.sums[n]
	unexplained := squares - meanX*meanX/meanMean
	// pair reports whether the two values from the index on agree that they are on a
	// level of their own: that the nearer is a third as far from all others as both
	// are on average. One outlier next to a usual value does not.
	pair := func(at int) bool {
		base := (sum - x[at] - x[at+1]) / float64(n-2)
		a, b := x[at]-base, x[at+1]-base
		return a*b > 0 && min(math.Abs(a), math.Abs(b)) >= math.Abs(a+b)/6
	}
	try := func(from, to int, levelLevel, meanLevel, levelX float64) {
		determinant := meanMean*levelLevel - meanLevel*meanLevel
		if determinant <= 1e-12*meanMean || to-from == 2 && !pair(from) || from == 2 && to == n && !pair(0) {
			return
		}
		height := meanMean*levelX - meanLevel*meanX
		gain := height * height / determinant / meanMean
		rest := max(unexplained-gain, 1e-12*unexplained) / float64(n-2)
		if score := gain / rest; score > best.score {
			best = bestLevel{from, to, score}
		}
	}
	stride := 1
	if s.passing {
		stride += n / 150 // of long series not all pairs of places are tried
	}
	for from := leastLevel; from <= n-leastLevel; from += stride {
		inside := float64(n - 1 - from)
		begins := s.white[from] - keep*s.sums[from+1]
		if !s.passing {
			try(from, n, 1+inside*keep*keep, keep+inside*keep*keep, begins+keep*s.sums[n])
			continue
		}
		for to := from + leastLevel; to <= n-leastLevel; to += stride {
			size := float64(to - from)
			try(from, to, 1+(size-1)*keep*keep+s.rho*s.rho, size*keep*keep, begins+keep*s.sums[to]-s.rho*s.white[to])
		}
	}
	best.score = math.Sqrt(best.score)
	return best
}

// rest is what is left of a series when the means of the level and of the others are
// taken away, and how alike neighbours among that are.
func (b bestLevel) rest(x []float64) (rest []float64, rho float64) {
	on := x[b.from:b.to]
	others := append(append([]float64(nil), x[:b.from]...), x[b.to:]...)
	level, base := mean(on), mean(others)
	rest = make([]float64, len(x))
	squares, products := 0.0, 0.0
	for i, v := range x {
		rest[i] = v - base
		if i >= b.from && i < b.to {
			rest[i] = v - level
		}
		squares += rest[i] * rest[i]
		if i > 0 && i != b.from && i != b.to {
			products += rest[i] * rest[i-1]
		}
	}
	if squares > 0 {
		rho = products / squares
	}
	return rest, rho
}

// corrected is an estimate of the correlation from n values with a level taken away,
// without what simulations of such series show to be wrong with it.
func corrected(estimate float64, n int) float64 {
	return (estimate + 2.5/float64(n)) * (1 + 11/float64(n))
}

// correlation is what an estimate from n values with a level taken away stands for;
// the comment of [ChangeP] says why.
func correlation(estimate float64, n int, alike Alike) float64 {
	const (
		prior, weight = 0.4, 12
		mostAlike     = 0.9
	)
	size := float64(n)
	drawn := (size*corrected(estimate, n) + weight*prior + alike.Values*alike.Rho) / (size + weight + alike.Values)
	return min(max(drawn+0.5/math.Sqrt(size+alike.Values), 0), mostAlike)
}

// test returns the ends of the best level, within the series, and its p-value.
func (s *levelScan) test(x []float64, r *rand.Rand) (at []int, p float64) {
	n := len(x)
	s.rho = 0
	first := s.scan(x)
	if first.score == 0 {
		return nil, 1
	}
	_, estimate := first.rest(x)
	s.rho = correlation(estimate, n, s.alike)
	best := s.scan(x)
	if best.score == 0 {
		return nil, 1
	}
	rest, _ := best.rest(x)
	var innovations []float64
	for i := 1; i < n; i++ {
		innovations = append(innovations, rest[i]-s.rho*rest[i-1])
	}
	center := mean(innovations)
	for i := range innovations {
		innovations[i] -= center
	}
	if at = []int{best.from}; best.to < n {
		at = []int{nearby(x, best.from), nearby(x, best.to)}
	}
	const settle = 20 // values until a drawn series has forgotten where it began
	drawn, as := make([]float64, n), 0
	draws := mostDrawn
	if s.passing {
		draws /= 2 // there are many more places
	}
	for count := 1; count <= draws; count++ {
		value := 0.0
		for i := -settle; i < n; i++ {
			value = s.rho*value + innovations[r.IntN(len(innovations))]
			if i >= 0 {
				drawn[i] = value
			}
		}
		if s.scan(drawn).score >= best.score*(1-1e-9) {
			if as++; as == enoughDrawn {
				return at, float64(as) / float64(count)
			}
		}
	}
	return at, float64(as+1) / float64(draws+1)
}

// nearby is the place close to one that was found among the places tried in long
// series at which neighbours differ most.
func nearby(x []float64, at int) int {
	within := len(x) / 150
	best := at
	for i := max(leastLevel, at-within); i <= min(len(x)-leastLevel, at+within); i++ {
		if math.Abs(x[i]-x[i-1]) > math.Abs(x[best]-x[best-1]) {
			best = i
		}
	}
	return best
}
