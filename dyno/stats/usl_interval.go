package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"dyno.example/internal/i18n"
)

// resamples of the bootstrap: enough for the ends of a 95 % interval.
const resamplesUSL = 999

// intervals fills in the parameters of the best fit with their intervals.
func (u *USL) intervals(c *curveUSL, best coefficients, level float64, seed uint64) {
	draws := c.bootstrap(best, level, seed)
	lambda, sigma, kappa := c.of(best)
	interval := func(estimate float64, of func(lambda, sigma, kappa float64) float64) Interval {
		values := make([]float64, len(draws))
		for i, p := range draws {
			values[i] = of(c.of(p))
		}
		return percentiles(len(c.y), estimate, values, level)
	}
	u.Lambda = interval(lambda, func(l, _, _ float64) float64 { return l })
	u.Sigma = interval(sigma, func(_, s, _ float64) float64 { return s })
	u.Kappa = interval(kappa, func(_, _, k float64) float64 { return k })
	if sigma > 0 && kappa == 0 {
		u.Limit = lambda / sigma
	}
	if u.Note = u.noPeak(c, draws, level); !u.Note.IsZero() {
		return
	}
	peak := interval(peakUSL(lambda, sigma, kappa), peakUSL)
	top := interval(topUSL(lambda, sigma, kappa), topUSL)
	u.Peak, u.Top = &peak, &top
}

// noPeak says why there is no telling where throughput falls; "" if there is.
func (u *USL) noPeak(c *curveUSL, draws []coefficients, level float64) i18n.Message {
	without := 0
	for _, p := range draws {
		if p[2] == 0 {
			without++
		}
	}
	last := 1 / c.scale[1]
	switch {
	case u.Kappa.Estimate == 0 || float64(without) > (1-level)/2*float64(len(draws)):
		return i18n.New("stats.kappa-unclear", "kappa can't be told from 0: nothing shows that throughput ever falls")
	case u.Sigma.Estimate >= 1 || u.Sigma.High >= 1:
		return i18n.New("stats.sigma-unclear", "sigma can't be told from 1: throughput may fall from the first connection on; measure at fewer connections")
	case peakUSL(u.Lambda.Estimate, u.Sigma.Estimate, u.Kappa.Estimate) > 2*last:
		return i18n.New("stats.peak-beyond-levels", "the peak would be at more than twice the highest concurrency that was measured")
	}
	return i18n.Message{}
}

// peakUSL is the concurrency of the highest throughput; none has its peak at 1.
func peakUSL(_, sigma, kappa float64) float64 {
	if sigma >= 1 {
		return 1
	}
	return max(1, math.Sqrt((1-sigma)/kappa))
}

func topUSL(lambda, sigma, kappa float64) float64 {
	n := peakUSL(lambda, sigma, kappa)
	if math.IsInf(n, 1) {
		return lambda / sigma
	}
	return lambda * n / (1 + sigma*(n-1) + kappa*n*(n-1))
}

// bootstrap fits the law again and again to its own curve with residuals drawn
// with replacement. A fit comes closer to its points than the truth does: by
// sqrt((n−3)/n) in residuals, and their spread is itself uncertain, for which
// Student's t takes the place of the normal distribution. Both widen what is
// drawn.
func (c *curveUSL) bootstrap(best coefficients, level float64, seed uint64) []coefficients {
	n := float64(len(c.y))
	tail := 1 - (1-level)/2
	widen := math.Sqrt(n/(n-3)) * studentQuantile(n-3, tail) / (math.Sqrt2 * math.Erfinv(2*tail-1))
	residuals, curve, mean := make([]float64, len(c.y)), make([]float64, len(c.y)), 0.0
	for i, y := range c.y {
		curve[i] = c.value(best, i)
		residuals[i] = y - curve[i]
		mean += residuals[i] / n
	}
	rng := rand.New(rand.NewPCG(seed, 0x75736c))
	draws := make([]coefficients, resamplesUSL)
	y := make([]float64, len(c.y))
	for d := range draws {
		for i := range y {
			y[i] = curve[i] + widen*(residuals[rng.IntN(len(residuals))]-mean)
		}
		again := c.resampled(y)
		draws[d] = again.fit(best.inside())
	}
	return draws
}

// inside moves coefficients off their bounds, to start a fit from.
func (p coefficients) inside() coefficients {
	sum := p[0] + p[1] + p[2]
	for k := range p {
		p[k] = max(p[k], 1e-3*sum)
	}
	return p
}

// percentiles is the interval that leaves out the same share of the values at
// either end, of so many points.
func percentiles(points int, estimate float64, values []float64, level float64) Interval {
	slices.Sort(values)
	tail := (1 - level) / 2
	at := func(q float64) float64 { return values[int(math.Round(q*float64(len(values)-1)))] }
	return Interval{N: points, Estimate: estimate, Low: min(at(tail), estimate), High: max(at(1-tail), estimate), Level: level}
}
