package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Knee is the level of a sweep from which on more gives no more.
type Knee struct {
	At   int // index of the level
	Low  int // of the lowest and the highest level that it may be as well
	High int
	Fit  []float64 // the mean curve, one value a level
	// Slow says that the curve saturates slowly, rather than at some level.
	Slow bool
}

// kneeDraws is enough for the ends of a 95 % interval among levels.
const kneeDraws = 999

// kneeCost is what a parameter of the mean curve must explain.
const kneeCost = 2

// FindKnee returns the lowest level whose mean is at least the share of the highest
// one's: values[l][b] is what levels[l] gave in block b, NaN if it is missing. Levels
// ascend. It is not ok if a level has no value, or one that is not above zero, or if
// no level has two.
//
// The highest of many noisy values is mostly too high, and of a single block more so: a
// share of it is then above what all levels beyond the knee give, and the knee comes
// out at whichever of them was highest by chance. So all blocks together are fitted by
// a mean curve, on the logarithms and, where no value is missing, with each block's own
// factor taken away: levels rise to a plateau, which has one mean, and leave it again.
// Where it begins and ends is what explains the values best at a cost of one mean for
// each level apart from it (Akaike, "A New Look at the Statistical Model
// Identification", IEEE Transactions on Automatic Control 19, 1974). A curve that
// saturates slowly has no plateau: a hyperbola (the universal scalability law without a
// loss of coherence) takes the place of the fit if it explains the values better by the
// same measure.
//
// Low and High enclose the knees of curves drawn about the fitted one with the scatter
// of its means (a parametric bootstrap, with Student's t for the few values there
// are), at the level given, and those about the hyperbola if the values don't speak
// against that. dyno/bench/statistics -what knee says how often they hold the truth.
func FindKnee(levels []float64, values [][]float64, share, level float64, seed uint64) (k Knee, ok bool) {
	curve, errors, freedom, ok := meanCurve(values)
	if !ok || len(levels) != len(curve) {
		return k, false
	}
	limit := math.Log(share)
	plateau := func(c []float64) ([]float64, float64) { return plateauFit(c, errors) }
	hyperbola := func(c []float64) ([]float64, float64) { return hyperbolaFit(levels, c, errors) }
	fit, score := plateau(curve)
	slow, slowScore := hyperbola(curve)
	k.Fit, k.Slow = fit, slowScore < score
	if k.Slow {
		k.Fit = slow
	}
	k.At, k.Low, k.High = kneeOf(k.Fit, limit), len(curve)-1, 0
	r := rand.New(rand.NewPCG(seed, 0x6b6e6565))
	about := func(center []float64, refit func([]float64) ([]float64, float64)) {
		low, high := drawKnees(center, errors, freedom, limit, level, refit, r)
		k.Low, k.High = min(k.Low, low, k.At), max(k.High, high, k.At)
	}
	if !k.Slow {
		about(fit, plateau)
	}
	if fits(curve, slow, errors, freedom) {
		about(slow, hyperbola)
	} else if k.Slow {
		about(fit, plateau)
	}
	for l := range k.Fit {
		k.Fit[l] = math.Exp(k.Fit[l])
	}
	return k, true
}

// drawKnees returns the ends of an interval that holds the knees of curves drawn about
// a center and fitted again.
func drawKnees(center, errors []float64, freedom int, limit, level float64, refit func([]float64) ([]float64, float64), r *rand.Rand) (low, high int) {
	drawn := make([]float64, len(center))
	var places []int
	for range kneeDraws {
		// The scatter itself is estimated: chi-squared over its degrees of freedom.
		scale := 0.0
		for range freedom {
			z := r.NormFloat64()
			scale += z * z
		}
		scale = math.Sqrt(float64(freedom) / scale)
		for l := range drawn {
			drawn[l] = center[l] + scale*errors[l]*r.NormFloat64()
		}
		if again, _ := refit(drawn); again != nil {
			places = append(places, kneeOf(again, limit))
		}
	}
	if places == nil {
		at := kneeOf(center, limit)
		return at, at
	}
	slices.Sort(places)
	tail := int(math.Round((1 - level) / 2 * float64(len(places)-1)))
	return places[tail], places[len(places)-1-tail]
}

// fits reports whether the values don't speak against a curve with two parameters: the
// F test of lack of fit, at one in a hundred.
func fits(curve, fit, errors []float64, freedom int) bool {
	if fit == nil || len(curve) < 4 {
		return false
	}
	q := 0.0
	for l := range curve {
		q += math.Pow((curve[l]-fit[l])/max(errors[l], 1e-9), 2)
	}
	of := float64(len(curve) - 2)
	return mathext.RegIncBeta(float64(freedom)/2, of/2, float64(freedom)/(float64(freedom)+q)) > 0.01
}

