package capacity

import (
	"fmt"
	"math"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/objective"
	"dyno.example/internal/i18n"
)

// Overload is an experiment beyond the capacity: a rate that the service takes
// easily, then more than it can take, then the easy rate again.
type Overload struct {
	Capacity float64       `json:"capacity"`  // requests per second
	Easy     float64       `json:"easy"`      // rate before and after, as a share of the capacity
	Factor   float64       `json:"factor"`    // rate in between, times the capacity
	Before   time.Duration `json:"before_ns"` // whole seconds, as the other two
	For      time.Duration `json:"for_ns"`
	After    time.Duration `json:"after_ns"`
	// Within is how far above the baseline's response time the service may be and
	// count as recovered, as a share.
	Within float64 `json:"within"`
}

// calmWindows is for how many windows in a row a service must be back at its
// baseline to count as recovered, from the first of them on.
const calmWindows = 3

// Check reports what is wrong with the experiment, or nil.
func (o *Overload) Check() error {
	for _, d := range []time.Duration{o.Before, o.For, o.After} {
		if d <= 0 || d%time.Second != 0 {
			return fmt.Errorf("the phases must take whole seconds, as windows do, not %v", d)
		}
	}
	switch {
	case !(o.Capacity > 0) || o.Capacity*o.Factor > profile.MaxRate:
		return fmt.Errorf("the capacity, %v requests/s, and its overload must be above 0 and at most 10 million", o.Capacity)
	case !(o.Easy > 0 && o.Easy < 1):
		return fmt.Errorf("the rate before and after must be above 0 and below 100%% of the capacity, not %v%%", 100*o.Easy)
	case !(o.Factor > 1):
		return fmt.Errorf("an overload is more than 1 times the capacity, not %v times", o.Factor)
	case !(o.Within > 0):
		return fmt.Errorf("the tolerance of the baseline must be above 0, not %v", o.Within)
	case o.Before < calmWindows*time.Second || o.After < calmWindows*time.Second:
		return fmt.Errorf("the phases before and after must take at least %ds each", calmWindows)
	}
	return nil
}

// Phases is the experiment as a load's phases.
func (o *Overload) Phases() []profile.Phase {
	easy := o.Easy * o.Capacity
	return []profile.Phase{
		{Shape: profile.Constant, Rate: easy, Duration: o.Before},
		{Shape: profile.Constant, Rate: o.Factor * o.Capacity, Duration: o.For},
		{Shape: profile.Constant, Rate: easy, Duration: o.After},
	}
}

// Stretch sums up one of the phases. Rates are per second. Responses count in the
// window in which they came.
type Stretch struct {
	Windows   int     `json:"windows"`  // that are valid
	Invalid   int     `json:"invalid"`  // in no figure
	Offered   float64 `json:"offered"`  // arrivals
	Responses float64 `json:"answered"` // expected responses
	// Goodput counts the responses within the objective's limit on the response time,
	// or all where it has none.
	Goodput  float64        `json:"goodput"`
	P50      Figure         `json:"p50_ns"` // response time; lower bounds if AtLeast
	P99      Figure         `json:"p99_ns"` // of a single second, of however few requests
	AtLeast  bool           `json:"p99_at_least,omitempty"`
	Errors   measure.Errors `json:"errors"`
	Shed     uint64         `json:"shed"` // arrivals given up because no more could wait
	InFlight float64        `json:"in_flight"`
}

// Second is one window of the experiment.
type Second struct {
	At      int  `json:"second"` // from 0, when the measured time begins
	Stretch      // of that second
	Calm    bool `json:"calm"` // within the baseline
}

