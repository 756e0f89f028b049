package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"dyno.example/internal/i18n"
)

// quantileResamples are drawn for an interval: enough for the ends of a 95 %
// interval, to which 10 of them lie beyond on either side.
const quantileResamples = 400

// leastWindows is how many windows of a single restart give an interval.
const leastWindows = 120

// QuantileHierarchy estimates quantiles qs (0.99 for p99) of the observations of
// all windows of all restarts taken together, restarts[r][w], with intervals at
// the level given. The same seed gives the same intervals.
//
// Resampled are what is independent: the restarts, each whole. That carries
// everything that makes a restart's requests alike into the interval: its
// plateau, the dependence of its windows and that of requests within a window.
// To draw windows within the drawn restarts as well would count what windows
// contribute twice, as the restarts' own differences contain it already (Davison
// and Hinkley, "Bootstrap Methods and their Application", 1997, section 3.8;
// Field and Welsh, "Bootstrapping clustered data", Journal of the Royal
// Statistical Society B 69, 2007), and so gives intervals that are too wide. As in
// [Median], the percentiles are expanded for small samples (Hesterberg 2015). Where few restarts have shown
// what slow ones are like, percentiles still end too early, in one of ten runs;
// so each end is that of the percentiles or that of Student's t with the
// bootstrap's standard error of the logarithm, whichever is farther out, which
// covers in 93 to 97 of 100. With fewer than six restarts Level is what their
// range really gives for 95 %.
//
// Of a single restart the windows are resampled in blocks of consecutive ones (Künsch,
// "The Jackknife and the Bootstrap for General Stationary Observations", Annals of
// Statistics 17, 1989), as long as their dependence requires: see [BlockLength]. That
// shows how certain the quantile of this restart is and nothing about others, which Note
// says. Of fewer windows than 120 there is no interval: their own dependence can't be
// seen in them, nor bunches of slow requests that did not happen to fall in, and 95 %
// would be 44 to 90; of so many it is 91 to 100.
//
// An interval also takes requests beyond the quantile: if what they are worth as
// independent ones, by [hierarchy.tailESS], is too few for the quantile to have an
// interval at all, which takes log((1−level)/2)/log q, Level is 0 and Note says
// how many are needed. N is the number of restarts.
func QuantileHierarchy(restarts [][]Counts, qs []float64, level float64, seed uint64) []Interval {
	h := newHierarchy(restarts)
	results := make([]Interval, len(qs))
	if h.windows == 0 {
		for i := range results {
			results[i].Note = i18n.New("stats.no-requests", "no requests")
		}
		return results
	}
	draws := h.draws(qs, seed)
	for i, q := range qs {
		estimate := h.quantile(q, h.once())
		results[i] = h.interval(q, estimate, draws[i], level)
	}
	return results
}

// draws returns the resampled values of each quantile, sorted.
func (h *hierarchy) draws(qs []float64, seed uint64) [][]float64 {
	random := rand.New(rand.NewPCG(seed, 0x7175616e74))
	weights := make([]uint64, len(h.columns))
	draws := make([][]float64, len(qs))
	lengths := make([]int, len(qs))
	if len(h.restarts) == 1 {
		for i, q := range qs {
			lengths[i] = BlockLength(h.shares(h.quantile(q, h.once())))
		}
	}
	for range quantileResamples {
		if len(h.restarts) > 1 {
			drawRestarts(random, weights)
		}
		for i, q := range qs {
			if len(h.restarts) == 1 {
				drawBlocks(random, lengths[i], weights)
			}
			draws[i] = append(draws[i], h.quantile(q, weights))
		}
	}
	for _, values := range draws {
		slices.Sort(values)
	}
	return draws
}

// interval cuts the ends off sorted draws.
func (h *hierarchy) interval(q, estimate float64, draws []float64, level float64) Interval {
	n := len(h.restarts)
	if math.IsInf(estimate, 1) {
		return Interval{N: n, Note: i18n.New("stats.quantile-unknown", "not known: too many requests were given up")}
	}
	point := Interval{N: n, Estimate: estimate, Low: estimate, High: estimate}
	units, of := n, "restarts" // what was resampled
	if n == 1 {
		units, of = h.windows/BlockLength(h.shares(estimate)), "independent windows"
	}
	if n == 1 && h.windows < leastWindows {
		point.Note = i18n.New("stats.one-restart-few-windows", "one restart of %d windows: need ≥ %d, or more restarts, for an interval", h.windows, leastWindows)
		return point
	}
	if point.Note = h.lacks(q, level, units); !point.Note.IsZero() {
		return point
	}
	result := point
	tail := expandedTail(units, level)
	result.Level = level
	if given := rangeCovers(units); given < level {
		tail, result.Level = 0, given
		result.Note = i18n.New("stats.need-interval", "need ≥ %d %s for a %s interval", trialsNeeded(level), of, percent(level))
	} else if n == 1 {
		result.Note = i18n.New("stats.one-restart", "one restart: the interval says nothing about others")
	}
	cut := int(tail * float64(len(draws)))
	half := studentQuantile(float64(units-1), 1-(1-result.Level)/2) * logScatter(draws) * math.Sqrt(float64(units)/float64(units-1))
	result.Low = min(draws[cut], estimate*math.Exp(-half))
	result.High = max(draws[len(draws)-1-cut], estimate*math.Exp(half))
	if math.IsInf(result.High, 1) {
		point.Note = i18n.New("stats.upper-end-unknown", "its upper end is not known: too many requests were given up")
		return point
	}
	return result
}

// logScatter is the standard deviation of the draws' logarithms, of those that
// are known and above zero.
func logScatter(draws []float64) float64 {
	n, mean, squares := 0.0, 0.0, 0.0
	for _, v := range draws {
		if v > 0 && !math.IsInf(v, 1) {
			n++
			step := math.Log(v) - mean
			mean += step / n
			squares += step * (math.Log(v) - mean)
		}
	}
	if n == 0 {
		return 0
	}
	return math.Sqrt(squares / n)
}

// lacks says why there can't be an interval, "" if there can.
func (h *hierarchy) lacks(q, level float64, units int) i18n.Message {
	need := math.Ceil(math.Log((1-level)/2) / math.Log(q))
	if worth := h.tailESS(q); worth < need {
		return i18n.New("stats.too-few-independent", "need ≥ %.0f independent requests for an interval, these are worth %.0f", need, worth)
	}
	if units < 2 {
		return i18n.New("stats.too-few-restarts", "need ≥ 2 restarts, or independent windows, for an interval")
	}
	return i18n.Message{}
}
