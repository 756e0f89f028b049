package stats

import "math"

// ErlangCDF is the probability that n exponential gaps of mean 1 add up to at
// most x: the regularized lower incomplete gamma function P(n, x), by its
// series below the mean and by its continued fraction above (DLMF 8.11.4 and
// 8.9.2). n is at least 1; the relative error is about 1e-12.
func ErlangCDF(n int, x float64) float64 {
	a := float64(n)
	switch {
	case !(x > 0):
		return 0
	case x < a+1:
		return gammaSeries(a, x)
	}
	return 1 - gammaFraction(a, x)
}

// gammaFactor is x^a e^-x / Γ(a).
func gammaFactor(a, x float64) float64 {
	lg, _ := math.Lgamma(a)
	return math.Exp(a*math.Log(x) - x - lg)
}

// gammaSeries is P(a, x) for x up to about a.
func gammaSeries(a, x float64) float64 {
	term := 1 / a
	sum := term
	for k := a + 1; term > sum*1e-15; k++ {
		term *= x / k
		sum += term
	}
	return sum * gammaFactor(a, x)
}

// gammaFraction is 1 − P(a, x) for x from about a, evaluated forwards (Lentz
// 1976, as modified by Thompson and Barnett 1986).
func gammaFraction(a, x float64) float64 {
	const tiny = 1e-300
	b := x + 1 - a
	c, d := 1/tiny, 1/b
	product := d
	for i := 1.0; i < 1e6; i++ {
		numerator := -i * (i - a)
		b += 2
		d = 1 / notZero(numerator*d+b, tiny)
		c = notZero(b+numerator/c, tiny)
		product *= d * c
		if math.Abs(d*c-1) < 1e-15 {
			break
		}
	}
	return product * gammaFactor(a, x)
}

func notZero(x, tiny float64) float64 {
	if math.Abs(x) < tiny {
		return tiny
	}
	return x
}
