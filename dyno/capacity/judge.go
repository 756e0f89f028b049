package capacity

import (
	"math"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/objective"
	"dyno.example/internal/i18n"
)

// Findings by which a measurement says that the generator, or the machine under
// it, was in the way; dyno/docs/findings.md explains them. The first group is a limit
// that will be there again, the second comes and goes.
var (
	limits       = []finding.Name{finding.GeneratorFull, finding.BeyondCeiling}
	disturbances = []finding.Name{finding.GeneratorStalled, finding.GeneratorLate, finding.GeneratorGC, finding.Steal, finding.Suspended, finding.Little, finding.OtherLoad, finding.CPUSpeed}
)

// judge turns the result of a load into what it says about the service.
func judge(o *objective.Objective, r *load.Result, p *profile.Profile) Trial {
	t := describe(r, p)
	outcome := judgeWindows(o, r, r.Windows)
	t.Measured, t.Terms = outcome.Text, termsOf(&outcome)
	t.Disturbed = disturbing(r)
	limited, disturbed := named(r.Findings, limits), proven(t.Disturbed, r.Windows)
	missed := named(r.Findings, []finding.Name{finding.RateMissed})
	leftOut, measured, _ := r.LeftOut()
	switch v := outcome.Decision(); {
	case leftOut == measured:
		t.spoil(i18n.New("capacity.no-usable-window", "no window can be used: %s", details(invalid(r.Findings))))
		t.Useless = true
	case r.Total.Offered == 0:
		t.spoil(i18n.New("capacity.no-request-due", "no request was due in so short a trial"))
		t.Short = true
	case v == objective.Unknown && tooFew(&outcome) != 0:
		t.spoil(i18n.New("capacity.too-few-requests", "too few requests for this objective, which takes %d; lengthen --trial: %s", tooFew(&outcome), outcome.Text))
		t.Short = true
	case (v != objective.Holds || missed != nil) && limited != nil:
		t.spoil(details(limited))
		t.Limited = true
	case missed != nil && disturbed != nil && !t.Busy:
		t.spoil(details(disturbed))
	case v == objective.Holds && missed != nil:
		t.Decision, t.Why = Fails, details(missed)
	case v == objective.Holds:
		t.Decision = Holds
	default:
		t.blame(o, r, &outcome)
	}
	return t
}

// tooFew is how many requests the objective takes, if all that keeps it from being
// decided is that there were fewer; else 0.
func tooFew(outcome *objective.Outcome) uint64 {
	most := uint64(0)
	for _, r := range outcome.Readings {
		if r.Decision == objective.Unknown && r.Needs == 0 {
			return 0
		}
		most = max(most, r.Needs)
	}
	return most
}

// invalid picks the findings that leave windows out, but for the one that none is
// left.
func invalid(found []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f finding.Finding) bool { return f.Weight() != finding.Invalid || f.Name == finding.NoValidWindow })
}

func (t *Trial) spoil(why i18n.Message) { t.Decision, t.Why = Spoiled, why }

// blame decides whether it was the service that failed: it was if it also fails
// by the windows in which nothing happened to the generator that could explain
// it.
func (t *Trial) blame(o *objective.Objective, r *load.Result, outcome *objective.Outcome) {
	t.Decision = Fails
	if outcome.Decision() == objective.Unknown {
		t.Why = i18n.New("capacity.not-shown-to-hold", "it can't be shown to hold: %s", outcome.Text)
	}
	if slower := named(r.Findings, []finding.Name{finding.CPUSpeed}); slower != nil {
		t.spoil(details(slower)) // it concerns all windows
		return
	}
	excess := excessOf(outcome, t.GivenUp)
	var clean []measure.Window
	var disturbed []finding.Finding
	for i := range r.Windows {
		w := &r.Windows[i]
		if found := disturbance(w, excess); found != nil {
			disturbed = append(disturbed, found...)
		} else {
			clean = append(clean, *w)
		}
	}
	if disturbed == nil {
		return
	}
	if again := judgeWindows(o, r, clean); len(clean) == 0 || again.Decision() == objective.Holds {
		t.spoil(details(disturbed))
	}
}

// disturbance returns what befell the generator in a window and may be why responses
// seemed late by the excess. A generator that was away for a moment sees responses
// later by that moment, and by as long again until it has caught up; it is no excuse
// for more.
func disturbance(w *measure.Window, excess time.Duration) []finding.Finding {
	if w.Warmup() || w.Validity() == finding.Invalid {
		return nil
	}
	var found []finding.Finding
	for _, f := range proven(named(w.Findings, append(slices.Clone(limits), disturbances...)), []measure.Window{*w}) {
		away := f.Name == finding.GeneratorStalled || f.Name == finding.GeneratorLate || f.Name == finding.GeneratorGC
		if !away || 2*w.Stall >= excess {
			found = append(found, f)
		}
	}
	return found
}

