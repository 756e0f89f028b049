package stats

import (
	"fmt"
	"math"

	"dyno.example/internal/i18n"
)

// USL is the Universal Scalability Law fitted to throughput x against
// concurrency n (Gunther, "Guerrilla Capacity Planning", 2007, chapters 4–6):
//
//	x(n) = Lambda·n / (1 + Sigma·(n−1) + Kappa·n·(n−1))
//
// It describes; that a service does follow it is an assumption, of which RMS
// says how well it is met.
type USL struct {
	Lambda Interval `json:"lambda"` // throughput of one, per second
	Sigma  Interval `json:"sigma"`  // share of the work that waits in line (contention), at least 0
	Kappa  Interval `json:"kappa"`  // cost of keeping pairs consistent (coherence), at least 0
	// Peak is the concurrency beyond which throughput falls, sqrt((1−Sigma)/Kappa), and
	// Top the throughput there. Both are nil if it isn't known whether there is such a
	// peak; Note then says why.
	Peak *Interval `json:"peak,omitempty"`
	Top  *Interval `json:"top,omitempty"`
	// Limit is what throughput goes to, Lambda/Sigma, if there is no Kappa.
	Limit float64      `json:"limit,omitempty"`
	RMS   float64      `json:"rms"` // of the residuals, as a share of the throughput
	Note  i18n.Message `json:"note,omitzero"`
}

// At returns the throughput that the law has at a concurrency of n.
func (u *USL) At(n float64) float64 {
	return u.Lambda.Estimate * n / (1 + u.Sigma.Estimate*(n-1) + u.Kappa.Estimate*n*(n-1))
}

// Least data for a fit: three parameters leave something to judge them by, and
// the curve has a shape.
const (
	minPointsUSL = 6
	minLevelsUSL = 4
)

// Reasons why there is no fit.
var (
	errFewPoints = i18n.Errorf("stats.law-needs-points", "a scalability law needs at least %d points at %d levels of concurrency", minPointsUSL, minLevelsUSL)
	errNoSpread  = i18n.Errorf("stats.levels-too-close", "the levels of concurrency are too close together: the highest must be at least twice the lowest")
)

// FitUSL fits the law to points with n[i] at least 1 and x[i] above 0, by least
// squares on the logarithms: noise is taken to be multiplicative, independent and
// of the same strength everywhere. The fit is Levenberg–Marquardt's (Marquardt,
// SIAM Journal 11, 1963) within Sigma, Kappa ≥ 0.
//
// Intervals are of the residual bootstrap (Efron and Tibshirani, "An Introduction
// to the Bootstrap", 1993, chapter 9) at the level given, with the residuals
// widened for the degrees of freedom that the fit took. Their coverage is
// simulated in the tests. The same seed gives the same intervals.
//
// It refuses, with an error, to fit data that don't determine three parameters. Where
// they don't show whether throughput ever falls, there is a fit without a peak.
func FitUSL(n, x []float64, level float64, seed uint64) (*USL, error) {
	points, err := pointsUSL(n, x)
	if err != nil {
		return nil, err
	}
	best := points.fit(points.guess())
	u := &USL{RMS: math.Sqrt(2 * points.cost(best) / float64(len(points.y)))}
	u.intervals(points, best, level, seed)
	return u, nil
}

// curveUSL holds the points in the form in which the law is linear but for the
// logarithm: n/x = a + b·(n−1) + c·n·(n−1), with a = 1/λ, b = σ/λ, c = κ/λ. The
// three columns are scaled to the same size, so that 10,000 squared does not
// drown 1.
type curveUSL struct {
	columns [][3]float64 // of the scaled equation
	y       []float64    // log(n/x)
	scale   [3]float64
}

// coefficients are the scaled a, b and c.
type coefficients [3]float64

func pointsUSL(n, x []float64) (*curveUSL, error) {
	if len(n) != len(x) {
		panic(fmt.Sprintf("stats: %d levels of concurrency with %d throughputs", len(n), len(x)))
	}
	levels, low, high := make(map[float64]bool), math.Inf(1), 0.0
	for i := range n {
		if !(n[i] >= 1) || !(x[i] > 0) || math.IsInf(n[i], 1) || math.IsInf(x[i], 1) {
			return nil, fmt.Errorf("point %d: concurrency %v must be at least 1 and throughput %v above 0", i+1, n[i], x[i])
		}
		levels[n[i]] = true
		low, high = min(low, n[i]), max(high, n[i])
	}
	switch {
	case len(n) < minPointsUSL || len(levels) < minLevelsUSL:
		return nil, errFewPoints
	case high < 2*low:
		return nil, errNoSpread
	}
	c := &curveUSL{scale: [3]float64{1, 1 / high, 1 / (high * high)}}
	for i := range n {
		c.columns = append(c.columns, [3]float64{1, (n[i] - 1) * c.scale[1], n[i] * (n[i] - 1) * c.scale[2]})
		c.y = append(c.y, math.Log(n[i])-math.Log(x[i]))
	}
	return c, nil
}

// resampled are the same levels with other throughputs.
func (c *curveUSL) resampled(y []float64) *curveUSL {
	return &curveUSL{columns: c.columns, y: y, scale: c.scale}
}

// value is the logarithm of n/x by the law at point i.
func (c *curveUSL) value(p coefficients, i int) float64 {
	return math.Log(c.linear(p, i))
}

func (c *curveUSL) linear(p coefficients, i int) float64 {
	column := &c.columns[i]
	return p[0]*column[0] + p[1]*column[1] + p[2]*column[2]
}

// cost is half the sum of the squared residuals.
func (c *curveUSL) cost(p coefficients) float64 {
	sum := 0.0
	for i, y := range c.y {
		r := c.value(p, i) - y
		sum += r * r
	}
	return sum / 2
}

// of turns coefficients into the law's parameters.
func (c *curveUSL) of(p coefficients) (lambda, sigma, kappa float64) {
	a := p[0] * c.scale[0]
	return 1 / a, p[1] * c.scale[1] / a, p[2] * c.scale[2] / a
}
