package stats

import "math"

// FisherExact is the two-sided p-value of Fisher's exact test: the chance that a
// table in which hits fall on the two groups as evenly as chance makes them would be
// no likelier than the one there is: a of n in the first, b of m in the second
// ("Statistical Methods for Research Workers", 1934, §21.02). It is 1 if there is
// nothing to compare.
func FisherExact(a, n, b, m int) (p float64) {
	hits := a + b
	if n <= 0 || m <= 0 || hits == 0 || hits == n+m {
		return 1
	}
	// Hypergeometric: of n+m, hits are drawn, of which k are of the first group.
	chance := func(k int) float64 {
		return math.Exp(logChoose(n, k) + logChoose(m, hits-k) - logChoose(n+m, hits))
	}
	seen := chance(a)
	for k := max(0, hits-m); k <= min(n, hits); k++ {
		if c := chance(k); c <= seen*(1+1e-9) {
			p += c
		}
	}
	return min(p, 1)
}
