package claim

import (
	"math"
	"strconv"
	"strings"

	"dyno.example/internal/i18n"
)

// LoadLimit is what a load can at most get out of a trial of a cell, whatever the subject does.
type LoadLimit struct {
	Requests  float64 // in the measured time, about; +Inf if only the subject bounds it
	PerSecond float64 // at the very most, by chance
	Seconds   float64
}

// Beyond is how many requests have to be slower than a percentile for a trial to have it.
const Beyond = 10

// Foreseen is a part of a claim about which something follows from the plan before
// anything was measured.
type Foreseen struct {
	Expression, At string
	// Verdict is [Unmeasurable] or [ByConstruction], or empty if Why is only what it takes to
	// decide it.
	Verdict  Verdict
	Why      i18n.Message
	Declared bool // by the study itself, rather than found
}

// Foresee finds the parts of a claim that a study of these cells can't decide, or can decide in
// one way only: a percentile of fewer requests than it takes, and a throughput that is compared
// with more, or with no less, than the load can send; and those by growth, which need a subject
// with capacity beyond the load's first level. What the study says of itself is among them.
func Foresee(c *Claim, s *Space, asked func(cell int) LoadLimit) []Foreseen {
	all, err := places(c.Over, s)
	if err != nil {
		return nil // reported by CheckOver
	}
	var found []Foreseen
	for _, text := range c.Expressions {
		e, err := Parse(text)
		if err != nil {
			continue
		}
		for i := range e.Comparisons {
			if said, ok := c.saidOf(&e.Comparisons[i]); ok {
				found = append(found, said)
				if said.Verdict == Unmeasurable {
					continue
				}
			}
			for _, at := range all {
				if len(check(e, s, at)) > 0 {
					continue
				}
				f := &foreseer{space: s, at: at, asked: asked}
				if one, ok := f.comparison(&e.Comparisons[i]); ok && !(e.Comparisons[i].Fitted && one.Verdict != Unmeasurable) {
					found = append(found, one)
				}
			}
		}
	}
	return found
}

// saidOf is what the claim itself says of a comparison.
func (c *Claim) saidOf(cmp *Comparison) (Foreseen, bool) {
	fitted, unmeasurable := c.Marked()
	switch {
	case c.Unmeasurable != "" && (cmp.Unmeasurable || !unmeasurable):
		return Foreseen{Expression: cmp.Text, Verdict: Unmeasurable, Why: i18n.Verbatim(oneLine(c.Unmeasurable)), Declared: true}, true
	case c.ByConstruction != "" && (cmp.Fitted || !fitted):
		return Foreseen{Expression: cmp.Text, Verdict: ByConstruction, Why: i18n.Verbatim(oneLine(c.ByConstruction)), Declared: true}, true
	}
	return Foreseen{}, false
}

type foreseer struct {
	space *Space
	at    []pick
	asked func(cell int) LoadLimit
	few   i18n.Message // why there is no such percentile of the comparison
	most  i18n.Message // the figure whose bound decides
}

func (f *foreseer) comparison(cmp *Comparison) (out Foreseen, ok bool) {
	left, right := f.bounds(cmp.left), f.bounds(cmp.right)
	out = Foreseen{Expression: cmp.Text, At: where(f.at)}
	switch state := f.state(cmp, left, right); {
	case !f.few.IsZero():
		out.Verdict, out.Why = Unmeasurable, f.few
	case f.most.IsZero():
		return out, false
	case state == fails:
		out.Verdict, out.Why = Unmeasurable, i18n.New("claim.never-holds", "it can't hold, whatever the subject does: %s", f.most)
	case state == holds:
		out.Verdict, out.Why = ByConstruction, i18n.New("claim.always-holds", "it can't but hold, whatever the subject does: %s", f.most)
	default:
		out.Why = f.growth(cmp)
	}
	return out, !out.Why.IsZero()
}

