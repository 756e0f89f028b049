package capacity

import (
	"fmt"
	"math"
	"slices"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/internal/i18n"
)

func geometricMean(a, b float64) float64 { return math.Sqrt(a * b) }

// result sums up the search. reason says why it ended early; nil if it didn't.
func (w *walk) result(reason error) *Result {
	r := &Result{Closed: w.ceiling.Rate, Took: time.Since(w.began), Loads: []Load{}}
	for _, l := range w.loads {
		l.Class = w.classOf(l)
		r.Loads = append(r.Loads, *l)
	}
	for i := range r.Loads {
		l := &r.Loads[i]
		if l.Class == Lower {
			r.Holds, r.Limit = l, nil // lower rates that were disturbed don't matter
			continue
		}
		if l.Class == Upper {
			r.Fails = l
			break
		}
		if l.Class == Blocked && r.Limit == nil {
			r.Limit = l
		}
		if l.Class == Blocked && l.Limited {
			break
		}
	}
	if len(w.loads) == 0 {
		r.judgeCeiling(&w.ceiling)
	} else {
		r.judgeMachine()
	}
	r.conclude(&w.search.Goal, reason)
	return r
}

// judgeMachine says what the machine did to the trials, and so to the result.
func (r *Result) judgeMachine() {
	var trials []troubled
	for i := range r.Loads {
		for j := range r.Loads[i].Trials {
			t := &r.Loads[i].Trials[j]
			trials = append(trials, troubled{slices.Concat(t.Disturbed, t.Accepted), t.Decision == Spoiled})
		}
	}
	r.Disturbed = judgeTrials(trials)
	if r.Limit != nil && !r.Limit.Limited {
		r.Validity = finding.Invalid
	}
}

// judgeCeiling says what the machine did to the closed loop, if that is all there is.
func (r *Result) judgeCeiling(c *Ceiling) {
	r.Disturbed = judgeTrials([]troubled{{slices.Concat(c.Disturbed, c.Accepted), c.Useless}})
	if c.Useless {
		r.Validity = finding.Invalid
	}
}

// conclude puts the result into words.
func (r *Result) conclude(g *Goal, reason error) {
	if r.Found() {
		r.Width = 1 - r.Holds.Rate/r.Fails.Rate
		sure := r.Limit == nil && r.Holds.classify(g.final()) == Lower && r.Fails.classify(g.final()) == Upper
		r.Reached = r.Width <= g.Precision && sure
	}
	switch {
	case reason != nil:
		r.Why = i18n.From(reason)
	case r.Limit != nil && !r.Limit.Limited:
		r.Why = i18n.New("capacity.rate-always-disturbed", "every trial at %s/s was disturbed: %s", rateText(r.Limit.Rate), r.Limit.Why)
	case r.Limit != nil:
		r.Why = i18n.New("capacity.generator-limits-from", "from %s/s on the generator is the limit: %s", rateText(r.Limit.Rate), r.Limit.Why)
	case r.Found() && !r.Reached:
		r.Why = i18n.New("capacity.rates-too-close", "rates so close to each other can't be told apart")
	}
	if r.Fails != nil {
		r.Broke = broken(r.Fails)
	}
	r.Hints = r.hints()
}

// final is the last stage: the goal itself.
func (g *Goal) final() stage {
	all := g.stages()
	return all[len(all)-1]
}

// rateText writes a rate with up to four digits.
func rateText(rate float64) string {
	if rate >= 1000 {
		return fmt.Sprintf("%.0f", rate)
	}
	return fmt.Sprintf("%.4g", rate)
}
