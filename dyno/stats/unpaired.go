package stats

import (
	"cmp"
	"math"
	"slices"

	"dyno.example/internal/i18n"
)

// UnpairedRatio is [Ratio] for values that were not measured side by side, such
// as those of two runs: how many times a typical value of a is of one of b, the
// quotient of their geometric means, with an interval at the level given and the
// two-sided p-value of there being no difference. Values that are not above zero
// are left out; N counts those of both that remain.
//
// The interval is that of Welch ("The Generalization of 'Student's' Problem when
// Several Different Population Variances are Involved", Biometrika 34, 1947) on the
// logarithms: the two may differ in their noise as well. What moved all values of one
// run alike, such as a busier day, is not noise to it, and can't be distinguished from
// a difference of what was measured.
//
// With fewer than two values on a side there is no interval: Level is 0, and p
// is 1.
func UnpairedRatio(a, b []float64, level float64) (ratio Interval, p float64) {
	x, y := logs(a), logs(b)
	n := len(x) + len(y)
	if len(x) == 0 || len(y) == 0 {
		return Interval{Note: i18n.New("stats.no-positive-values", "no values above zero on both sides")}, 1
	}
	if len(x) < 2 || len(y) < 2 {
		estimate := math.Exp(mean(x) - mean(y))
		return Interval{N: n, Estimate: estimate, Low: estimate, High: estimate, Note: i18n.New("stats.interval-needs-both-sides", "need ≥ 2 trials on each side for an interval")}, 1
	}
	xMean, xError := meanAndError(x)
	yMean, yError := meanAndError(y)
	difference, stderr := xMean-yMean, math.Hypot(xError, yError)
	ratio = Interval{N: n, Estimate: math.Exp(difference), Level: level}
	ratio.Low, ratio.High = ratio.Estimate, ratio.Estimate
	if min(len(x), len(y)) < fewPairs {
		ratio.Note = i18n.New("stats.few-trials", "fewer than %d trials on a side: right only if the noise is log-normal", fewPairs)
	}
	if stderr == 0 {
		return ratio, certain(difference)
	}
	freedom := welchFreedom(xError, len(x), yError, len(y))
	half := stderr * studentQuantile(freedom, 1-(1-level)/2)
	ratio.Low, ratio.High = math.Exp(difference-half), math.Exp(difference+half)
	return ratio, studentTwoSided(freedom, difference/stderr)
}

// UnpairedDifference is how much higher a typical value of a is than one of b, for
// values that may be zero, as shares of errors are: the difference of their means with
// Welch's interval on the values themselves. With fewer than two values on a side there
// is no interval, and Level is 0. The interval has no width if no side has any noise.
func UnpairedDifference(a, b []float64, level float64) Interval {
	if len(a) == 0 || len(b) == 0 {
		return Interval{Note: i18n.New("stats.no-values", "no values on both sides")}
	}
	d := Interval{N: len(a) + len(b), Estimate: mean(a) - mean(b)}
	d.Low, d.High = d.Estimate, d.Estimate
	if len(a) < 2 || len(b) < 2 {
		d.Note = i18n.New("stats.interval-needs-both-sides", "need ≥ 2 trials on each side for an interval")
		return d
	}
	d.Level = level
	_, aError := meanAndError(a)
	_, bError := meanAndError(b)
	if stderr := math.Hypot(aError, bError); stderr > 0 {
		half := stderr * studentQuantile(welchFreedom(aError, len(a), bError, len(b)), 1-(1-level)/2)
		d.Low, d.High = d.Estimate-half, d.Estimate+half
	}
	return d
}

// certain is the p-value of a difference without noise.
func certain(difference float64) float64 {
	if difference == 0 {
		return 1
	}
	return 0
}

// welchFreedom are the degrees of freedom of a difference of two means with the
// standard errors given (Satterthwaite, Biometrics Bulletin 2, 1946). Not both
// errors are 0.
func welchFreedom(xError float64, nx int, yError float64, ny int) float64 {
	vx, vy := xError*xError, yError*yError
	return (vx + vy) * (vx + vy) / (vx*vx/float64(nx-1) + vy*vy/float64(ny-1))
}

// logs are the logarithms of the values above zero.
func logs(values []float64) []float64 {
	var out []float64
	for _, v := range values {
		if v > 0 {
			out = append(out, math.Log(v))
		}
	}
	return out
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v / float64(len(x))
	}
	return sum
}

// LogDeviation is the standard deviation of the logarithms of the values above
// zero: the noise of one trial as a share, for [DetectableRatio]. It is not ok
// with fewer than two of them.
func LogDeviation(values []float64) (deviation float64, ok bool) {
	x := logs(values)
	if len(x) < 2 {
		return 0, false
	}
	_, stderr := meanAndError(x)
	return stderr * math.Sqrt(float64(len(x))), true
}

// HolmAdjusted returns the p-values adjusted for their number by Holm's method
// ("A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian
// Journal of Statistics 6, 1979): if those below alpha are called differences,
// the chance of even one false call is at most alpha.
func HolmAdjusted(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	adjusted, highest := make([]float64, len(p)), 0.0
	for rank, i := range order {
		highest = max(highest, min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = highest
	}
	return adjusted
}
