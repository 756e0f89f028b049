package stats

import "math"

// shares returns the share of observations above x in each window, by restart.
func (h *hierarchy) shares(x float64) [][]float64 {
	all := make([][]float64, len(h.restarts))
	for r, windows := range h.restarts {
		for _, w := range windows {
			all[r] = append(all[r], float64(w.Above(x))/float64(w.Total()))
		}
	}
	return all
}

// tailESS is the effective sample size of the requests for their quantile q: how many
// independent ones would give the share beyond the quantile as exactly. It is that of
// the indicator 1{x > quantile}, not of the mean: slow requests come in bunches, and
// what a pause does to a hundred requests is one observation.
//
// The indicator's counts per window are compared with what independent requests would
// scatter, windows about the mean of their restart (so that restarts with plateaus of
// their own don't count as dependence), with the covariances of neighbouring windows
// under Bartlett's weights (Newey and West, Econometrica 55, 1987) as far as
// [BlockLength] goes. Restarts of one window say nothing about it. It is at most the
// number of requests.
func (h *hierarchy) tailESS(q float64) float64 {
	at := h.quantile(q, h.once())
	shares := h.shares(at)
	length := BlockLength(shares)
	all, seen, independent := 0.0, 0.0, 0.0 // requests; variances of their sums
	for _, windows := range h.restarts {
		requests := 0.0
		for _, w := range windows {
			requests += float64(w.Total())
		}
		all += requests
		if n := float64(len(windows)); n > 1 {
			excess, mean := excesses(windows, at)
			seen += longRun(excess, length) * n * n / (n - 1)
			independent += requests * mean * (1 - mean)
		}
	}
	if seen <= independent {
		return all
	}
	return all * independent / seen
}

// excesses are the observations above x in each window beyond what the
// restart's share of them gives, and that share.
func excesses(windows []Counts, x float64) (excess []float64, share float64) {
	above, total := 0.0, 0.0
	for _, w := range windows {
		above += float64(w.Above(x))
		total += float64(w.Total())
	}
	share = above / total
	for _, w := range windows {
		excess = append(excess, float64(w.Above(x))-share*float64(w.Total()))
	}
	return excess, share
}

// longRun is the variance of a sum of the values, which have the mean 0, divided
// by their number.
func longRun(values []float64, length int) float64 {
	sum := 0.0
	for lag := range min(length+1, len(values)) {
		products := 0.0
		for i := lag; i < len(values); i++ {
			products += values[i] * values[i-lag]
		}
		weight := 1.0
		if lag > 0 {
			weight = 2 * (1 - float64(lag)/float64(length+1))
		}
		sum += weight * products / float64(len(values))
	}
	return max(sum, 0)
}

// BlockLength is how many consecutive windows to keep together when windows are
// resampled, or how far apart they still depend on each other: the rule of Politis and
// White ("Automatic Block-Length Selection for the Dependent Bootstrap", Econometric
// Reviews 23, 2004, as corrected by Patton, Politis and White in 28, 2009) for the
// circular block bootstrap. Trials have too few windows for the covariances that the
// rule requires, so these are taken to be those of a first-order autoregression, with
// the one coefficient of all restarts together: (6ρ²/(1−ρ²)²)^⅓ · n^⅓ of n windows, at
// least 1 and at most half of them.
func BlockLength(restarts [][]float64) int {
	squares, products, windows, means, size := 0.0, 0.0, 0.0, 0.0, 0.0
	longest := 0
	for _, values := range restarts {
		mean := 0.0
		for _, v := range values {
			mean += v / float64(len(values))
		}
		for i, v := range values {
			squares += (v - mean) * (v - mean)
			size += v * v
			if i > 0 {
				products += (v - mean) * (values[i-1] - mean)
			}
		}
		windows += float64(len(values))
		means++
		longest = max(longest, len(values))
	}
	if squares <= 1e-20*size { // what rounding makes
		return 1
	}
	rho := products / squares
	rho = min(max(rho+(1+3*rho)*means/windows, 0), alike) // Kendall's correction for the means, 1954
	n := float64(longest)
	length := math.Cbrt(6*rho*rho/((1-rho*rho)*(1-rho*rho))) * math.Cbrt(n)
	return max(1, min(int(math.Ceil(length)), longest/2))
}
