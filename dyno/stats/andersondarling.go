package stats

import (
	"math"
	"slices"
)

// AndersonDarling tests whether u, numbers from 0 to 1, are an independent
// sample of the uniform distribution: whether what they were made from by its
// distribution function has that distribution, all of whose parameters were
// known beforehand ("case 0"). It returns the statistic A² (Anderson and
// Darling 1954) and the probability that chance alone makes it as large or
// larger, by A²'s limit for large samples, which is close from some eight
// numbers on. It sorts u. Without numbers it returns 0 and 1.
//
// Against Kolmogorov and Smirnov's test it has more power in the tails, where
// bunched and late arrivals show.
func AndersonDarling(u []float64) (a2, p float64) {
	if len(u) == 0 {
		return 0, 1
	}
	slices.Sort(u)
	sum, n := 0.0, len(u)
	for i := range u {
		sum += float64(2*i+1) * (math.Log(inside(u[i])) + math.Log1p(-inside(u[n-1-i])))
	}
	a2 = -float64(n) - sum/float64(n)
	return a2, andersonDarlingTail(a2)
}

// inside keeps the ends of the range, which rounding can reach, from making the
// statistic infinite.
func inside(u float64) float64 {
	const edge = 1e-15
	return min(max(u, edge), 1-edge)
}

// andersonDarlingTail is the probability that A² of a large sample exceeds z.
//
// In the limit A² is a sum of χ²/(j(j+1)), each of one degree of freedom. Its
// characteristic function has the closed form √(2πs/sin πa) with s = a(a+1)/2,
// and Smirnov's inversion for such sums (Durbin, "Distribution theory for tests
// based on the sample distribution function", 1973, section 4.4) leaves
// alternating integrals from a = 2k−1 to 2k of a positive function, which the
// substitution below makes smooth. That is exact to ten digits; the usual
// approximation (Marsaglia and Marsaglia 2004) is within 1e-5, too coarse for
// the far tail where limits corrected for many tests lie.
func andersonDarlingTail(z float64) float64 {
	if !(z > 0.1) {
		return 1 // to four digits
	}
	sum, sign := 0.0, 1.0
	for a := 1.0; ; a += 2 {
		part := andersonDarlingPart(z, a)
		sum += sign * part
		if sign = -sign; part <= 1e-12*sum {
			return sum / math.Pi
		}
	}
}

// andersonDarlingPart integrates from a to a+1, both ends being poles of order
// one half, by the rule of Gauss and Chebyshev.
func andersonDarlingPart(z, a float64) float64 {
	const points = 48
	sum := 0.0
	for i := range points {
		sin, cos := math.Sincos(math.Pi * ((float64(i)+0.5)/points - 0.5))
		at := a + (1+sin)/2
		s := at * (at + 1) / 2
		sum += math.Exp(-z*s) * math.Sqrt(2*math.Pi/(s*math.Cos(math.Pi/2*sin))) * (at + 0.5) * cos / 2
	}
	return sum * math.Pi / points
}