// hyperbolaFit fits top·n/(n+half) to the logarithms of a curve: n over the value is a
// line in n, whose points have errors in proportion to them. It is nil, and its score
// infinite, where the line has no such form.
func hyperbolaFit(levels, curve, errors []float64) (fit []float64, score float64) {
	var w, x, y, xx, xy float64
	for l, n := range levels {
		if !(n > 0) {
			return nil, math.Inf(1)
		}
		value := n * math.Exp(-curve[l])
		weight := 1 / math.Pow(value*max(errors[l], 1e-9), 2)
		w += weight
		x += weight * n
		y += weight * value
		xx += weight * n * n
		xy += weight * n * value
	}
	slope := (w*xy - x*y) / (w*xx - x*x)
	intercept := (y - slope*x) / w
	if !(slope > 0) || !(intercept > 0) {
		return nil, math.Inf(1)
	}
	const parameters = 2
	score = kneeCost * parameters
	for l, n := range levels {
		fit = append(fit, math.Log(n/(intercept+slope*n)))
		score += math.Pow((curve[l]-fit[l])/max(errors[l], 1e-9), 2)
	}
	return fit, score
}

// kneeOf is the first level within the limit, a logarithm, of the highest.
func kneeOf(curve []float64, limit float64) int {
	const rounding = 1e-9
	top := slices.Max(curve) + limit - rounding
	return slices.IndexFunc(curve, func(v float64) bool { return v >= top })
}

// meanCurve is the mean of the logarithms at each level, with its standard error, from
// the scatter of all levels together.
func meanCurve(values [][]float64) (curve, errors []float64, freedom int, ok bool) {
	logs, complete := make([][]float64, len(values)), true
	for l, row := range values {
		for _, v := range row {
			switch {
			case math.IsNaN(v):
				complete = false
				continue
			case !(v > 0):
				return nil, nil, 0, false
			}
			logs[l] = append(logs[l], math.Log(v))
		}
		if len(logs[l]) == 0 {
			return nil, nil, 0, false
		}
		complete = complete && len(row) == len(values[0])
	}
	if len(values) == 0 {
		return nil, nil, 0, false
	}
	blocks := len(logs[0])
	if complete = complete && len(values) > 1 && blocks > 1; complete {
		withoutBlocks(logs)
	}
	squares := 0.0
	for _, row := range logs {
		m := mean(row)
		curve = append(curve, m)
		for _, v := range row {
			squares += (v - m) * (v - m)
		}
		freedom += len(row) - 1
	}
	if complete {
		freedom -= blocks - 1
	}
	if freedom < 1 {
		return nil, nil, 0, false
	}
	for _, row := range logs {
		errors = append(errors, math.Sqrt(squares/float64(freedom)/float64(len(row))))
	}
	return curve, errors, freedom, true
}

// withoutBlocks takes from each value by how much its block is above the others.
func withoutBlocks(logs [][]float64) {
	blocks := make([]float64, len(logs[0]))
	all := 0.0
	for _, row := range logs {
		for b, v := range row {
			blocks[b] += v / float64(len(logs))
		}
	}
	for _, v := range blocks {
		all += v / float64(len(blocks))
	}
	for _, row := range logs {
		for b := range row {
			row[b] -= blocks[b] - all
		}
	}
}

// plateauFit replaces the levels of the plateau by their mean. A plateau is a stretch
// of levels that holds the highest mean of all, or takes its place.
// The score is what the fit leaves unexplained and what it costs.
func plateauFit(curve, errors []float64) (fit []float64, score float64) {
	n := len(curve)
	best, from, to, top := math.Inf(1), 0, 0, 0.0
	for i := range n {
		weight, sum, square := 0.0, 0.0, 0.0
		for j := i; j < n; j++ {
			w := 1 / max(errors[j]*errors[j], 1e-18)
			weight += w
			sum += w * curve[j]
			square += w * curve[j] * curve[j]
			m := sum / weight
			if highest(curve[:i], m) || highest(curve[j+1:], m) {
				continue // a neighbouring level is higher: this is no top
			}
			if score := square - sum*m + kneeCost*float64(n-(j-i+1)); score < best-1e-9 {
				best, from, to, top = score, i, j, m
			}
		}
	}
	fit = slices.Clone(curve)
	for l := from; l <= to; l++ {
		fit[l] = top
	}
	const itself = 3 // its height and both ends
	return fit, best + kneeCost*itself
}

// highest reports whether any value is above the limit.
func highest(values []float64, limit float64) bool {
	return slices.ContainsFunc(values, func(v float64) bool { return v > limit })
}
