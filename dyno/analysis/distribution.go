package analysis

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno.example/dyno/load/measure"
	"dyno.example/internal/i18n"
)

// beyond is how many requests must have taken longer than a quantile for it to be
// reported: with fewer, it is but one or two accidents.
const beyond = 10

// distribution is that of one clock: the times recorded, how many requests are known
// only to have taken longer because they were given up, and how many failed otherwise,
// which is worse than any time.
type distribution struct {
	recorded *hdrhistogram.Histogram
	censored int64
	waited   *hdrhistogram.Histogram // how long those took at least, where it is known; may be nil
	failed   int64
}

func (d *distribution) total() int64 { return d.recorded.TotalCount() + d.censored + d.failed }

// manyFailed is the share of failed requests from which a mean or a maximum of the
// others says nothing of the service.
const manyFailed = 0.005

// failing reports whether so many requests failed.
func (d *distribution) failing() bool { return float64(d.failed) > manyFailed*float64(d.total()) }

// mean returns the mean in µs. Without the requests that took longest it would
// be a mean of something else, so with any censored there is none.
func (d *distribution) mean() (micros float64, missing i18n.Message) {
	if why := d.incomplete(); !why.IsZero() {
		return 0, why
	}
	return d.recorded.Mean() / 1e3, i18n.Message{}
}

// max returns the maximum in µs.
func (d *distribution) max() (micros float64, missing i18n.Message) {
	if why := d.incomplete(); !why.IsZero() {
		return 0, why
	}
	return float64(d.recorded.Max()) / 1e3, i18n.Message{}
}

func (d *distribution) incomplete() i18n.Message {
	switch {
	case d.recorded.TotalCount() == 0:
		return i18n.New("analysis.no-timings", "no request was timed")
	case d.censored > 0:
		return i18n.New("analysis.times-unknown", "%d requests were given up, so their times are unknown", d.censored)
	case d.failing():
		return i18n.New("analysis.requests-failed", "%d of %d requests failed", d.failed, d.total())
	}
	return i18n.Message{}
}

// worst reports whether a mean or a maximum is worse than any time, as requests
// failed.
func (d *distribution) worst() bool { return d.censored == 0 && d.failing() }

// quantile returns the smallest time, in µs, that at least the share q of the
// requests did not exceed.
func (d *distribution) quantile(q float64) (micros float64, missing i18n.Message) {
	if !d.tells(q) {
		return 0, i18n.New("analysis.quantile-needs-requests", "%d requests are too few: fewer than %d of them took longer", d.total(), beyond)
	}
	micros, known := d.at(q)
	if d.fails(q) {
		return 0, i18n.New("analysis.quantile-among-failures", "%d of %d requests failed, and it is among them", d.failed, d.total())
	}
	if !known {
		return 0, i18n.New("analysis.quantile-above-limit", "%d of %d requests were given up, so it is only known to exceed %.0f µs", d.censored, d.total(), micros)
	}
	return micros, i18n.Message{}
}

// fails reports whether the quantile is among the requests that failed.
func (d *distribution) fails(q float64) bool {
	return d.rank(q) > d.recorded.TotalCount()+d.censored && d.tells(q)
}

// atLeast is what is known of a quantile, in µs, at the least: infinite among those
// that failed. It is not ok if nothing is known.
func (d *distribution) atLeast(q float64) (micros float64, ok bool) {
	if !d.tells(q) {
		return 0, false
	}
	if d.fails(q) {
		return math.Inf(1), true
	}
	micros, _ = d.at(q)
	return micros, true
}

// rank is the number of requests at or below the quantile.
func (d *distribution) rank(q float64) int64 {
	return max(1, int64(math.Ceil(q*float64(d.total()))))
}

// tells reports whether enough requests lie beyond the quantile.
func (d *distribution) tells(q float64) bool { return d.total()-d.rank(q) >= beyond }

// at returns the quantile in µs. If it is not known, being above the times that
// are, it returns the largest time that it is proven not to be below.
func (d *distribution) at(q float64) (micros float64, known bool) {
	n, rank := d.recorded.TotalCount(), d.rank(q)
	if rank > n {
		return float64(measure.Proven(d.recorded, d.waited, uint64(rank))) / 1e3, false
	}
	return float64(d.recorded.ValueAtPercentile(100*float64(rank)/float64(n))) / 1e3, true
}

// Curves have so many points for each factor of ten in the share of requests
// beyond, up to one in 100,000.
const (
	pointsPerDecade = 20
	decades         = 5
)

// curve returns the points from the fastest request as far into the tail as the number
// of requests allows.
func (d *distribution) curve() []Point {
	points := []Point{}
	for _, q := range curveQuantiles() {
		if !d.tells(q) {
			break
		}
		micros, known := d.at(q)
		points = append(points, Point{Percentile: percentOf(q), Micros: micros, Censored: !known})
	}
	return points
}

// curveQuantiles are spaced evenly on the log scale of the share beyond. That
// puts 0.9, 0.99 and so on among them; the median is added.
func curveQuantiles() []float64 {
	list := make([]float64, 0, pointsPerDecade*decades+2)
	for i := range pointsPerDecade*decades + 1 {
		q := 1 - math.Pow(10, -float64(i)/pointsPerDecade)
		if last := len(list) - 1; last >= 0 && list[last] < 0.5 && q > 0.5 {
			list = append(list, 0.5)
		}
		list = append(list, q)
	}
	return list
}

// percentOf turns a share into percent, without the noise of binary fractions.
func percentOf(share float64) float64 { return math.Round(share*1e8) / 1e6 }

// TooFewRequests reports whether that is why a figure is missing: how many there were, and
// how many it takes, is another number for each.
func TooFewRequests(missing i18n.Message) bool {
	return missing.ID() == "analysis.quantile-needs-requests"
}
