package stats

import "math"

// guess starts the fit at a service that is all contention: n/x grows with n. Any
// start within the bounds will do, for in a, b and c there is but one valley in
// practice.
func (c *curveUSL) guess() coefficients {
	low, high := math.Inf(1), 0.0
	for _, y := range c.y {
		low, high = min(low, math.Exp(y)), max(high, math.Exp(y))
	}
	return coefficients{low / 2, high / 2, high / 4}
}

// Limits of the fit.
const (
	maxStepsUSL = 200
	flatUSL     = 1e-9 // relative change of the cost, below which it is done
	leastA      = 1e-9 // of the largest n/x: 1/λ must stay above 0
)

// fit minimises the cost by Levenberg–Marquardt, each step put back into the
// bounds. A coefficient that is at its bound, and would leave it, is held there.
func (c *curveUSL) fit(p coefficients) coefficients {
	floor := coefficients{leastA * (p[0] + p[1] + p[2]), 0, 0}
	cost, damping := c.cost(p), 1e-3
	for range maxStepsUSL {
		gradient, hessian := c.derivatives(p)
		free := [3]bool{}
		for k := range p {
			free[k] = p[k] > floor[k] || gradient[k] < 0
		}
		next := p
		for k, d := range solve(damped(hessian, damping), gradient, free) {
			next[k] = max(floor[k], p[k]-d)
		}
		lower := c.cost(next)
		if !(lower < cost) {
			if damping *= 10; damping > 1e12 {
				break
			}
			continue
		}
		done := cost-lower <= flatUSL*cost
		p, cost, damping = next, lower, max(damping/10, 1e-12)
		if done {
			break
		}
	}
	return p
}

// derivatives returns the gradient of the cost and Gauss and Newton's
// approximation of its second derivatives.
func (c *curveUSL) derivatives(p coefficients) (gradient [3]float64, hessian [3][3]float64) {
	for i, y := range c.y {
		v := c.linear(p, i)
		r := math.Log(v) - y
		var j [3]float64
		for k := range j {
			j[k] = c.columns[i][k] / v
			gradient[k] += j[k] * r
		}
		for k := range j {
			for l := range j {
				hessian[k][l] += j[k] * j[l]
			}
		}
	}
	return gradient, hessian
}

// damped makes steps shorter, in each direction by its own measure.
func damped(m [3][3]float64, damping float64) [3][3]float64 {
	for k := range m {
		m[k][k] *= 1 + damping
	}
	return m
}

// solve solves m·d = g for the free unknowns by Gaussian elimination; the others,
// and directions that the data say nothing about, are 0.
func solve(m [3][3]float64, g [3]float64, free [3]bool) (d [3]float64) {
	for k := range m {
		if free[k] && m[k][k] > 0 {
			continue
		}
		m[k], g[k] = [3]float64{}, 0
		for l := range m {
			m[l][k] = 0
		}
		m[k][k] = 1
	}
	for k := range m { // the matrix is positive definite: no need to look for pivots
		for l := k + 1; l < len(m); l++ {
			factor := m[l][k] / m[k][k]
			for j := k; j < len(m); j++ {
				m[l][j] -= factor * m[k][j]
			}
			g[l] -= factor * g[k]
		}
	}
	for k := len(m) - 1; k >= 0; k-- {
		d[k] = g[k]
		for l := k + 1; l < len(m); l++ {
			d[k] -= m[k][l] * d[l]
		}
		d[k] /= m[k][k]
	}
	return d
}