// Aftermath is what came of the experiment.
type Aftermath struct {
	Limit    time.Duration `json:"limit_ns,omitempty"` // on the response time, that goodput keeps; 0 if the objective has none
	Baseline Stretch       `json:"baseline"`
	During   Stretch       `json:"during"`
	After    Stretch       `json:"after"`
	// Recovered reports whether the service came back to its baseline, and Recovery
	// how long after the overload's end, in whole seconds; how long it was watched
	// if it didn't.
	// Spoiled says that the machine was disturbed so much that neither is known: no
	// second of the baseline can be used, or not half of another phase. Why names what
	// it was.
	Spoiled   bool         `json:"spoiled,omitempty"`
	Why       i18n.Message `json:"why,omitzero"`
	Recovered bool         `json:"recovered"`
	// Failing says that nothing got the expected response before the overload, so that
	// there is nothing to recover to.
	Failing   bool                    `json:"failing_before,omitempty"`
	Recovery  time.Duration           `json:"recovery_ns"`
	CalmBelow time.Duration           `json:"calm_below_ns"` // p99 of a window that counts as recovered
	Notes     []i18n.Message          `json:"notes"`
	First     map[string]i18n.Message `json:"examples,omitzero"` // of the errors, by kind
	Seconds   []Second                `json:"seconds"`
}

// Analyse reads the result of a load with the experiment's phases.
func (o *Overload) Analyse(goal *objective.Objective, r *load.Result) *Aftermath {
	a := &Aftermath{Limit: responseLimit(goal), First: r.FirstErrors, Notes: []i18n.Message{}}
	var parts [3][]measure.Window
	start, end := int(o.Before/time.Second), int((o.Before+o.For)/time.Second)
	for i := range r.Windows {
		w := &r.Windows[i]
		part := 0
		switch {
		case w.Warmup():
			continue
		case w.Index >= end:
			part = 2
		case w.Index >= start:
			part = 1
		}
		parts[part] = append(parts[part], *w)
	}
	a.Baseline, a.During, a.After = a.stretch(parts[0]), a.stretch(parts[1]), a.stretch(parts[2])
	a.Failing = a.Baseline.Windows > 0 && a.Baseline.Responses == 0
	a.recover(o, parts, end)
	a.note(r)
	if before := goal.Judge(merge(parts[0])); before.Decision() == objective.Fails && !a.Failing {
		a.Notes = append(a.Notes, i18n.New("capacity.failed-before-overload", "the objective did not hold before the overload either: %s", before.Text))
	}
	a.judge(r)
	return a
}

// judge says if too little is left for a result.
func (a *Aftermath) judge(r *load.Result) {
	for _, part := range []Stretch{a.Baseline, a.During, a.After} {
		a.Spoiled = a.Spoiled || part.Windows <= part.Invalid
	}
	if a.Spoiled {
		a.Why = i18n.New("capacity.machine-disturbed", "the machine was disturbed: %s", details(named(r.Findings, disturbances)))
	}
}

// stretch sums up windows.
func (a *Aftermath) stretch(windows []measure.Window) Stretch {
	total := merge(windows)
	s := Stretch{Errors: total.Errors, Shed: total.Shed, InFlight: total.InFlight}
	for i := range windows {
		if windows[i].Validity() == finding.Invalid {
			s.Invalid++
		} else {
			s.Windows++
		}
	}
	if seconds := total.Length.Seconds(); seconds > 0 {
		s.Offered, s.Responses, s.Goodput = float64(total.Offered)/seconds, float64(total.Completed)/seconds, float64(a.good(total))/seconds
	}
	s.P50, _ = quantile(total, 50)
	s.P99, s.AtLeast = quantile(total, 99)
	return s
}

// second sums up a single window. It has a p99 of however few requests, so that seconds
// can be held to each other.
func (a *Aftermath) second(w *measure.Window) Stretch {
	s := a.stretch([]measure.Window{*w})
	if s.Windows > 0 && w.Timed(measure.Response) > 0 {
		ns, known := w.Quantile(measure.Response, 99)
		s.P99, s.AtLeast = Figure(ns), !known
	}
	return s
}

