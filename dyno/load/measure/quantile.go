package measure

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// GivenUp is how many requests have no time on the clock because they were given up:
// shed before they were sent, without a connection or a response in time, or without one
// by the end. Requests that were never sent say nothing of the times that begin with the
// sending. They count as slower than every request that has one.
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
// exceed what was seen: shed, unfinished or timed out.
func (w *Window) Censored() float64 {
	unknown := w.GivenUp(Response)
	if unknown == 0 {
		return 0
	}
	return float64(unknown) / float64(unknown+w.Right()+w.Failed(Response))
}

// Failed is how many requests got no right response and were not given up: refused,
// reset, wrong responses. They count as worse than any time.
func (w *Window) Failed(c Clock) uint64 {
	switch c {
	case Response:
		return w.Failures() - min(w.Failures(), w.Errors.Timeout+min(w.Unconnected, w.Errors.Connect)) - w.timedWrong(c)
	case Service, FirstByte:
		return w.Errors.Total() - w.Errors.Timeout - w.Errors.Connect - w.timedWrong(c)
	}
	return 0
}

// timedWrong is how many of the wrong responses are among the timed ones, as they were
// in runs from before they were kept apart. They can't be distinguished from the right
// ones.
func (w *Window) timedWrong(c Clock) uint64 {
	right := w.Right() - min(w.Right(), w.Messages.Untimed)
	return min(w.Timed(c)-min(w.Timed(c), right), w.Errors.Wrong())
}

// manyFailed is the share of failed requests from which a mean or a maximum of the
// others says nothing of the service.
const manyFailed = 0.005

// Failing reports whether so many requests failed that a mean or a maximum of the others
// says nothing of the service.
func (w *Window) Failing(c Clock) bool {
	return float64(w.Failed(c)) > manyFailed*float64(w.Judged(c))
}

// Judged is how many requests a percentile is of: timed, given up and failed.
func (w *Window) Judged(c Clock) uint64 { return w.Timed(c) + w.GivenUp(c) + w.Failed(c) }

// AmongFailed reports whether a percentile is among the requests that failed: no time is
// as bad. See [Window.Quantile].
func (w *Window) AmongFailed(c Clock, percent float64) bool {
	return w.Failed(c) > 0 && w.rank(c, percent) > w.Timed(c)+w.GivenUp(c)
}

// rank is the number of requests at or below a percentile.
func (w *Window) rank(c Clock, percent float64) uint64 {
	// The product of a decimal percentage and a count is off by a hair in binary; that
	// hair must not require one request more.
	return uint64(max(1, math.Ceil(percent/100*float64(w.Judged(c))-1e-6)))
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

// Tells reports whether there are enough requests for the percentile; see [Needs].
// Those that were given up or failed count too.
func (w *Window) Tells(c Clock, percent float64) bool {
	return w.Timed(c) > 0 && w.Judged(c) >= Needs(percent)
}

// Quantile returns the smallest time in ns that at least percent of the requests
// did not exceed. Those that were given up are slower than all that have a time, and those
// that failed slower still, however soon they did. If that many don't have a
// time, the quantile is censored: known is false and ns is the largest time that
// it is proven not to be below; 0 if there is none.
func (w *Window) Quantile(c Clock, percent float64) (ns int64, known bool) {
	n := w.Timed(c)
	if w.Judged(c) == 0 {
		return 0, false
	}
	rank := w.rank(c, percent)
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
