package load

import (
	"time"

	"dyno/lab/finding"
	"dyno/lab/load/measure"
	"dyno/lab/load/request"
)

// Result is what a load came to.
type Result struct {
	Engine  string           // "uring", "epoll" or "portable"
	Start   int64            // CLOCK_MONOTONIC at the start of the measured time, ns
	Windows []measure.Window // in order, warm-up first
	// Total sums the measured windows that are not invalid: counts, histograms,
	// Length. Its InFlight is the mean over them.
	Total       measure.Window
	Calibration *measure.Calibration // as in the spec; nil if there was none
	Idle        *measure.Idle        // as in the spec
	Counts      *Counts              // of the server against ours; nil if it did not tell
	Interrupted bool                 // ended by its context before its time
	Drain       time.Duration        // how long it waited at most, after the end, for what was due by then
	Validity    finding.Validity
	Findings    []finding.Finding
	// FirstErrors holds one example per kind of error that occurred, such as
	// "connection refused".
	FirstErrors map[string]string
	// Failures are a few failed requests of each kind, in the order they
	// happened: the first ones, and some of the others.
	Failures []measure.Failure

	// Unit is what is counted as completed: "requests", "messages" or "events".
	Unit string
	// Causes are errors by names that are finer than their kinds, such as the statuses
	// that WebSockets were closed with, over the whole load; the most frequent first.
	Causes []measure.Cause

	// Location is where the first redirect led that was answered, without its
	// query; empty if there was none.
	Location string
	// Allowed is the least number of streams that the server allowed on a connection,
	// if that was fewer than were asked for (Limited).
	Allowed int
	Limited bool
	// Requests has one for each kind of request, in order, of a mix of 2 to 32
	// kinds.
	Requests []measure.RequestResult

	measured, leftOut int
	breakdown         *measure.Breakdown // of Total; nil if no window counts
	windowFindings    []finding.Finding
	durations         measure.Durations // of Total
	planned           *planFold         // nil for a closed loop
	arrivals          []arrivalBatch
}

// Throughput is the measured rate of complete responses, in requests per second.
func (r *Result) Throughput() float64 {
	if r.Total.Length <= 0 {
		return 0
	}
	return float64(r.Total.Completed) / r.Total.Length.Seconds()
}

// CPUPerRequest is the generator's own CPU time per completed request, without
// what it spent polling for arrivals to come due.
func (r *Result) CPUPerRequest() time.Duration {
	if r.Total.Completed == 0 {
		return 0
	}
	return (r.Total.CPUUser + r.Total.CPUSys - r.Total.Spun) / time.Duration(r.Total.Completed)
}

// Answered reports whether any request was answered, also in windows that are in
// no figure.
func (r *Result) Answered() bool {
	for i := range r.Windows {
		if w := &r.Windows[i]; w.Completed+w.Drained+w.Errors.Wrong() > 0 {
			return true
		}
	}
	return false
}

// add takes the next window.
func (r *Result) add(w measure.Window, d *measure.Durations, dropHistograms bool) {
	r.planned.pass(&w)
	if !w.Warmup() {
		r.measured++
		r.windowFindings = append(r.windowFindings, w.Findings...)
		if w.Validity() == finding.Invalid {
			r.leftOut++
		} else {
			r.Total.Add(&w)
			r.durations.Add(d)
			r.planned.add(&w, d)
		}
	}
	if dropHistograms {
		w.Hist, w.Waited = measure.Window{}.Hist, measure.Window{}.Waited
	}
	r.Windows = append(r.Windows, w)
}

// addBreakdown adds that of a window that counts.
func (r *Result) addBreakdown(b *measure.Breakdown) {
	if r.breakdown == nil {
		r.breakdown = measure.NewBreakdown(len(b.Kinds))
	}
	r.breakdown.Add(b)
}

// requestResults makes the results of the kinds of requests, in the order of the mix.
func (r *Result) requestResults(requests []request.Request) []measure.RequestResult {
	var list []measure.RequestResult
	for i := range r.breakdown.Kinds {
		k := &r.breakdown.Kinds[i]
		one := measure.RequestResult{Name: requests[i].Name, Total: k.Window()}
		one.Total.Length = r.Total.Length
		list = append(list, one)
	}
	return list
}

// seal makes the totals' histograms. No window is added after it.
func (r *Result) seal() {
	r.durations.Histograms(&r.Total)
	r.planned.seal()
}
