package measure

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// GivenUp is how many requests have no time on the clock because they were given
// up: shed before they were sent, without a connection or a response in time, or
// not answered by the end. What was never sent says nothing of the times that begin with
// the sending. They count as slower than every request that has one.
func (w *Window) GivenUp(c Clock) uint64 {
	switch c {
	case Response:
		return w.Shed + w.Unfinished + w.Errors.Timeout + w.Unconnected
	case Lag:
		return w.Shed + w.Unfinished + w.Unconnected
	case Service, FirstByte:
		return w.Unfinished - w.Unsent + w.Errors.Timeout
	case Connect:
		return w.Errors.Connect
	}
	return 0
}

// Censored returns the share of requests whose response time is only known to
// exceed what was seen: shed, unfinished or timed out. Quantiles above
// 1 − Censored are lower bounds.
func (w *Window) Censored() float64 {
	unknown := w.GivenUp(Response)
	if unknown == 0 {
		return 0
	}
	return float64(unknown) / float64(unknown+w.Right()+w.Errors.Wrong())
}

// Failed is how many requests got no right answer and were not given up: refused,
// reset, answered wrongly. No time is as bad as theirs.
func (w *Window) Failed(c Clock) uint64 {
	switch c {
	case Response:
		return w.Errors.Total() - w.Errors.Timeout - min(w.Unconnected, w.Errors.Connect)
	case Service, FirstByte:
		return w.Errors.Total() - w.Errors.Timeout - w.Errors.Connect
	}
	return 0
}

// Timed is how many requests, or connections, have a time on the clock.
func (w *Window) Timed(c Clock) uint64 {
	if h := w.Hist[c]; h != nil {
		return uint64(h.TotalCount())
	}
	return 0
}

// Needs is how many requests it takes for a percentile to exist: with fewer none
// lies beyond it, and it would be another name of the largest.
func Needs(percent float64) uint64 {
	if percent >= 100 {
		return 1
	}
	return uint64(math.Ceil(100/(100-percent) - 1e-6))
}

// Tells reports whether the requests are enough for the percentile to exist; see
// [Needs]. Those that were given up count too.
func (w *Window) Tells(c Clock, percent float64) bool {
	n := w.Timed(c)
	return n > 0 && n+w.GivenUp(c) >= Needs(percent)
}

// Quantile returns the smallest time in ns that at least percent of the requests
// did not exceed, those that were given up among them. If that many don't have a
// time, the quantile is censored: known is false and ns is the largest time that
// it is proven not to be below; 0 if there is none.
func (w *Window) Quantile(c Clock, percent float64) (ns int64, known bool) {
	n, lost := w.Timed(c), w.GivenUp(c)
	if n+lost == 0 {
		return 0, false
	}
	// The product of a decimal percentage and a count is off by a hair in binary;
	// that hair must not ask for one request more.
	rank := uint64(max(1, math.Ceil(percent/100*float64(n+lost)-1e-6)))
	if rank > n {
		return Proven(w.Hist[c], w.Waited[c], rank), false
	}
	return w.Hist[c].ValueAtPercentile(100 * float64(rank) / float64(n)), true
}

// Longest returns the longest time in ns that a request is known to have taken, if it
// was given up then at least; 0 if none is known.
func (w *Window) Longest(c Clock) int64 {
	most := int64(0)
	if h := w.Hist[c]; h != nil {
		most = h.Max()
	}
	if h := w.Waited[c]; h != nil {
		most = max(most, h.Max())
	}
	return most
}

// Proven returns the largest time in ns that the request of the given rank is known
// not to have been faster than: timed are those that have a time, waited how long
// others had taken when they were given up. Either may be nil. What was given up
// without that being known was slower than all. Every time in waited is one that
// the request took at least; so what is at the rank among both is one that the
// request at the rank took at least.
func Proven(timed, waited *hdrhistogram.Histogram, rank uint64) int64 {
	all := NewHistogram()
	for _, h := range []*hdrhistogram.Histogram{timed, waited} {
		if h != nil {
			all.Merge(h)
		}
	}
	n := all.TotalCount()
	if n == 0 {
		return 0
	}
	return all.ValueAtPercentile(100 * float64(min(rank, uint64(n))) / float64(n))
}