// good counts the responses of a window that were as expected and in time.
func (a *Aftermath) good(w *measure.Window) uint64 {
	h := w.Hist[measure.Response]
	if a.Limit == 0 || h == nil {
		return w.Completed
	}
	n := uint64(0)
	for _, bar := range h.Distribution() {
		if bar.To <= int64(a.Limit) {
			n += uint64(bar.Count)
		}
	}
	return min(n, w.Completed)
}

// responseLimit is the tightest limit that an objective sets to the response
// time; 0 if it sets none.
func responseLimit(goal *objective.Objective) time.Duration {
	limit := time.Duration(0)
	for i := range goal.Conditions {
		c := &goal.Conditions[i]
		d, isTime := timeLimit(c)
		upper := c.Op == objective.Less || c.Op == objective.LessEq
		if isTime && upper && c.Metric.Figure == "p" && c.Metric.Clock == measure.Response && (limit == 0 || d < limit) {
			limit = d
		}
	}
	return limit
}

// errorSlack is the share of failed requests above the baseline's that a calm
// window may have.
const errorSlack = 0.01

// recover finds the first of three calm windows after the overload. What is
// normal for the service is what its worst second before the overload was.
// Invalid windows neither count nor interrupt.
func (a *Aftermath) recover(o *Overload, parts [3][]measure.Window, end int) {
	normal, failing := 0.0, 0.0
	for i := range parts[0] {
		s := a.second(&parts[0][i])
		failing = max(failing, s.failing())
		if s.P99.Exists() {
			normal = max(normal, float64(s.P99))
		}
	}
	calmBelow := normal*(1+o.Within) + float64(calmSlack)
	a.CalmBelow = time.Duration(calmBelow)
	calm, since := 0, 0
	for part, windows := range parts {
		for i := range windows {
			s := Second{At: windows[i].Index, Stretch: a.second(&windows[i])}
			s.Calm = s.Windows > 0 && s.Responses > 0 && !s.AtLeast && float64(s.P99) <= calmBelow && s.failing() <= failing+errorSlack
			a.Seconds = append(a.Seconds, s)
			if part < 2 || s.Windows == 0 || a.Recovered {
				continue
			}
			if !s.Calm {
				calm = 0
				continue
			}
			if calm++; calm == 1 {
				since = s.At
			}
			a.Recovered = calm == calmWindows
		}
	}
	a.Recovery = o.After
	if a.Recovered {
		a.Recovery = time.Duration(since-end) * time.Second
	}
}

// failing is the share of requests that failed or were given up.
func (s *Stretch) failing() float64 {
	lost := float64(s.Errors.Total() + s.Shed)
	return lost / math.Max(1, lost+s.Responses*float64(max(1, s.Windows)))
}

// note says what to keep in mind.
func (a *Aftermath) note(r *load.Result) {
	add := func(detail i18n.Message) {
		a.Notes = append(a.Notes, detail)
	}
	limited, missed := named(r.Findings, limits), named(r.Findings, []finding.Name{finding.RateMissed})
	switch {
	case limited != nil:
		add(i18n.New("capacity.generator-limited", "the generator was at its limit, so that less may have been offered: %s", details(limited)))
	case missed != nil:
		add(i18n.New("capacity.arrivals-held-back", "arrivals waited at the client, so that the server did not get them all: %s", details(missed)))
	}
	if n := a.Baseline.Invalid + a.During.Invalid + a.After.Invalid; n > 0 {
		add(i18n.New("capacity.seconds-left-out", "%d of %d seconds are in no figure, for the generator was disturbed", n, len(a.Seconds)))
	}
	if a.Limit == 0 {
		add(i18n.New("capacity.objective-without-time", "the objective has no limit on the response time: goodput counts every response"))
	}
	if a.Baseline.Windows == 0 {
		add(i18n.New("capacity.baseline-unusable", "no second of the baseline can be used: recovery can't be told"))
	}
}
