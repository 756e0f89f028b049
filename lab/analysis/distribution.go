package analysis

import (
	"fmt"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno/lab/load"
)

// beyond is how many requests must have taken longer than a quantile for it to
// be told: with fewer, it is but one or two accidents.
const beyond = 10

// distribution is that of one clock: what was recorded, and how many requests
// are known only to have taken longer, as they were given up.
type distribution struct {
	recorded *hdrhistogram.Histogram
	censored int64
	waited   *hdrhistogram.Histogram // how long those took at least, where it is known; may be nil
}

func (d *distribution) total() int64 { return d.recorded.TotalCount() + d.censored }

// mean returns the mean in µs. Without the requests that took longest it would
// be a mean of something else, so with any censored there is none.
func (d *distribution) mean() (micros float64, missing string) {
	if why := d.incomplete(); why != "" {
		return 0, why
	}
	return d.recorded.Mean() / 1e3, ""
}

// max returns the maximum in µs.
func (d *distribution) max() (micros float64, missing string) {
	if why := d.incomplete(); why != "" {
		return 0, why
	}
	return float64(d.recorded.Max()) / 1e3, ""
}

func (d *distribution) incomplete() string {
	switch {
	case d.recorded.TotalCount() == 0:
		return "no request was timed"
	case d.censored > 0:
		return fmt.Sprintf("%d requests were given up, so their times are unknown", d.censored)
	}
	return ""
}

// quantile returns the smallest time, in µs, that at least the share q of the
// requests did not exceed.
func (d *distribution) quantile(q float64) (micros float64, missing string) {
	if !d.tells(q) {
		return 0, fmt.Sprintf("%d requests are too few: fewer than %d of them took longer", d.total(), beyond)
	}
	micros, known := d.at(q)
	if !known {
		return 0, fmt.Sprintf("%d of %d requests were given up, so it is only known to exceed %.0f µs", d.censored, d.total(), micros)
	}
	return micros, ""
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
		return float64(load.Proven(d.recorded, d.waited, uint64(rank))) / 1e3, false
	}
	return float64(d.recorded.ValueAtPercentile(100*float64(rank)/float64(n))) / 1e3, true
}

// Curves have so many points for each factor of ten in the share of requests
// beyond, up to one in 100,000.
const (
	pointsPerDecade = 20
	decades         = 5
)

// curve returns the points from the fastest request as far into the tail as
// the number of requests lets it tell.
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
