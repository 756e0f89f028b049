package analysis

import (
	"math"

	"dyno.example/dyno/load/measure"
)

// lateness is what arrivals did that were taken up late, by the record of how late each was:
// a request is late by its own lag, or has waited for others that had come up late. In a queue
// that is served in order no departure is later by more than the latest of the arrivals before
// it, so that what took longer by more than x has a request with such a lag in its busy period.
func (d *disturbed) lateness() (e effect, ok bool) {
	lag := d.clocks[measure.Lag]
	longer, ok := d.backlog()
	if !d.open || lag == nil || d.offered == 0 || !ok {
		return e, false
	}
	e.sent = true
	e.share = float64(d.late) / float64(d.offered) * longer
	e.mean = 2 * lag.mean() * longer
	e.beyond = func(x float64) float64 { return lag.above(x) * longer }
	return e, e.share < mostStopped
}

// uneven is that of requests which weren't sent as they were due, be it a little: lateness,
// and bunches. A request can have come into one with another that was due within its lag, before
// or after it. Of arrivals with the mean gap g, of which a span L has L/g, that is no larger share
// than 2·L/g of all, L being the mean lag.
func (d *disturbed) uneven() (e effect, ok bool) {
	e, ok = d.lateness()
	if !ok || d.length <= 0 || d.responses == 0 {
		return e, false
	}
	gap := float64(d.length) / float64(d.responses)
	e.bunched = min(1, 2*d.clocks[measure.Lag].mean()/gap)
	return e, true
}

// resending is what segments can have done that were sent again. Each was of one connection and
// kept no more requests waiting than it had under way; these took no longer in all than as
// many of the slowest. A closed loop could have sent others meanwhile, by Little's law the share that
// this is of its connections' time; and as it did not, those there were had the service more
// to themselves. Under a rate each of them came to the service at another time than it would have,
// which can have spared others to wait for it as well as made them.
func (d *disturbed) resending() (e effect, ok bool) {
	response := d.clocks[measure.Response]
	if response == nil || d.untold || d.resent == 0 || d.connections <= 0 {
		return e, false
	}
	n := float64(d.responses)
	share := float64(d.resent) * float64(d.streams) / n
	if share >= mostStopped {
		return e, false
	}
	waited := share * response.meanAbove(1-share) // by request, on average
	if d.open {
		longer, ok := d.backlog()
		if !ok {
			return e, false
		}
		e.share, e.mean, e.either = share*longer, waited*longer, true
		e.beyond = func(x float64) float64 { return min(e.mean/x, e.share) }
		return e, e.share < mostStopped
	}
	idle := waited * n / (float64(d.connections) * float64(d.length))
	if idle >= mostStopped {
		return e, false
	}
	e.share, e.mean, e.relieved = max(share, idle), waited, idle
	e.beyond = func(x float64) float64 { return min(waited/x, share) }
	return e, true
}

// meanAbove is the mean of the values beyond the quantile p.
func (s *steps) meanAbove(p float64) float64 {
	sum, before := 0.0, 0.0
	for i, share := range s.share {
		if part := share - max(before, p); part > 0 {
			sum += part * s.value[i]
		}
		before = share
	}
	if p >= 1 {
		return s.value[len(s.value)-1]
	}
	return sum / (1 - p)
}

// longer is by how many times requests may take longer where the others of a closed loop
// don't wait elsewhere for such a share of the time.
func longer(relieved float64) float64 { return 1 / (1 - math.Min(relieved, mostStopped)) }
