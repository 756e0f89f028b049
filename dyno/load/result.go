package load

import (
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/internal/engine"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
)

// Result is what a load came to.
type Result struct {
	Engine  string           // "uring", "epoll" or "portable"
	Start   int64            // CLOCK_MONOTONIC at the start of the measured time, ns
	Windows []measure.Window // in order, warm-up first
	// Total sums the measured windows that are not invalid: Length, InFlight as the mean
	// over them, what they sent and received. What became of requests is that of all
	// arrivals due in these windows, whenever it came: see [measure.Window.Booked].
	Total measure.Window
	// All sums all measured windows, also those that are invalid, by the same books. Its
	// counts are of all that was sent; its times are no measurement of the service if
	// something was found against it, and are shown as such.
	All         measure.Window
	Calibration *measure.Calibration // as in the spec; nil if there was none
	Idle        *measure.Idle        // as in the spec
	Counts      *Counts              // of the server against ours; nil if it has none
	Interrupted bool                 // ended by its context before its time
	Drain       time.Duration        // how long it waited at most, after the end, for what was due by then
	Validity    finding.Validity
	Findings    []finding.Finding
	// FirstErrors holds one example per kind of error that occurred, such as
	// "connection refused".
	FirstErrors map[string]i18n.Message
	// Failures are a few failed requests of each kind, in the order they
	// happened: the first ones, and some of the others.
	Failures []measure.Failure

	// Unit is what is counted as completed: "requests", "messages" or "events".
	Unit string
	// Causes are errors by names that are finer than their kinds, such as the statuses
	// that WebSockets were closed with, over the whole load; the most frequent first.
	Causes []measure.Cause

	// Location is where the first redirect led, without its query; empty if there was
	// none.
	Location string
	// Allowed is the least number of streams that the server allowed on a connection,
	// if that was fewer than configured (Limited).
	Allowed int
	Limited bool
	// Requests has one for each kind of request, in order, of a mix of 2 to 32
	// kinds.
	Requests []measure.RequestResult

	// Outside is what became of arrivals that count in windows that don't; it is in Total.
	Outside measure.Window

	whole             whole // of All
	measured, leftOut int
	out               map[int]bool // windows that are left out
	outside           measure.Durations
	little            littleSums
	seconds           seconds
	early             *early             // nil if windows count as they come
	unsteady          []finding.Finding  // of the windows together
	breakdown         *measure.Breakdown // of Total; nil if there is no window
	windowFindings    []finding.Finding
	durations         measure.Durations // of Total
	planned           *planFold         // nil for a closed loop
	arrivals          []arrivalBatch
}

// Throughput is the measured rate of complete responses, in requests per second.
func (r *Result) Throughput() float64 { return r.Total.Throughput() }

// CPUPerRequest is the generator's own CPU time per completed request, without
// what it spent polling for arrivals to come due.
func (r *Result) CPUPerRequest() time.Duration {
	if r.Total.Completed == 0 {
		return 0
	}
	return r.Total.Worked() / time.Duration(r.Total.Completed)
}

// Responded reports whether any request got a response, also in windows that are in no
// figure.
func (r *Result) Responded() bool {
	for i := range r.Windows {
		if w := &r.Windows[i]; w.Completed+w.Drained+w.Errors.Wrong() > 0 {
			return true
		}
	}
	return false
}

// add takes the next window, and what it is made of.
func (r *Result) add(w measure.Window, p *partial, spec *Spec) {
	planned := r.planned.pass(&w)
	itself := !w.Warmup() && w.Validity() != finding.Invalid
	if !w.Warmup() {
		r.measured++
		r.windowFindings = append(r.windowFindings, w.Findings...)
		if !itself {
			r.leftOut++
			r.markOut(w.Index)
		}
	}
	if r.breakdown == nil {
		r.breakdown = measure.NewBreakdown(len(p.breakdown.Kinds))
	}
	open := itself && r.isEarly(w.Index)
	switch {
	case open:
		r.early.add(&w, p, planned)
	case itself:
		r.count(&w, p, planned)
		r.little.add(&w)
	}
	if itself {
		r.seconds.add(&w)
	}
	for _, part := range p.parts {
		part.Statuses, part.Codes = part.Breakdown.ByStatus(), part.Breakdown.ByCode()
		if open || r.isEarly(part.Index) {
			r.early.addPart(part, w.Index)
		} else {
			r.addPart(part, itself)
		}
	}
	r.whole.add(&w, p)
	if spec.DropHistograms {
		w.Hist, w.Waited = measure.Window{}.Hist, measure.Window{}.Waited
	} else {
		for _, part := range p.parts {
			if spec.KeepParts || open || r.isEarly(part.Index) || r.counts(part.Index) != itself {
				w.Parts = append(w.Parts, windowOf(part))
			}
		}
	}
	r.Windows = append(r.Windows, w)
}

// count adds a window that counts to the totals.
func (r *Result) count(w *measure.Window, p *partial, planned float64) {
	r.Total.Add(w)
	r.durations.Add(&p.durations)
	r.breakdown.Add(p.breakdown)
	r.planned.add(w, &p.durations, planned)
}

// markOut notes that a window is left out.
func (r *Result) markOut(window int) {
	if r.out == nil {
		r.out = make(map[int]bool)
	}
	r.out[window] = true
}

// counts reports whether arrivals that were due in a window count, which has come.
func (r *Result) counts(window int) bool { return window >= 0 && !r.out[window] }

// addPart takes what became of arrivals of an earlier window in one that counts itself,
// or is left out.
func (r *Result) addPart(p *engine.Part, itself bool) {
	switch counts := r.counts(p.Index); {
	case counts == itself:
	case itself:
		r.Total.Leave(&p.Window)
		r.durations.Sub(&p.Durations)
		r.breakdown.Leave(p.Breakdown)
	default:
		r.Total.Keep(&p.Window)
		r.Outside.Keep(&p.Window)
		r.durations.Add(&p.Durations)
		r.outside.Add(&p.Durations)
		r.breakdown.Keep(p.Breakdown)
		r.planned.keep(p)
	}
}

// windowOf is a part with its histograms.
func windowOf(p *engine.Part) measure.Window {
	w := p.Window
	p.Durations.Histograms(&w)
	return w
}

// requestResults makes the results of the kinds of requests, in the order of the mix.
func (r *Result) requestResults(requests []request.Request) []measure.RequestResult {
	var list []measure.RequestResult
	for i := range r.breakdown.Kinds {
		k := &r.breakdown.Kinds[i]
		one := measure.RequestResult{Name: requests[i].Name, Total: k.Window(), All: r.whole.breakdown.Kinds[i].Window()}
		one.Total.Length, one.All.Length = r.Total.Length, r.All.Length
		list = append(list, one)
	}
	return list
}

// seal makes the totals' histograms. No window is added after it.
func (r *Result) seal() {
	r.durations.Histograms(&r.Total)
	r.All = r.whole.total
	r.whole.durations.Histograms(&r.All)
	r.outside.Histograms(&r.Outside)
	r.planned.seal()
}
