package load

import (
	"fmt"
	"time"

	"dyno/lab/load/measure"
)

// limitedBy says what kept an open loop from its rate in the windows that t is the sum
// of. The generator comes first: one that is at its limit sees responses late, so that
// connections look busy too.
func (r *Result) limitedBy(spec *Spec, t *measure.Window) string {
	planned := spec.Profile.TopRate()
	switch c := spec.Calibration; {
	case c != nil && c.Beyond(&spec.Profile):
		return fmt.Sprintf("the generator itself reaches %.0f on this machine; use more --threads, other --cpus or a lower rate", c.Ceiling)
	case generatorCPUs(t) >= generatorFull*float64(spec.cpus()):
		return fmt.Sprintf("the generator's %d CPUs were full; use more --threads, or CPUs of its own", spec.cpus())
	case t.Errors.Connect > 0 && float64(t.Errors.Total()) > errorsInvalid*float64(t.Sent):
		return fmt.Sprintf("%d attempts to connect failed (%s)", t.Errors.Connect, r.FirstErrors["connect"])
	case float64(t.Errors.Total()) > errorsInvalid*float64(t.Sent):
		return fmt.Sprintf("%d of %d requests failed, each holding or closing its connection", t.Errors.Total(), t.Sent)
	case t.Unfinished > 0 || t.InFlight >= 0.9*float64(spec.Profile.Connections):
		return fmt.Sprintf("all %d connections were waiting for answers; more connections or a faster server are needed%s", spec.Profile.Connections, r.needed(planned))
	case float64(t.Late) > generatorLate*float64(t.Offered):
		return fmt.Sprintf("%d of %d arrivals were taken up more than %v late: the generator did not get to run in time (longest stall %v)", t.Late, t.Offered, measure.LateAfter, t.Stall.Round(time.Millisecond))
	}
	return "the generator could not keep up"
}

// needed estimates, by Little's law, how many connections the rate takes at the
// service time that was seen.
func (r *Result) needed(rate float64) string {
	h := r.Total.Hist[measure.Service]
	if h == nil || h.TotalCount() == 0 {
		return ""
	}
	return fmt.Sprintf(" (%.0f requests/s × %v of service are %.0f in flight)", rate, time.Duration(h.Mean()).Round(10*time.Microsecond), rate*h.Mean()/1e9)
}
