package load

import (
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/internal/i18n"
)

// Thresholds of the findings below; dyno/docs/findings.md explains them.
const (
	stallInvalid  = 100 * time.Millisecond
	generatorFull = 0.95  // share of the loops' CPUs
	generatorLate = 0.01  // of the arrivals
	rateMissed    = 0.01  // of the planned rate
	resentSuspect = 0.001 // of the requests
	littleMissed  = 0.01  // of the mean number in flight
	errorsSuspect = 0.005 // of the responses: half of 1 %, so that one in a hundred is always named
	errorsInvalid = 0.10
	wrongSuspect  = 0.001 // of the responses
	wrongInvalid  = 0.01
)

// judgeWindow names what speaks against one window.
func judgeWindow(w *measure.Window, spec *Spec) []finding.Finding {
	var found []finding.Finding
	add := func(name finding.Name, level finding.Validity, detail i18n.Message) {
		found = append(found, finding.Finding{Name: name, Validity: level, Detail: detail, Windows: []int{w.Index}})
	}
	switch {
	case w.Stall >= stallInvalid:
		add(finding.GeneratorStalled, finding.Invalid, i18n.New("load.blind-too-long", "%s (limit %v): it could neither send on time nor see responses", awayFor(w), stallInvalid))
	case w.Stall >= measure.StallSuspect:
		add(finding.GeneratorStalled, finding.Suspect, i18n.New("load.limit", "%s (limit %v)", awayFor(w), measure.StallSuspect))
	}
	if share := generatorCPUs(w) / float64(spec.cpus()); share >= generatorFull {
		add(finding.GeneratorFull, finding.Suspect, i18n.New("load.loops-near-full", "the load loops used %.0f %% of their %d CPUs (limit %.0f %%): the generator may be the bottleneck", 100*share, spec.cpus(), 100*generatorFull))
	}
	if w.Late > 0 && float64(w.Late) >= generatorLate*float64(w.Offered) {
		add(finding.GeneratorLate, finding.Suspect, i18n.New("load.arrivals-late", "%d of %d arrivals were taken up more than %v late (limit %.0f %%)", w.Late, w.Offered, measure.LateAfter, 100*generatorLate))
	}
	if float64(w.Resent) > resentSuspect*float64(w.Sent)+1 {
		add(finding.Retransmits, finding.Suspect, i18n.New("load.segments-resent", "%d TCP segments were sent again on the load's own connections (limit %.1f %% of the %d requests)", w.Resent, 100*resentSuspect, w.Sent))
	}
	judgeHealth(w.Health, w.Length, add)
	if w.Shed > 0 {
		add(finding.Shed, finding.Suspect, i18n.New("load.arrivals-given-up", "%d arrivals were given up, for which no connection was free (or, if they may wait, no room in the backlog): quantiles above them are lower bounds", w.Shed))
	}
	return found
}

// awayFor says for how long a loop did not run and, if known,
// why.
func awayFor(w *measure.Window) i18n.Message {
	away := w.Stall.Round(time.Millisecond)
	if 2*w.Busy < w.Stall {
		return i18n.New("load.loop-away", "a load loop was away for %v", away)
	}
	return i18n.New("load.loop-away-at-work", "a load loop was away for %v, at work with what had come (%.3g MB of responses in this window): more --threads share that", away, float64(w.BytesIn)/1e6)
}

// generatorCPUs returns how many CPUs the loops used for work: polling for the
// next arrival to come due is idling.
func generatorCPUs(w *measure.Window) float64 {
	if w.Length <= 0 {
		return 0
	}
	return float64(w.Worked()) / float64(w.Length)
}

// judge finds what is wrong with the whole load.
func (r *Result) judge(spec *Spec) {
	add := func(name finding.Name, level finding.Validity, detail i18n.Message) {
		r.Findings = append(r.Findings, finding.Finding{Name: name, Validity: level, Detail: detail})
	}
	r.Findings = append(r.Findings, finding.Merge(r.windowFindings, r.measured)...)
	t := &r.Total
	if responses := t.Right() + t.Errors.Total(); responses > 0 {
		share := float64(t.Errors.Total()) / float64(responses)
		switch {
		case share > errorsInvalid:
			add(finding.Errors, finding.Invalid, i18n.New("load.mostly-failed", "%.2f %% of %d requests failed (limit %.0f %%): this is not the service's work that was measured", 100*share, responses, 100*errorsInvalid))
		case share > errorsSuspect:
			add(finding.Errors, finding.Suspect, i18n.New("load.requests-failed-limit", "%.2f %% of %d requests failed (limit %.1f %%)", 100*share, responses, 100*errorsSuspect))
		}
		judgeResponses(&t.Errors, responses, add)
	}
	r.judgeRedirects(spec, add)
	if f, found := r.Idle.Finding(); found {
		r.Findings = append(r.Findings, f)
	}
	if r.planned != nil && !r.Interrupted {
		if missed, where := r.planned.missed(t); !missed.IsZero() {
			add(finding.RateMissed, finding.Suspect, i18n.Format("%s: %s", missed, r.limitedBy(spec, where)))
		}
	}
	if t.Unfinished > 0 && !r.Interrupted {
		add(finding.Unfinished, finding.Suspect, i18n.New("load.unfinished-at-end", "%d requests had no response when the load had been over for %v, the oldest after %v: quantiles above them are lower bounds", t.Unfinished, spec.drain(), oldest(t).Round(time.Millisecond)))
	}
	if r.Limited {
		add(finding.StreamLimit, finding.Valid, i18n.New("load.server-limits-streams", "the server allows %d streams on a connection (SETTINGS_MAX_CONCURRENT_STREAMS), fewer than the %d asked for: requests beyond waited for one to end, which is in their response times and lag", r.Allowed, spec.Link.Streams))
	}
	r.judgeMessages(spec, add)
	r.judgeLittle(add)
	r.judgeArrivals(spec)
	r.judgeCalibration(spec)
	r.Findings = append(r.Findings, r.unsteady...)
	if len(r.Windows) > 0 && r.measured == r.leftOut {
		add(finding.NoValidWindow, finding.Invalid, i18n.New("load.no-valid-window", "none of the %d measured windows is valid", r.measured))
	}
	finding.Accept(r.Findings, spec.Accept)
	r.Validity = finding.Worst(r.Findings)
}

// judgeResponses says if responses came that were not what they had to be. A status
// that was not expected is a refusal, and counts among the errors only.
func judgeResponses(e *measure.Errors, responses uint64, add func(finding.Name, finding.Validity, i18n.Message)) {
	wrong := e.Expect + e.Body
	level, limit := finding.Suspect, wrongSuspect
	switch share := float64(wrong) / float64(responses); {
	case wrong == 0:
		return
	case share >= wrongInvalid:
		level, limit = finding.Invalid, wrongInvalid
	case share < wrongSuspect:
		level = finding.Valid
	}
	add(finding.WrongResponses, level, i18n.New("load.wrong-responses", "%d of %d responses were not what they had to be (limit %.1f %%)", wrong, responses, 100*limit))
}

// oldest is how long the request took at least that was given up after the longest
// time.
func oldest(w *measure.Window) time.Duration {
	if h := w.Waited[measure.Response]; h != nil {
		return time.Duration(h.Max())
	}
	return 0
}
