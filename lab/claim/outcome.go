package claim

import (
	"fmt"
	"slices"

	"dyno/lab/stats"
)

// Outcome is what a run says about a claim.
type Outcome struct {
	ID        string  `json:"id"`
	Says      string  `json:"says,omitempty"`
	Published string  `json:"published,omitempty"`
	Verdict   Verdict `json:"verdict"`
	Why       string  `json:"why"`             // of the part that decides, in one clause
	Parts     []Part  `json:"parts,omitempty"` // one for each comparison of its expressions
	Blocks    int     `json:"blocks"`          // that it rests on: the fewest of any part
	// Needed is about how many more blocks would decide; 0 if it is decided, or if
	// more blocks would hardly help.
	Needed int `json:"needed,omitempty"`
}

// Part is one comparison of a claim.
type Part struct {
	Expression string  `json:"expression"`
	Verdict    Verdict `json:"verdict"`
	Why        string  `json:"why"`
	Effect     *Effect `json:"effect,omitempty"` // nil if nothing could be computed
	Blocks     int     `json:"blocks"`           // that it rests on
	Left       int     `json:"left,omitempty"`   // blocks in which it couldn't be computed
	Needed     int     `json:"needed,omitempty"`
	// Noise is the ratio of two equal arms of the run in the effect's metric, to hold
	// the effect against; nil if there are none.
	Noise *stats.Interval `json:"noise,omitempty"`
}

// Effect is a figure with its interval, beside what is claimed of it, all in Unit.
type Effect struct {
	Of       string         `json:"of"`   // the figure, such as "cpu[a] / cpu[b]"
	Unit     string         `json:"unit"` // "×", "µs", "bytes", "req/s", "%" or empty
	Interval stats.Interval `json:"interval"`
	// Below and Above say that the interval has no such end, which then equals the
	// estimate: the levels that were measured do not reach so far.
	Below bool `json:"open_below,omitempty"`
	Above bool `json:"open_above,omitempty"`

	Op        Op       `json:"op"`
	Bound     float64  `json:"bound"`
	Tolerance float64  `json:"tolerance,omitempty"` // of "~", as a share
	NoEffect  *float64 `json:"no_effect,omitempty"` // what it would be without one; nil if that has no meaning
}

// Evaluate decides a claim by what a run measured. It never fails: what is wrong
// with a claim is why it can't be measured.
func Evaluate(c *Claim, src Source, o Options) Outcome {
	out := Outcome{ID: c.ID, Says: c.Says, Published: c.Published}
	if c.Unmeasurable != "" {
		out.Verdict, out.Why = Unmeasurable, oneLine(c.Unmeasurable)
		for _, text := range c.Expressions {
			out.Parts = append(out.Parts, Part{Expression: oneLine(text), Verdict: Unmeasurable})
		}
		return out
	}
	if len(c.Expressions) == 0 {
		out.Verdict, out.Why = Unmeasurable, "the claim has no expression"
		return out
	}
	o = o.withDefaults()
	direction, err := newDirection(c.Direction, src)
	if err != nil {
		out.Verdict, out.Why = Unmeasurable, "direction: "+err.Error()
		return out
	}
	for _, text := range c.Expressions {
		out.Parts = append(out.Parts, parts(text, direction, c.margin(), src, o)...)
	}
	out.conclude()
	return out
}

// conclude sums up the parts.
func (out *Outcome) conclude() {
	var verdicts []Verdict
	for _, p := range out.Parts {
		verdicts = append(verdicts, p.Verdict)
	}
	out.Verdict = weakest(verdicts)
	for i, p := range out.Parts {
		if i == 0 || p.Blocks < out.Blocks {
			out.Blocks = p.Blocks
		}
		if p.Verdict != out.Verdict {
			continue
		}
		if out.Why == "" {
			out.Why = p.Why
		}
		if out.Verdict == Undecided {
			out.Needed = max(out.Needed, p.Needed)
		}
	}
}

// parts decides the comparisons of one expression.
func parts(text string, d *direction, margin float64, src Source, o Options) []Part {
	e, err := Parse(text)
	if err != nil {
		return []Part{{Expression: oneLine(text), Verdict: Unmeasurable, Why: err.Error()}}
	}
	if problems := Check(e, src.Space()); len(problems) > 0 {
		return []Part{{Expression: e.Text, Verdict: Unmeasurable, Why: problems[0].inThisRun()}}
	}
	var list []Part
	for i := range e.Comparisons {
		list = append(list, newMatter(&e.Comparisons[i], d, margin, src).part(o))
	}
	return list
}

// inThisRun says what a run lacks.
func (e *Error) inThisRun() string {
	text := "this run can't tell: " + e.Message
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// Decided reports whether more blocks can change nothing that is known.
func Decided(out Outcome) bool { return out.Verdict != Undecided }

// Progress says how far a claim is, for a line of a running study: its verdict, or
// about how many more blocks it needs.
func Progress(out Outcome) string {
	switch {
	case Decided(out):
		return string(out.Verdict)
	case out.Needed == 0:
		return "undecided, and more blocks would hardly tell"
	}
	return "needs about " + more(out.Needed)
}

// more writes a number of blocks.
func more(n int) string {
	if n == 1 {
		return "1 more block"
	}
	return fmt.Sprintf("%d more blocks", n)
}

// direction is an expression that decides a claim's direction.
type direction struct{ matters []*matter }

// newDirection returns nil if the text is empty: the direction is that of the
// effect.
func newDirection(text string, src Source) (*direction, error) {
	if text == "" {
		return nil, nil
	}
	e, err := Parse(text)
	if err != nil {
		return nil, err
	}
	if problems := Check(e, src.Space()); len(problems) > 0 {
		return nil, problems[0]
	}
	d := &direction{}
	for i := range e.Comparisons {
		d.matters = append(d.matters, newMatter(&e.Comparisons[i], nil, 0, src))
	}
	return d, nil
}

// state is what the data say, or would say with more blocks.
func (d *direction) state(more int, o Options) state {
	least := holds
	for _, m := range d.matters {
		if len(m.sample.value) < 2 {
			least = min(least, open)
			continue
		}
		_, where := m.estimate(more, o)
		least = min(least, m.effect.claimed.holding(where))
	}
	return least
}

// absent are the reasons why the direction can't be measured.
func (d *direction) absent() (list []string) {
	if d == nil {
		return nil
	}
	for _, m := range d.matters {
		list = append(list, m.absent...)
	}
	return slices.Compact(list)
}
