package analysis

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
)

// bound says between which multiples of the measured value a figure would have been without a
// disturbance. A trial without such a bound is left out when a verdict is tried.
type bound struct{ low, high float64 }

var unchanged = bound{1, 1}

// Limits beyond which there is no bound.
const (
	mostStopped = 0.5  // of the time
	mostBusy    = 0.9  // of a CPU: a backlog would take ten times as long as what made it
	leastLeft   = 0.05 // of a figure
)

// effect is what a disturbance can have done to the requests of a trial.
//
// Whoever was kept from work for the time s in all, of a length t, had that share less time. A
// closed loop did in t − s what it would have done in t. Under a rate the arrivals due
// then, the share s/t of all, came up late, and so did those that came before the backlog was
// gone: as the busiest CPU is busy for the share ρ of the time, it takes s/(1 − ρ) with the stop
// itself. What is delayed is delayed by no more than the stop. A request under way is hit by
// each stop that falls into it, for as long as that is, which is for s/t of its time on average.
type effect struct {
	share  float64                 // of the requests that were due in it or in its backlog
	mean   float64                 // by which response times are longer at most, on average, ns
	beyond func(x float64) float64 // share of requests that took longer by more than x, at most
	stolen time.Duration           // that may be in the subject's CPU time
	sent   bool                    // the generator had it: service times go either way
	either bool                    // all times go either way

	bunched  float64 // share of the requests that may have come in bunches, if that is more
	relieved float64 // share of a closed loop's connections that waited elsewhere meanwhile
}

// effectOf is what a finding can have done; it is not ok if there is no bound.
func (d *disturbed) effectOf(name finding.Name) (e effect, ok bool) {
	if d.length <= 0 || d.responses == 0 {
		return e, false
	}
	var stopped time.Duration
	switch name {
	case finding.GeneratorLate:
		return d.lateness()
	case finding.LagFloor, finding.ArrivalsOff:
		return d.uneven()
	case finding.Retransmits:
		return d.resending()
	case finding.GeneratorStalled:
		stopped, e.sent = d.away, true
		if d.sliced || d.away < d.longest { // slices were left out, or it is of an archive that doesn't tell
			return e, false
		}
	case finding.GeneratorGC:
		stopped, e.sent = d.gc, true
	case finding.Steal:
		if stopped = d.steal; !d.apart {
			e.stolen = d.steal
		}
	case finding.OtherLoad:
		stopped, e.stolen = d.others, d.others
		if d.blind {
			return e, false
		}
	default:
		return e, false
	}
	t, n := float64(d.length), float64(d.responses)
	s := float64(stopped)
	if s <= 0 || s > mostStopped*t {
		return e, false
	}
	if !d.open {
		e.share = s / t
		e.mean = float64(d.connections) * s / n // all connections wait
		e.beyond = func(x float64) float64 { return e.mean / x }
		return e, true
	}
	longer, ok := d.backlog()
	if !ok {
		return e, false
	}
	due := s/t + 2*math.Sqrt(s/t/n) // two standard deviations of how many arrivals fall into it
	usual := d.clocks[measure.Response].mean()
	e.share = due * longer
	e.mean = due * (usual + s/2) * longer
	e.beyond = func(x float64) float64 { return min(e.mean/x, due*(1+usual/x)*longer) }
	return e, true
}

// backlog is how many times as long as a stop it takes until the last request is gone that
// was late by it.
func (d *disturbed) backlog() (times float64, ok bool) {
	busy, ok := d.busyShare()
	return 1 / (1 - busy), ok && busy <= mostBusy && d.clocks[measure.Response] != nil
}