// growth says what a claim takes by which throughput grows with what the load asks for: a
// subject that is full at the lower level already can't grow, for which it is not to blame.
func (f *foreseer) growth(cmp *Comparison) i18n.Message {
	ratio, ok := cmp.left.(operation)
	bound, rest := strip(cmp.right)
	if !ok || ratio.op != '/' || rest != nil || !(bound > 1) || cmp.Op != Greater && cmp.Op != GreaterEq {
		return i18n.Message{}
	}
	more, less := f.perSecond(ratio.left), f.perSecond(ratio.right)
	if more.subject == "" || more.subject != less.subject || math.IsInf(more.most, 1) || math.IsInf(less.most, 1) {
		return i18n.Message{}
	}
	return i18n.New("claim.load-too-low-to-scale", "it takes a subject that serves %.0f requests/s: at the lower level the load asks for %.0f, and one that is full there can't grow", bound*less.most, less.most)
}

// throughputOf is a cell's throughput, with what its load can send.
type throughputOf struct {
	subject string // empty if it isn't one
	most    float64
}

func (f *foreseer) perSecond(n node) throughputOf {
	q, ok := n.(quantity)
	if !ok || q.metric != "throughput" {
		return throughputOf{}
	}
	cell, err := f.space.one(within(q.picks, f.at), q.at)
	if err != nil {
		return throughputOf{}
	}
	return throughputOf{cell.Subject, f.asked(cell.Index).Requests / f.asked(cell.Index).Seconds}
}

// state is what is sure of a comparison.
func (f *foreseer) state(cmp *Comparison, left, right interval) state {
	if cmp.Op == Between || math.IsInf(right.low, 0) && math.IsInf(right.high, 0) {
		return open
	}
	return cmp.pointwise(left, right)
}

// bounds is where a figure lies whatever the subject does.
func (f *foreseer) bounds(n node) interval {
	switch n := n.(type) {
	case number:
		return interval{low: n.value, high: n.value}
	case quantity:
		return f.quantity(n)
	case operation:
		return f.operation(n)
	}
	return anywhere()
}

func (f *foreseer) operation(o operation) interval {
	a, b := f.bounds(o.left), f.bounds(o.right)
	if o.op == '/' && b.low <= 0 && b.high >= 0 {
		return anywhere()
	}
	for _, x := range [...]float64{a.low, a.high} {
		for _, y := range [...]float64{b.low, b.high} {
			if math.IsNaN(calculate(o.op, x, y)) {
				return anywhere()
			}
		}
	}
	low, high := ends(o.op, a.low, a.high, b.low, b.high)
	return interval{low: low, high: high}
}

// quantity bounds a figure by what the load can send. No figure has a lower bound, as a
// subject may fail.
func (f *foreseer) quantity(q quantity) interval {
	cell, err := f.space.one(within(q.picks, f.at), q.at)
	m, ok := f.space.metric(q.metric)
	if err != nil || !ok {
		return anywhere()
	}
	of := f.asked(cell.Index)
	if share, ok := percentile(q.metric); ok && of.Requests*(1-share) < Beyond {
		f.few = i18n.New("claim.too-few-requests-beyond", "%s asks for about %.0f requests a trial, of which fewer than %d take longer than the %s: it takes %.0f",
			write(q, 0), of.Requests, Beyond, q.metric[strings.Index(q.metric, ".")+1:], math.Ceil(Beyond/(1-share)-1e-6))
	}
	if q.metric == "throughput" && !math.IsInf(of.PerSecond, 1) {
		f.most = i18n.New("claim.rate-bounded-by-load", "%s is at most about %.0f requests/s, as the load asks for no more", write(q, 0), of.PerSecond)
		return interval{high: of.PerSecond * unitOfMetric(m.Unit).scale}
	}
	return interval{low: math.Inf(-1), high: math.Inf(1)}
}

// percentile is the share of a metric such as response.p99.9.
func percentile(metric string) (share float64, ok bool) {
	_, text, ok := strings.Cut(metric, ".p")
	if !ok {
		return 0, false
	}
	percent, err := strconv.ParseFloat(text, 64)
	return percent / 100, err == nil && percent > 50
}
