package analysis

import (
	"math"
	"math/bits"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/stats"
)

// mergedQuantiles have intervals. Farther out, few runs have the requests.
var mergedQuantiles = [...]float64{0.5, 0.9, 0.99, 0.999}

// responseCounts reduces a window's response times, in µs, to what intervals of
// quantiles are made of: 256 values for each factor of two, so within 0.2 % of
// what was recorded, and the requests that were given up or failed as infinitely
// slow.
func responseCounts(w *archive.Window) stats.Counts {
	h := w.Client.Hist[measure.Response]
	if h == nil {
		h = measure.NewHistogram()
	}
	var counts stats.Counts
	for _, bar := range h.Distribution() {
		if bar.Count == 0 {
			continue
		}
		micros := coarse(bar.To)
		if last := len(counts) - 1; last >= 0 && counts[last].Value == micros {
			counts[last].Count += uint64(bar.Count)
			continue
		}
		counts = append(counts, stats.Bucket{Value: micros, Count: uint64(bar.Count)})
	}
	if lost := w.Client.GivenUp(measure.Response) + w.Client.Failed(measure.Response); lost > 0 {
		counts = append(counts, stats.Bucket{Value: math.Inf(1), Count: lost})
	}
	return counts
}

// mostWindows is how many windows of a trial are kept apart; of a longer one as many
// neighbours are put together as it takes. A day in seconds, at some kilobytes each,
// would be too much for memory, and shows no more about how alike neighbours are. It is
// even.
const mostWindows = 600

// responseWindows are the response times of a trial by window.
type responseWindows struct {
	counts []stats.Counts
	each   int // windows that one of them holds
	filled int // windows that the last one holds
}

// add takes the next window.
func (r *responseWindows) add(c stats.Counts) {
	last := len(r.counts) - 1
	if last >= 0 && r.filled < r.each {
		r.counts[last] = r.counts[last].Plus(c)
		r.filled++
		return
	}
	if len(r.counts) == mostWindows {
		r.halve()
	}
	r.counts, r.filled = append(r.counts, c), 1
}

// halve puts pairs of neighbours together.
func (r *responseWindows) halve() {
	for i := range mostWindows / 2 {
		r.counts[i] = r.counts[2*i].Plus(r.counts[2*i+1])
	}
	clear(r.counts[mostWindows/2:]) // to be let go
	r.counts, r.each = r.counts[:mostWindows/2], 2*r.each
}

// coarse rounds nanoseconds to the middle of a range that is 1/256 to 1/512 of
// them wide, in µs.
func coarse(ns int64) float64 {
	shift := max(bits.Len64(uint64(ns))-9, 0)
	low := ns >> shift << shift
	return (float64(low) + float64(int64(1)<<shift)/2) / 1e3
}

// mergedIntervals estimates the quantiles of all used windows together, where there are
// enough requests, with intervals over the trials.
func (s *cellBuilder) mergedIntervals() map[string]stats.Interval {
	d := s.merged.distribution(measure.Response)
	intervals := stats.QuantileHierarchy(s.responses, mergedQuantiles[:], level, uint64(s.Cell.Cell))
	known := map[string]stats.Interval{}
	for i, q := range mergedQuantiles {
		micros, missing := d.quantile(q)
		if !missing.IsZero() || !s.has(quantile(measure.Response, q).Name) {
			continue
		}
		interval := intervals[i]
		interval.Estimate = micros // as recorded
		interval.Low, interval.High = min(interval.Low, micros), max(interval.High, micros)
		if interval.Level == 0 {
			interval.Low, interval.High = micros, micros
		}
		known[quantile(measure.Response, q).Name] = interval
	}
	return known
}
