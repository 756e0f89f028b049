package objective

import (
	"math"
	"slices"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/internal/i18n"
)

// Tally judges windows as they come, for the windowed form of an objective. It
// keeps none of them. Not safe for use by several goroutines.
type Tally struct {
	objective *Objective
	readings  []Reading
	of        [3]int // windows by decision
	early     []judgedWindow
}

// judgedWindow is one of those that may turn out not to count, as the service was warming
// up in it.
type judgedWindow struct {
	index  int
	judged Outcome
}

// NewTally returns a tally without windows.
func (o *Objective) NewTally() *Tally {
	t := &Tally{objective: o, readings: make([]Reading, len(o.Conditions))}
	for i, c := range o.Conditions {
		t.readings[i] = Reading{Condition: c, Low: math.NaN(), High: math.NaN(), why: i18n.New("objective.nothing-measured", "nothing was measured")}
	}
	return t
}

// JudgeWindows judges windows at once; see [Tally].
func (o *Objective) JudgeWindows(windows []measure.Window) Outcome {
	t := o.NewTally()
	for i := range windows {
		t.Add(&windows[i])
	}
	return t.Outcome()
}

// outside judges what became, in windows that are left out and after the end, of arrivals
// that count, if some had no response: else the windows in which they were due would be
// judged without them.
func (t *Tally) outside(w *measure.Window) {
	if w.Unfinished > 0 || w.Failures() > 0 {
		t.judge(w)
	}
}

// Add judges a window, unless it is of the warm-up or invalid.
func (t *Tally) Add(w *measure.Window) {
	switch {
	case w.Warmup() || w.Validity() == finding.Invalid:
	case w.Index < load.MostWarmUp:
		t.early = append(t.early, judgedWindow{w.Index, t.objective.Judge(w)})
	default:
		t.judge(w)
	}
}

// without is the tally of its windows but for those that a load left out at its end.
func (t *Tally) without(windows []measure.Window) *Tally {
	out := make(map[int]bool)
	for i := range windows {
		out[windows[i].Index] = windows[i].Validity() == finding.Invalid
	}
	whole := &Tally{objective: t.objective, readings: slices.Clone(t.readings), of: t.of}
	for _, e := range t.early {
		if !out[e.index] {
			whole.take(&e.judged)
		}
	}
	return whole
}

func (t *Tally) judge(w *measure.Window) {
	judged := t.objective.Judge(w)
	t.take(&judged)
}

// take adds what a window was judged to be.
func (t *Tally) take(judged *Outcome) {
	t.of[judged.Decision()]++
	for i, r := range judged.Readings {
		sum := &t.readings[i]
		switch r.Decision {
		case Holds:
			sum.Holding++
		case Fails:
			sum.Failing++
		case Unknown:
			sum.Undecided++
		}
		if r.worse(sum) {
			sum.Low, sum.High, sum.why = r.Low, r.High, r.why
		}
	}
}

// worse reports whether r is further from holding than what sum has.
func (r Reading) worse(sum *Reading) bool {
	switch {
	case math.IsNaN(sum.Low):
		return true
	case math.IsNaN(r.Low):
		return false
	}
	switch r.Condition.Op {
	case Less, LessEq:
		return r.High > sum.High || r.High == sum.High && r.Low > sum.Low
	case Greater, GreaterEq:
		return r.Low < sum.Low
	}
	limit := r.Condition.Metric.kind().value(r.Condition.Limit)
	return math.Abs(r.Low-limit) > math.Abs(sum.Low-limit)
}

// Outcome says whether the conditions hold together in the share of windows that
// the objective asks for; in all of them if it has none. A window in which they
// can't be decided counts as holding and as failing, whichever leaves it open.
func (t *Tally) Outcome() Outcome {
	if len(t.early) > 0 {
		return t.without(nil).Outcome()
	}
	readings := slices.Clone(t.readings)
	for i := range readings {
		readings[i].Decision = t.decide(readings[i].Holding, readings[i].Undecided)
	}
	n := t.of[Holds] + t.of[Fails] + t.of[Unknown]
	if n == 0 {
		return outcome(Unknown, t.readings, i18n.New("objective.no-valid-window", "there is no valid window"))
	}
	v := t.decide(t.of[Holds], t.of[Unknown])
	text := i18n.New("objective.holds-windows", "holds in %d of %d windows", t.of[Holds], n)
	if t.of[Unknown] > 0 {
		text = i18n.Join(text, i18n.New("objective.unknown", ", unknown in %d", t.of[Unknown]))
	}
	worst := make([]i18n.Message, len(readings))
	for i, r := range readings {
		worst[i] = r.Message()
	}
	return outcome(v, readings, i18n.New("objective.and-at-worst", "%s; at worst %s", text, i18n.List(", ", worst...)))
}

// decide compares the share of windows that hold, and that may hold, with what
// is asked for.
func (t *Tally) decide(holding, undecided int) Decision {
	n := float64(t.of[Holds] + t.of[Fails] + t.of[Unknown])
	// A share such as 95 % of 20 windows is 19, however it is rounded in binary.
	need := math.Ceil(t.share()*n - 1e-9)
	switch {
	case n == 0:
		return Unknown
	case float64(holding) >= need:
		return Holds
	case float64(holding+undecided) < need:
		return Fails
	}
	return Unknown
}

func (t *Tally) share() float64 {
	if t.objective.Windows == 0 {
		return 1
	}
	return t.objective.Windows
}
