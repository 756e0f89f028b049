package stats

import "math/rand/v2"

// LatinHypercube returns n points in [0,1)^dims, one a row, whose values of each
// dimension lie one in each of n equal parts: McKay, Beckman and Conover, "A
// Comparison of Three Methods for Selecting Values of Input Variables",
// Technometrics 21, 1979. The same seed gives the same points.
func LatinHypercube(n, dims int, seed uint64) [][]float64 {
	random := rand.New(rand.NewPCG(seed, 0x6c6873))
	points := make([][]float64, n)
	for i := range points {
		points[i] = make([]float64, dims)
	}
	for d := range dims {
		for i, part := range random.Perm(n) {
			// A value so near to the end of its part that rounding takes it there
			// would leave the range.
			points[i][d] = min((float64(part)+random.Float64())/float64(n), belowOne)
		}
	}
	return points
}

// belowOne is the largest number below 1.
const belowOne = 1 - 1.0/(1<<53)

// Saltelli returns the points at which to evaluate a function of dims inputs for
// [Sobol]: n groups of dims+2 rows in [0,1)^dims, one group after the other. A
// group's rows are
//
//	A, B, AB₁, …, AB_dims
//
// where A and B are independent points, and AB_i is A with B's value of input i:
// the "radial" design of Saltelli et al., "Variance based sensitivity analysis of
// model output", Computer Physics Communications 181, 2010. A and B together
// are a Latin hypercube of twice as many dimensions. Since groups are complete in
// themselves, a study that ends early has all that it takes for those it did.
// The same seed gives the same points.
func Saltelli(n, dims int, seed uint64) [][]float64 {
	rows := make([][]float64, 0, n*(dims+2))
	for _, both := range LatinHypercube(n, 2*dims, seed) {
		a, b := both[:dims:dims], both[dims:]
		rows = append(rows, a, b)
		for i := range dims {
			mixed := append([]float64(nil), a...)
			mixed[i] = b[i]
			rows = append(rows, mixed)
		}
	}
	return rows
}
