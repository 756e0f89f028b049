package load

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno.example/dyno/load/measure"
	"dyno.example/internal/i18n"
)

// limitedBy says what kept an open loop from its rate in the windows that t sums up.
// The generator comes first: at its limit it sees responses late, so that connections
// look busy too.
func (r *Result) limitedBy(spec *Spec, t *measure.Window) i18n.Message {
	planned := spec.Profile.TopRate()
	switch c := spec.Calibration; {
	case c != nil && c.Beyond(&spec.Profile):
		return i18n.New("load.generator-ceiling", "the generator itself reaches %.0f on this machine; use more --threads, other --cpus or a lower rate", c.Ceiling)
	case generatorCPUs(t) >= generatorFull*float64(spec.cpus()):
		return i18n.New("load.generator-cpus-full", "the generator's %d CPUs were full; use more --threads, or CPUs of its own", spec.cpus())
	case t.Errors.Connect > 0 && float64(t.Errors.Total()) > errorsInvalid*float64(t.Sent):
		return i18n.New("load.attempts-connect-failed", "%d attempts to connect failed (%s)", t.Errors.Connect, r.FirstErrors["connect"])
	case float64(t.Errors.Total()) > errorsInvalid*float64(t.Sent):
		return i18n.New("load.failures-cost-connections", "%d of %d requests failed, each holding or closing its connection", t.Errors.Total(), t.Sent)
	case r.connecting() > connectingShare:
		return i18n.New("load.waited-for-connects", "requests waited for connections to be made, which took %v on average (connect p99 is in the figures): the server accepts them slowly, or its queue of connections is full", time.Duration(r.Total.Hist[measure.Connect].Mean()).Round(10*time.Microsecond))
	case t.Unfinished > 0 || t.InFlight >= 0.9*float64(spec.Profile.Connections):
		return i18n.New("load.connections-all-waiting", "all %d connections were waiting for responses; more connections or a faster server are needed%s", spec.Profile.Connections, r.needed(planned, spec.Profile.Connections))
	case float64(t.Late) > generatorLate*float64(t.Offered):
		return i18n.New("load.arrivals-late-by-stall", "%d of %d arrivals were taken up more than %v late: the generator did not get to run in time (longest stall %v)", t.Late, t.Offered, measure.LateAfter, t.Stall.Round(time.Millisecond))
	}
	return i18n.New("load.generator-fell-behind", "the generator could not keep up")
}

// connectingShare of the time that requests were in flight, spent making connections, is
// where these hold up the load.
const connectingShare = 0.5

// connecting is the share of the time that requests were in flight, all together, in which
// connections were made.
func (r *Result) connecting() float64 {
	spent := 0.0
	for _, h := range []*hdrhistogram.Histogram{r.Total.Hist[measure.Connect], r.Total.Waited[measure.Connect]} {
		if h != nil {
			spent += h.Mean() * float64(h.TotalCount())
		}
	}
	if flown := r.Total.InFlight * float64(r.Total.Length); flown > 0 && r.Total.Timed(measure.Connect) > 0 {
		return spent / flown
	}
	return 0
}

// needed estimates, by Little's law, how many connections the rate takes at the
// service time that was seen. Where these are fewer than there were, something else held
// the requests up, and it says nothing.
func (r *Result) needed(rate float64, connections int) i18n.Message {
	h := r.Total.Hist[measure.Service]
	if h == nil || h.TotalCount() == 0 {
		return i18n.Message{}
	}
	if rate*h.Mean()/1e9 < float64(connections) {
		return i18n.Message{}
	}
	return i18n.New("load.requests-in-flight", " (%.0f requests/s × %v of service are %.0f in flight)", rate, time.Duration(h.Mean()).Round(10*time.Microsecond), rate*h.Mean()/1e9)
}
