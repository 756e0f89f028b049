package statstest

import (
	"math"
	"math/rand/v2"
	"slices"

	"dyno.example/dyno/stats"
)

// Latency is how the response times of a subject scatter: log-normally about a
// level that is the sum of what its restart, its window and its regime make of
// it. Its quantiles are known exactly.
type Latency struct {
	Name     string
	Restart  float64 // standard deviation of the level between restarts
	Window   float64 // standard deviation of the level between windows
	Rho      float64 // correlation of the level of neighbouring windows
	Request  float64 // standard deviation of requests about the level
	Slow     float64 // share of requests that are slow
	Paused   float64 // share of windows in which all are slow
	Lasts    float64 // windows that a pause lasts, on average
	Slowness float64 // what slow requests take more, as a logarithm
}

// Latencies are skewed, of two kinds of requests, autocorrelated, and switching
// between regimes.
func Latencies() []Latency {
	return []Latency{
		{Name: "skewed", Restart: 0.05, Window: 0.02, Request: 0.7},
		{Name: "restarts alike", Window: 0.05, Request: 0.5},
		{Name: "mixture", Restart: 0.05, Window: 0.03, Request: 0.3, Slow: 0.03, Slowness: 1.5},
		{Name: "autocorrelated", Restart: 0.03, Window: 0.1, Rho: 0.7, Request: 0.4},
		{Name: "regimes", Restart: 0.03, Window: 0.02, Request: 0.4, Paused: 0.2, Lasts: 3, Slowness: 0.7},
	}
}

// Quantile is the true quantile.
func (l Latency) Quantile(q float64) float64 {
	low, high := -10.0, 10.0
	for range 80 {
		if middle := (low + high) / 2; l.below(middle) < q {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Exp(high)
}

// below is the probability that the logarithm of a request's time is below x.
func (l Latency) below(x float64) float64 {
	deviation := math.Sqrt(l.Restart*l.Restart + l.Window*l.Window + l.Request*l.Request)
	normal := func(x float64) float64 { return 0.5 * math.Erfc(-x/deviation/math.Sqrt2) }
	slow := l.Paused + (1-l.Paused)*l.Slow
	return slow*normal(x-l.Slowness) + (1-slow)*normal(x)
}

// Draw draws so many restarts of so many windows of so many requests each.
func (l Latency) Draw(restarts, windows, requests int, r *rand.Rand) [][]stats.Counts {
	all := make([][]stats.Counts, restarts)
	for i := range all {
		plateau, level := l.Restart*r.NormFloat64(), r.NormFloat64()
		paused := r.Float64() < l.Paused
		for range windows {
			all[i] = append(all[i], l.window(plateau+l.Window*level, paused, requests, r))
			level = l.Rho*level + math.Sqrt(1-l.Rho*l.Rho)*r.NormFloat64()
			paused = l.stays(paused, r)
		}
	}
	return all
}

// stays draws whether the next window is one of a pause: pauses end after Lasts
// windows and begin so often that Paused is their share.
func (l Latency) stays(paused bool, r *rand.Rand) bool {
	switch {
	case l.Paused == 0:
		return false
	case paused:
		return r.Float64() >= 1/l.Lasts
	}
	return r.Float64() < l.Paused/(1-l.Paused)/l.Lasts
}

// resolution of drawn values, on the log scale.
const resolution = 500

func (l Latency) window(level float64, paused bool, requests int, r *rand.Rand) stats.Counts {
	counts := make(map[int]uint64)
	for range requests {
		x := level + l.Request*r.NormFloat64()
		if paused || r.Float64() < l.Slow {
			x += l.Slowness
		}
		counts[int(math.Round(x*resolution))]++
	}
	var window stats.Counts
	for x, n := range counts {
		window = append(window, stats.Bucket{Value: math.Exp(float64(x) / resolution), Count: n})
	}
	slices.SortFunc(window, func(a, b stats.Bucket) int {
		if a.Value < b.Value {
			return -1
		}
		return 1
	})
	return window
}

// QuantileCoverage is how often the interval of [stats.QuantileHierarchy], where
// there is one, holds the true quantile.
func QuantileCoverage(l Latency, q float64, restarts, windows, requests, runs int, seed uint64) (covered Rate) {
	r := rand.New(rand.NewPCG(seed, 0x6c6174))
	truth := l.Quantile(q)
	for run := range runs {
		drawn := l.Draw(restarts, windows, requests, r)
		interval := stats.QuantileHierarchy(drawn, []float64{q}, 0.95, uint64(run))[0]
		if interval.Level > 0 {
			covered.Add(interval.Contains(truth))
		}
	}
	return covered
}
