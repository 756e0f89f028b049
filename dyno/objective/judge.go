package objective

import (
	"math"
	"strings"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/internal/i18n"
)

// Decision is what a measurement says about an objective or condition.
type Decision int

// The three decisions. Unknown is that of a measurement that can't tell: nothing
// was measured, or only a bound is known that leaves both possible.
const (
	Unknown Decision = iota
	Holds
	Fails
)

func (v Decision) String() string { return [...]string{"unknown", "holds", "fails"}[v] }

// Reading is a condition with what was measured.
type Reading struct {
	Condition Condition
	Decision  Decision
	// The metric lies from Low to High: ns, shares from 0 to 1, per second or a
	// count. They differ where requests were given up, whose times are unknown: of a
	// time High is then infinite, as it is for a percentile that takes more requests.
	// Both are NaN if nothing was measured.
	Low, High float64
	// Needs is how many requests a percentile takes, if there were fewer; else 0.
	Needs uint64
	// In the windowed form: in how many windows the condition holds, fails and
	// is unknown; Low and High are those of the worst window.
	Holding, Failing, Undecided int

	why i18n.Message // why nothing was measured, or only a bound is known
}

// Outcome is what a measurement says about an objective.
type Outcome struct {
	Holds bool // true only if Known
	Known bool // false: the measurement can't decide
	// Readings has one for each condition, in order.
	Readings []Reading
	// Text says in one line what was measured and, if it is not known, why.
	Text i18n.Message
}

// Decision is Holds and Known in one.
func (o *Outcome) Decision() Decision {
	switch {
	case !o.Known:
		return Unknown
	case o.Holds:
		return Holds
	}
	return Fails
}

// Judge judges one window, or the Total of a result, by the conditions. It
// doesn't ask whether the measurement is valid; [Objective.JudgeResult] does.
func (o *Objective) Judge(w *measure.Window) Outcome {
	readings := make([]Reading, len(o.Conditions))
	texts := make([]i18n.Message, len(o.Conditions))
	for i, c := range o.Conditions {
		readings[i] = c.judge(w)
		texts[i] = readings[i].Message()
	}
	return outcome(all(readings), readings, i18n.List(", ", texts...))
}

func outcome(v Decision, readings []Reading, text i18n.Message) Outcome {
	return Outcome{Holds: v == Holds, Known: v != Unknown, Readings: readings, Text: text}
}

// all is the decision on an "and": one that fails decides, whatever else.
func all(readings []Reading) Decision {
	v := Holds
	for _, r := range readings {
		if r.Decision == Fails {
			return Fails
		}
		if r.Decision == Unknown {
			v = Unknown
		}
	}
	return v
}

// judge compares what is known of the metric with the limit.
func (c Condition) judge(w *measure.Window) Reading {
	r := Reading{Condition: c}
	r.Low, r.High, r.why = c.Metric.read(w)
	r.Decision = c.decide(r.Low, r.High)
	if m := c.Metric; m.Figure == "p" && r.Decision == Unknown && !w.Tells(m.Clock, m.Percentile) {
		r.Needs = measure.Needs(m.Percentile)
	}
	return r
}

// decide says whether all, none or some of the values from low to high meet the
// condition. NaN, for nothing measured, is unknown.
func (c Condition) decide(low, high float64) Decision {
	limit := c.Metric.kind().value(c.Limit)
	if math.IsNaN(low) {
		return Unknown
	}
	holds, fails := false, false
	switch c.Op {
	case Less:
		holds, fails = high < limit, low >= limit
	case LessEq:
		holds, fails = high <= limit, low > limit
	case Greater:
		holds, fails = low > limit, high <= limit
	case GreaterEq:
		holds, fails = low >= limit, high < limit
	case Equal:
		holds, fails = low == limit && high == limit, low > limit || high < limit
	}
	switch {
	case holds:
		return Holds
	case fails:
		return Fails
	}
	return Unknown
}

// Message is the metric and its value, such as "p99 = 3.2ms" or "p99 >= 3.2ms".
func (r Reading) Message() i18n.Message {
	name, kind := r.Condition.Metric.String(), r.Condition.Metric.kind()
	switch {
	case math.IsNaN(r.Low):
		return i18n.New("objective.is-unknown", "%s unknown: %s", name, r.why)
	case math.IsInf(r.Low, 1) && !r.why.IsZero():
		return i18n.Format("%s = %s (%s)", name, kind.text(r.Low), r.why)
	case r.Low < r.High && !r.why.IsZero():
		return i18n.Format("%s >= %s (%s)", name, kind.text(r.Low), r.why)
	case r.Low < r.High:
		return i18n.Format("%s >= %s", name, kind.text(r.Low))
	}
	return i18n.Format("%s = %s", name, kind.text(r.Low))
}

// JudgeResult judges a load that ran to its end: its totals or, in the windowed
// form, its windows, whose histograms it must have kept. A result that is invalid
// or was interrupted decides nothing.
func (o *Objective) JudgeResult(r *load.Result) Outcome {
	if o.Windows > 0 {
		t := o.NewTally()
		for i := range r.Windows {
			t.Add(&r.Windows[i])
		}
		return t.JudgeResult(r)
	}
	return ifValid(r, o.Judge(&r.Total))
}

// JudgeResult is that of the objective, with the windows that were added.
func (t *Tally) JudgeResult(r *load.Result) Outcome {
	if t.objective.Windows > 0 {
		whole := t.without(r.Windows)
		whole.outside(&r.Outside)
		return ifValid(r, whole.Outcome())
	}
	return t.objective.JudgeResult(r)
}

// ifValid takes an outcome back that rests on a result which must not be used.
func ifValid(r *load.Result, judged Outcome) Outcome {
	var why i18n.Message
	switch {
	case r.Interrupted:
		why = i18n.New("objective.interrupted", "the load was interrupted")
	case r.Validity == finding.Invalid:
		why = i18n.Join(i18n.New("objective.measurement-invalid", "the measurement is invalid"), reasons(r.Findings))
	default:
		return judged
	}
	judged.Holds, judged.Known, judged.Text = false, false, i18n.New("objective.measured", "%s; measured %s", why, judged.Text)
	return judged
}

// reasons names the findings that make a result invalid.
func reasons(findings []finding.Finding) string {
	var names []finding.Name
	for _, f := range findings {
		if f.Validity == finding.Invalid {
			names = append(names, f.Name)
		}
	}
	if names == nil {
		return ""
	}
	return " (" + strings.Join(finding.Words(names), ", ") + ")"
}