// excessOf is by how much the worst of the failing terms is beyond its limit; the
// longest there is for terms that aren't times, which no stall explains.
func excessOf(outcome *objective.Outcome, givenUp uint64) time.Duration {
	excess := time.Duration(0)
	for _, r := range outcome.Readings {
		limit, isTime := timeLimit(&r.Condition)
		switch {
		case r.Decision == objective.Fails && isTime:
			excess = max(excess, time.Duration(math.Abs(r.Low-float64(limit))))
		case r.Decision == objective.Fails, r.Decision == objective.Unknown && givenUp > 0:
			return math.MaxInt64
		}
	}
	return excess
}

// timeLimit returns the limit of a condition on a time.
func timeLimit(c *objective.Condition) (time.Duration, bool) {
	d, err := time.ParseDuration(c.Limit.String())
	return d, err == nil && c.Limit.Unit != ""
}

// judgeWindows judges some of a result's windows, or all of them.
func judgeWindows(o *objective.Objective, r *load.Result, windows []measure.Window) objective.Outcome {
	if o.Windows > 0 {
		return o.JudgeWindows(windows)
	}
	if len(windows) == len(r.Windows) {
		return o.Judge(&r.Total)
	}
	return o.Judge(merge(windows))
}

// merge sums up the measured windows that are valid, with their histograms.
func merge(windows []measure.Window) *measure.Window {
	var total measure.Window
	for i := range windows {
		w := &windows[i]
		if w.Warmup() || w.Validity() == finding.Invalid {
			continue
		}
		total.Add(w)
		for clock := range measure.NumClocks {
			addTo(&total.Hist[clock], w.Hist[clock])
			addTo(&total.Waited[clock], w.Waited[clock])
		}
	}
	return &total
}

// addTo adds a histogram to one that is made with the first.
func addTo(into **hdrhistogram.Histogram, h *hdrhistogram.Histogram) {
	if h == nil {
		return
	}
	if *into == nil {
		*into = measure.NewHistogram()
	}
	(*into).Merge(h)
}

// named picks the findings of some names that weigh something.
func named(findings []finding.Finding, names []finding.Name) []finding.Finding {
	var found []finding.Finding
	for _, f := range findings {
		if f.Weight() != finding.Valid && slices.Contains(names, f.Name) {
			found = append(found, f)
		}
	}
	return found
}

// details puts findings into one text, each name once.
func details(findings []finding.Finding) i18n.Message {
	var texts []i18n.Message
	seen := make(map[finding.Name]bool)
	for _, f := range findings {
		if !seen[f.Name] {
			seen[f.Name] = true
			texts = append(texts, i18n.Join(string(f.Name), ": ", f.Detail))
		}
	}
	return i18n.List("; ", texts...)
}

func termsOf(outcome *objective.Outcome) []Term {
	terms := make([]Term, len(outcome.Readings))
	for i, r := range outcome.Readings {
		terms[i] = Term{Condition: r.Condition.String(), Decision: r.Decision.String(), Measured: r.Message()}
	}
	return terms
}

// busyShare of the connections, in flight on average, means that arrivals had to
// wait for one.
const busyShare = 0.9

// describe takes the figures of a result.
func describe(r *load.Result, p *profile.Profile) Trial {
	w := &r.Total
	t := Trial{
		Throughput: r.Throughput(), InFlight: w.InFlight, Errors: w.Errors, First: r.FirstErrors, Shed: w.Shed,
		GivenUp: w.GivenUp(measure.Response), Requests: w.Right(), Validity: finding.Validity(r.Level()), Accepted: accepted(r), Unsteady: unsteady(r.Findings),
		Busy: w.InFlight >= busyShare*float64(p.Connections) || w.Unfinished > 0,
	}
	if w.Length > 0 {
		t.Offered = float64(w.Offered) / w.Length.Seconds()
	}
	t.P50, _ = quantile(w, 50)
	t.P99, t.AtLeast = quantile(w, 99)
	for _, f := range r.Findings {
		if f.Validity != finding.Valid {
			t.Findings = append(t.Findings, f.Name)
		}
	}
	return t
}

// unreachable is a trial in which no connection came up.
func unreachable(o *objective.Objective, p *profile.Profile, err *request.UnreachableError) Trial {
	r := &load.Result{Validity: finding.Invalid, FirstErrors: map[string]i18n.Message{"connect": err.Why}}
	r.Total.Errors.Connect = uint64(p.Connections)
	outcome := o.Judge(&r.Total)
	t := describe(r, p)
	t.Decision, t.Measured, t.Terms = Fails, outcome.Text, termsOf(&outcome)
	t.Why = i18n.New("capacity.connect-failed", "no connection came up: %s", err.Why)
	return t
}
