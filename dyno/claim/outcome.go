package claim

import (
	"slices"

	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// Outcome is what a run says about a claim.
type Outcome struct {
	ID        string       `json:"id"`
	Says      string       `json:"says,omitempty"`
	Published string       `json:"published,omitempty"`
	Verdict   Verdict      `json:"verdict"`         // on the whole; [Mixed] if the parts came out differently
	Why       i18n.Message `json:"why"`             // in one sentence
	Parts     []Part       `json:"parts,omitempty"` // one for each comparison of its expressions, at each place of its moderators
	Blocks    int          `json:"blocks"`          // that it rests on: see [Outcome.Fewest]
	// Open says that more blocks may change the verdict on a part.
	Open bool `json:"open,omitempty"`
	// Needed is about how many more blocks would decide; 0 if it is decided, or if
	// more blocks would hardly help.
	Needed int `json:"needed,omitempty"`
	// Basis is what the verdict rests on; nil if it isn't known. It is the run's, and
	// set by the caller that knows the run.
	Basis *Basis `json:"basis,omitempty"`
	// ByConstruction says why no other outcome was possible, if there is such a part.
	ByConstruction string `json:"by_construction,omitempty"`
}

// Part is one comparison of a claim, at one place of its moderators.
type Part struct {
	Expression string       `json:"expression"`
	At         string       `json:"at,omitempty"` // the moderators: "env.REPEAT=10"
	Verdict    Verdict      `json:"verdict"`
	Why        i18n.Message `json:"why"`
	Effect     *Effect      `json:"effect,omitempty"` // nil if nothing could be computed
	Blocks     int          `json:"blocks"`           // that it rests on
	Left       int          `json:"left,omitempty"`   // blocks in which it couldn't be computed
	Failed     int          `json:"failed,omitempty"` // blocks in which a subject failed by its own fault
	Open       bool         `json:"open,omitempty"`   // more blocks may change the verdict
	Needed     int          `json:"needed,omitempty"`
	// Noise is the ratio of two equal arms of the run in the effect's metric, to hold
	// the effect against; nil if there are none.
	Noise *stats.Interval `json:"noise,omitempty"`
	// ByRank is the effect by ranks, in its unit, where that is another than the mean over
	// all starts; else nil. SameByRank says that the verdict does not depend on which is meant.
	ByRank     *stats.Interval `json:"by_rank,omitempty"`
	SameByRank bool            `json:"same_by_rank,omitempty"`
	// Turning are the names of the run's findings that could have turned the verdict on this
	// part, where [Basis.ByPart] says that it was tried.
	Turning []string `json:"turning,omitempty"`
}

// otherwiseByRank reports whether ranks give another verdict, or, in an old record, may.
func (p *Part) otherwiseByRank() bool { return p.ByRank != nil && !p.SameByRank }

// HeldToFailed reports whether the effect is a ratio to one that failed in all blocks, as where a
// percentile is among the requests that failed: 0 then stands for less than any figure.
func (p *Part) HeldToFailed() bool {
	return p.Failed > 0 && p.Failed == p.Blocks && p.Effect != nil && p.Effect.Unit == "×" && p.Effect.Interval.High == 0
}

// Effect is a figure with its interval, next to what is claimed of it, all in Unit.
type Effect struct {
	Of       string         `json:"of"`   // the figure, such as "cpu[a] / cpu[b]"
	Unit     string         `json:"unit"` // "×", "µs", "bytes", "req/s", "%" or empty
	Interval stats.Interval `json:"interval"`
	// Below and Above say that the interval has no such end, which then equals the
	// estimate: the levels that were measured do not reach so far.
	Below bool `json:"open_below,omitempty"`
	Above bool `json:"open_above,omitempty"`
	// Family is the interval at the level that all parts of the claim keep together,
	// which what speaks against the claim is held to; nil for a claim of one part.
	Family *stats.Interval `json:"family,omitempty"`

	Op        Op       `json:"op"`
	Bound     float64  `json:"bound"`
	Tolerance float64  `json:"tolerance,omitempty"` // of "~", as a share
	NoEffect  *float64 `json:"no_effect,omitempty"` // what it would be without one; nil if that has no meaning
	Published *float64 `json:"published,omitempty"` // the figure that was published; nil if the claim names none
	// Floor is what the figure would be if the work that is measured cost nothing; nil
	// if the claim names none.
	Floor *stats.Interval `json:"floor,omitempty"`
}

// Evaluate decides a claim by what a run measured. It never fails: what is wrong
// with a claim is why it can't be measured.
func Evaluate(c *Claim, src Source, o Options) Outcome {
	out := Outcome{ID: c.ID, Says: c.Says, Published: c.Published}
	if c.Unmeasurable != "" && !c.marks(func(c *Comparison) bool { return c.Unmeasurable }) {
		out.Verdict, out.Why = Unmeasurable, i18n.Verbatim(oneLine(c.Unmeasurable))
		for _, text := range c.Expressions {
			out.Parts = append(out.Parts, Part{Expression: oneLine(text), Verdict: Unmeasurable})
		}
		return out
	}
	if len(c.Expressions) == 0 {
		out.Verdict, out.Why = Unmeasurable, i18n.New("claim.expression-missing", "the claim has no expression")
		return out
	}
	ranges, err := places(c.Over, src.Space())
	if err != nil {
		out.Verdict, out.Why = Unmeasurable, err.inThisRun()
		return out
	}
	var subjects []subject
	o.parts = c.comparisons() * len(ranges)
	o = o.withDefaults()
	level := o.Strict(o.family().Level)
	for _, text := range c.Expressions {
		list, err := newSubjects(text, c, src, ranges, level)
		if err != nil {
			out.Verdict, out.Why = Unmeasurable, i18n.New("claim.direction", "direction: %v", err)
			return out
		}
		subjects = append(subjects, list...)
	}
	o.parts = 0
	for i := range subjects {
		o.parts += len(subjects[i].comparisons)
	}
	o = o.withDefaults()
	var verdicts []Verdict
	for i := range subjects {
		parts := subjects[i].decide(o)
		c.qualify(parts)
		verdicts = append(verdicts, overRange(verdictsOf(parts)))
		out.Parts = append(out.Parts, parts...)
	}
	if slices.ContainsFunc(out.Parts, func(p Part) bool { return p.Verdict == ByConstruction }) {
		out.ByConstruction = oneLine(c.ByConstruction)
	}
	out.conclude(verdicts, len(ranges) > 1)
	return out
}

func verdictsOf(parts []Part) (list []Verdict) {
	for _, p := range parts {
		list = append(list, p.Verdict)
	}
	return list
}

// comparisons is how many the claim's expressions have.
func (c *Claim) comparisons() (n int) {
	for _, text := range c.Expressions {
		if e, err := Parse(text); err == nil {
			n += len(e.Comparisons)
		}
	}
	return n
}

// subject is a comparison at all places of the moderators.
type subject struct {
	comparisons []*measuredComparison
	broken      *Part // instead, if it can't be measured at all
}

func (s *subject) decide(o Options) (parts []Part) {
	if s.broken != nil {
		return []Part{*s.broken}
	}
	for _, m := range s.comparisons {
		parts = append(parts, m.part(o))
	}
	return parts
}

// newSubjects takes an expression apart. The error is about the claim's direction.
func newSubjects(text string, c *Claim, src Source, ranges [][]pick, level float64) ([]subject, error) {
	broken := func(text string, why i18n.Message) []subject {
		return []subject{{broken: &Part{Expression: text, Verdict: Unmeasurable, Why: why}}}
	}
	e, err := Parse(text)
	if err != nil {
		return broken(oneLine(text), i18n.From(err)), nil
	}
	for _, at := range ranges {
		if problems := check(e, src.Space(), at); len(problems) > 0 {
			return broken(e.Text, problems[0].inThisRun()), nil
		}
	}
	list := make([]subject, len(e.Comparisons))
	for _, at := range ranges {
		d, err := newDirection(c.Direction, src, at, c.margin(), level)
		if err != nil {
			return nil, err
		}
		for i := range e.Comparisons {
			list[i].comparisons = append(list[i].comparisons, newMeasuredComparison(&e.Comparisons[i], d, c.margin(), src, at, level))
		}
	}
	return list, nil
}

// inThisRun says what a run lacks.
func (e *Error) inThisRun() i18n.Message {
	if e.Hint.IsZero() {
		return i18n.New("claim.run-undecided", "this run can't tell: %s", e.What)
	}
	return i18n.New("claim.run-undecided-hint", "this run can't tell: %s (%s)", e.What, e.Hint)
}

// Decided reports whether more blocks can change nothing that is known.
func Decided(out Outcome) bool { return !out.Open }

// Progress says how far a claim is, for a line of a running study: its verdict, or
// about how many more blocks it needs.
func Progress(out Outcome) i18n.Message {
	switch {
	case Decided(out):
		return out.Verdict.Message()
	case out.Needed == 0:
		return i18n.Join(out.Verdict, i18n.New("claim.more-blocks-no-help", ", and more blocks would hardly tell"))
	case out.Verdict == Undecided:
		return i18n.New("claim.needs", "needs about %s", more(out.Needed))
	}
	return i18n.New("claim.so-far-needs", "%s so far, needs about %s", out.Verdict, more(out.Needed))
}

// more writes a number of blocks.
func more(n int) i18n.Message {
	if n == 1 {
		return i18n.New("claim.more-block", "1 more block")
	}
	return i18n.New("claim.more-blocks", "%d more blocks", n)
}

// direction is an expression that decides a claim's direction.
type direction struct{ comparisons []*measuredComparison }

// newDirection returns nil if the text is empty: the direction is that of the
// effect.
func newDirection(text string, src Source, at []pick, margin, level float64) (*direction, error) {
	if text == "" {
		return nil, nil
	}
	e, err := Parse(text)
	if err != nil {
		return nil, err
	}
	if problems := check(e, src.Space(), at); len(problems) > 0 {
		return nil, problems[0]
	}
	d := &direction{}
	for i := range e.Comparisons {
		d.comparisons = append(d.comparisons, newMeasuredComparison(&e.Comparisons[i], nil, margin, src, at, level))
	}
	return d, nil
}

// state is what the data say, or would say with more blocks: the least of its
// comparisons. As of an effect, one fails only if the opposite holds, and holds only
// beyond what two equal arms were found apart.
func (d *direction) state(more int, o Options) state {
	least := holds
	for _, m := range d.comparisons {
		if len(m.sample.value) < 2 {
			least = min(least, open)
			continue
		}
		_, where := m.estimate(more, o)
		now := m.effect.claimed.holding(where)
		if m.effect.side() != 0 {
			v := evidence{near: where, wide: where, margin: m.margin, base: m.base, noise: m.noise}
			switch beyond := m.effect.direction(v); {
			case now == holds:
				now = min(now, max(beyond, open))
			case now == fails:
				now = max(now, min(beyond, open))
			}
		}
		least = min(least, now)
	}
	return least
}

// absent are the reasons why the direction can't be measured.
func (d *direction) absent() (list []i18n.Message) {
	if d == nil {
		return nil
	}
	for _, m := range d.comparisons {
		list = append(list, m.absent...)
	}
	return slices.Compact(list)
}