// bound is what a finding can have made of a metric of the trial.
func (d *disturbed) bound(name finding.Name, metric string) (b bound, ok bool) {
	if metric == "executable" || metric == "size" {
		return unchanged, true
	}
	e, ok := d.effectOf(name)
	if !ok || e.share >= mostStopped {
		return b, false
	}
	b = within(e.share)
	switch metric {
	case "throughput", "allocs", "alloc.bytes":
		return b, true
	case "cpu":
		// Such a share of the requests came in bunches or between others' work. That spares or
		// takes system calls and switches: no more than all of a request's, or as many again.
		share := max(e.share, e.bunched)
		if p := &d.process; !p.unsplit && p.cpu > 0 {
			share *= min(float64(p.sys)/float64(p.cpu), 1)
		}
		return within(share).without(e.stolen, d.process.cpu)
	case "cpu.user":
		return b.without(e.stolen, d.process.user)
	case "cpu.sys":
		return b.without(e.stolen, d.process.sys)
	}
	return d.boundOfTime(&e, metric)
}

// within is the bound where a share of the requests was affected: each by anything from nothing to twice as much.
func within(share float64) bound { return bound{1 - share, 1 / (1 - share)} }

// without is the bound if a time may be in the CPU time that isn't the subject's.
func (b bound) without(stolen, of time.Duration) (bound, bool) {
	if of <= 0 {
		return b, false
	}
	b.low -= float64(stolen) / float64(of)
	return b, b.low >= leastLeft
}

// boundOfTime is that of a mean or quantile of response, service or first byte.
//
// Where requests take longer by e on average, no more than the share e/x takes longer by more
// than x (Markov): the quantile p was at least that of p − e/x less x, for any x.
func (d *disturbed) boundOfTime(e *effect, metric string) (b bound, ok bool) {
	clock, what, _ := strings.Cut(metric, ".")
	var s *steps
	switch clock {
	case "response":
		s = d.clocks[measure.Response]
	case "service":
		s = d.clocks[measure.Service]
	case "first_byte":
		s = d.clocks[measure.FirstByte]
	}
	if s == nil || d.untold {
		return b, false
	}
	both := e.either || e.sent && clock != "response" // sent on time a request may have had to wait
	if what == "mean" {
		b = bound{1 - e.mean/s.mean(), 1}
		if both {
			b.high = 1 + e.mean/s.mean()
		}
		b.high *= longer(e.relieved)
		return b, b.low >= leastLeft
	}
	percent, err := strconv.ParseFloat(strings.TrimPrefix(what, "p"), 64)
	if err != nil || !strings.HasPrefix(what, "p") {
		return b, false
	}
	p := percent / 100
	at := s.quantile(p)
	low, high := 0.0, math.Inf(1)
	for x := at / 1000; x < at; x *= 1.2 {
		share := e.beyond(x)
		if share < p {
			low = max(low, s.quantile(p-share)-x)
		}
		if p+share < 1 {
			high = min(high, s.quantile(p+share)+x)
		}
	}
	b = bound{low / at, 1}
	if both {
		b.high = high / at
	}
	b.high *= longer(e.relieved)
	return b, b.low >= leastLeft && !math.IsInf(b.high, 1)
}

// steps is a distribution as its steps: of so many values, the share up to each.
type steps struct {
	value, share []float64 // ns, ascending
	average      float64
}

func stepsOf(h *hdrhistogram.Histogram) *steps {
	s := &steps{average: h.Mean()}
	sum, all := int64(0), float64(h.TotalCount())
	for _, bar := range h.Distribution() {
		if bar.Count > 0 {
			sum += bar.Count
			s.value, s.share = append(s.value, float64(bar.To)), append(s.share, float64(sum)/all)
		}
	}
	return s
}

func (s *steps) mean() float64 { return s.average }

// quantile is the least value that at least the share p does not exceed.
func (s *steps) quantile(p float64) float64 {
	i, _ := slices.BinarySearch(s.share, p-1e-12)
	return s.value[min(i, len(s.value)-1)]
}

// above is the share of values above x.
func (s *steps) above(x float64) float64 {
	i, _ := slices.BinarySearch(s.value, x)
	if i == 0 {
		return 1
	}
	return 1 - s.share[i-1]
}
