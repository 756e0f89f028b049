package stats

// NonNegative is the least-squares fit of y by a constant, by the levels (of any sign), and
// by the columns x with coefficients that aren't negative, which it returns. It is for causes,
// none of which makes anything faster (Lawson and Hanson, "Solving Least Squares Problems",
// 1974, chapter 23; here by coordinate descent, which suffices for a few columns). A column
// that doesn't vary has the coefficient 0.
func NonNegative(y []float64, x, levels [][]float64) []float64 {
	columns := make([][]float64, 0, len(x)+len(levels))
	for _, c := range append(append([][]float64(nil), x...), levels...) {
		columns = append(columns, centred(c))
	}
	rest := centred(y)
	squares := make([]float64, len(columns))
	for j, c := range columns {
		squares[j] = dot(c, c)
	}
	coefficients := make([]float64, len(columns))
	const rounds = 2000
	for range rounds {
		moved := false
		for j, c := range columns {
			if squares[j] == 0 {
				continue
			}
			to := coefficients[j] + dot(c, rest)/squares[j]
			if j < len(x) {
				to = max(to, 0)
			}
			step := to - coefficients[j]
			if step == 0 {
				continue
			}
			for i := range rest {
				rest[i] -= step * c[i]
			}
			moved = moved || step*step > 1e-18*to*to
			coefficients[j] = to
		}
		if !moved {
			break
		}
	}
	return coefficients[:len(x)]
}

// centred is v less its mean; all zero if it doesn't vary.
func centred(v []float64) []float64 {
	out := make([]float64, len(v))
	mean, same := 0.0, true
	for i := range v {
		mean += v[i] / float64(len(v))
		same = same && v[i] == v[0]
	}
	for i := range v {
		if !same {
			out[i] = v[i] - mean
		}
	}
	return out
}
