package stats

import (
	"math"
	"slices"
)

// PartialRank is Spearman's rank correlation of x and y, both held against the controls
// (each as long as x): what is left of the ranks when those of the controls have been
// regressed out. Ranks are within each stratum, so that strata which differ as wholes, such
// as starts on plateaus of their own, show no correlation by that. strata[i] is the stratum
// of place i; places of one stratum follow one another in time.
//
// p is two-sided, from Student's t with the number of values reduced to that of independent
// ones, n(1−ab)/(1+ab) for first autocorrelations a and b of both (Bartlett 1935; Dawdy and
// Matalas 1964). p is 1 and rho 0 where there is nothing to correlate.
func PartialRank(x, y []float64, controls [][]float64, strata []int) (rho, p float64) {
	basis := orthogonal(controls, strata)
	a, b := remainder(rankWithin(x, strata), basis), remainder(rankWithin(y, strata), basis)
	na, nb := norm(a), norm(b)
	if na == 0 || nb == 0 {
		return 0, 1
	}
	rho = max(-1, min(1, dot(a, b)/(na*nb)))
	ra, rb := neighbours(a, strata)/(na*na), neighbours(b, strata)/(nb*nb)
	n := float64(len(a))
	if both := ra * rb; both > 0 {
		n *= (1 - both) / (1 + both)
	}
	freedom := n - 1 - float64(len(basis)) - float64(distinct(strata))
	if freedom < 1 {
		return rho, 1
	}
	return rho, studentTwoSided(freedom, rho*math.Sqrt(freedom/max(1-rho*rho, 1e-300)))
}

// orthogonal are the ranks of the controls made orthogonal to each other (Gram and
// Schmidt), without those that hold nothing of their own.
func orthogonal(controls [][]float64, strata []int) (basis [][]float64) {
	for _, c := range controls {
		ranks := rankWithin(c, strata)
		whole := norm(ranks)
		rest := remainder(ranks, basis)
		length := norm(rest)
		if length <= 1e-9*whole || length == 0 {
			continue
		}
		for i := range rest {
			rest[i] /= length
		}
		basis = append(basis, rest)
	}
	return basis
}

// remainder is v without its parts along an orthonormal basis. v becomes the remainder.
func remainder(v []float64, basis [][]float64) []float64 {
	before := norm(v)
	for _, b := range basis {
		along := dot(v, b)
		for i := range v {
			v[i] -= along * b[i]
		}
	}
	if norm(v) <= 1e-9*before {
		clear(v) // what rounding leaves could pass for something
	}
	return v
}

// rankWithin are ranks within each stratum, equal values sharing theirs, scaled to lie
// between −½ and ½.
func rankWithin(x []float64, strata []int) []float64 {
	ranks := make([]float64, len(x))
	for from := 0; from < len(x); {
		to := from + 1
		for to < len(x) && strata[to] == strata[from] {
			to++
		}
		scaledRanks(x[from:to], ranks[from:to])
		from = to
	}
	return ranks
}

func scaledRanks(x, ranks []float64) {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case x[a] < x[b]:
			return -1
		case x[a] > x[b]:
			return 1
		}
		return 0
	})
	n := float64(len(x))
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for _, at := range order[i:j] {
			ranks[at] = (float64(i+j-1)/2 - (n-1)/2) / n
		}
		i = j
	}
}

// neighbours is the sum of the products of values that follow each other in a stratum.
func neighbours(v []float64, strata []int) (sum float64) {
	for i := 1; i < len(v); i++ {
		if strata[i] == strata[i-1] {
			sum += v[i] * v[i-1]
		}
	}
	return sum
}

func distinct(strata []int) (n int) {
	for i := range strata {
		if i == 0 || strata[i] != strata[i-1] {
			n++
		}
	}
	return n
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func norm(v []float64) float64 { return math.Sqrt(dot(v, v)) }
