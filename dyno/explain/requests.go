package explain

import (
	"cmp"
	"slices"

	"dyno.example/dyno/evidence"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

const (
	// slowLeast is of how few slow requests nothing is said.
	slowLeast = 10
	// requestsLeast is how many slow requests a cause made up a large part of, at least.
	requestsLeast = 3
	// largePart is which part of what it takes to be slow is a large one.
	largePart = 5
	// shown is how many of the slowest requests are drawn.
	shown = 200
)

// tally is what is known of all traced requests of a cell.
type tally struct {
	pairs    []pair
	ordinary []request
	groups   grouping
	large    float64 // ns: what makes up a large part of being slow
	moved    map[Name]map[evidence.Stage]float64
}

// byRequests explains the tail by the budgets of single requests; false if there are too few.
//
// The excess of a slow request is divided by stages as it is: the budget is closed, so the
// shares add up to one. What chance could do is which requests were slow and sampled, which
// the interval is about, and whether ordinary ones had as much of it as often (Fisher's exact
// test).
func (c *Cell) byRequests(e *Explanation) bool {
	t, started := c.tally(e)
	if t == nil {
		return false
	}
	c.looked(e)
	if len(t.pairs) < slowLeast || len(t.ordinary) < slowLeast {
		e.Notes = append(e.Notes, i18n.New("explain.few-requests", "%d slow and %d ordinary requests were traced, and fewer than %d of each say nothing", len(t.pairs), len(t.ordinary), slowLeast))
		return false
	}
	e.Source = Requests
	t.tail(e)
	t.moved = c.overlays(t)
	t.attribute(e)
	t.budgets(e)
	t.serverTimings(e)
	t.smallWrites(e)
	e.Slowest = slowest(t.pairs, started, shown)
	e.Beside = c.beside(mostOf(e.Slowest))
	return true
}

// tally collects the evidence of all trials; nil without any.
func (c *Cell) tally(e *Explanation) (*tally, map[int]int64) {
	t := &tally{}
	started := map[int]int64{}
	traced := false
	for i := range c.trials {
		one := &c.trials[i]
		if one.header == nil {
			continue
		}
		traced = true
		started[one.index] = one.header.Started
		noteHeader(e, one.header)
		pairs, ordinary := one.pairs()
		t.pairs, t.ordinary = append(t.pairs, pairs...), append(t.ordinary, ordinary...)
		for r := range one.records {
			for _, gap := range one.records[r].Incomplete {
				if e.Gaps == nil {
					e.Gaps = map[evidence.Gap]int{}
				}
				e.Gaps[gap]++
			}
		}
	}
	if !traced {
		return nil, nil
	}
	at := make([]place, len(t.pairs))
	for i := range t.pairs {
		at[i] = place{t.pairs[i].trial, t.pairs[i].Window}
	}
	t.groups, e.Sampled.Units = groupsOf(at)
	e.Sampled.Slow, e.Sampled.Ordinary, e.Sampled.Groups = len(t.pairs), len(t.ordinary), t.groups.n
	return t, started
}

// noteHeader takes over what a trial's collection says of itself.
func noteHeader(e *Explanation, h *evidence.Header) {
	if h.Cost != nil {
		e.ProbeCost = h.Cost
	}
	for _, m := range h.Missing {
		note := i18n.New("explain.missing", "not known here: %s: %s", m.What, m.Why)
		if !slices.Contains(e.Notes, note) {
			e.Notes = append(e.Notes, note)
		}
	}
	if c := h.Counts; c.Requests > 0 && float64(c.Tail) > growing*float64(c.Requests) {
		e.Notes = append(e.Notes, i18n.New("explain.growing", "%d of %d requests were slower than 99 of 100 of those before them: response times went on growing, and none is ordinary. The rate is more than the server takes: dyno capacity finds what it does", c.Tail, c.Requests))
	}
	lost := h.Counts.Overwritten + h.Counts.Dropped
	if total := h.Counts.Kept + lost; lost > 0 && float64(lost) > lostMost*float64(total) {
		e.Notes = append(e.Notes, i18n.New("explain.lost", "%d of %d samples lack events or were given up, as there were too many at once: shares are less sure than their intervals say", lost, total))
	}
}

// growing is the share of slow requests from which response times can only have gone on growing:
// what is slow is learnt to be one in a hundred.
const growing = 0.5

// lostMost is the share of samples that may be lost without a word.
const lostMost = 0.02

// tail sets what was slow.
func (t *tally) tail(e *Explanation) {
	e.Tail.Ordinary = medianOf(t.ordinary)
	e.Tail.Threshold = float64(t.pairs[0].Response())
	weights, all := 0.0, 0.0
	for i := range t.pairs {
		p := &t.pairs[i]
		e.Tail.Threshold = min(e.Tail.Threshold, float64(p.Response()))
		e.Tail.Excess += weight(p.Record) * p.total
		weights += weight(p.Record)
	}
	e.Tail.Excess /= weights
	for i := range t.ordinary {
		all += weight(t.ordinary[i].Record)
	}
	if e.Sampled.Requests > 0 {
		all = max(all, float64(e.Sampled.Requests))
	}
	e.Tail.Percentile = 100 * (1 - min(1, weights/max(all, weights)))
	t.large = (e.Tail.Threshold - e.Tail.Ordinary) / largePart
}

// medianOf is the response time, in ns, that half of all requests that the records stand for took
// at most. Those that were drawn because a slow one was there stand for themselves only.
func medianOf(records []request) float64 {
	order := slices.SortedFunc(slices.Values(records), func(a, b request) int { return cmp.Compare(a.Response(), b.Response()) })
	all, below := 0.0, 0.0
	for i := range order {
		all += weight(order[i].Record)
	}
	for i := range order {
		if below += weight(order[i].Record); 2*below >= all {
			return float64(order[i].Response())
		}
	}
	return 0
}

// weight is how many requests a record stands for.
func weight(r *evidence.Record) float64 {
	if r.Weight < 1 {
		return 1
	}
	return r.Weight
}

// parts divides a stage's excess among causes: as the overlays say, and the rest by its own.
func (t *tally) parts(name Name, stage evidence.Stage) (share float64) {
	rest := 1.0
	for other, stages := range t.moved {
		rest -= stages[stage]
		if other == name {
			share += stages[stage]
		}
	}
	if causeOf[stage] == name {
		share += max(0, rest)
	}
	return share
}

// in is how much of a budget counts for a cause, ns.
func (t *tally) in(name Name, b budget) (ns float64) {
	for _, stage := range evidence.Stages() {
		if v := b[stage]; v != 0 {
			ns += v * t.parts(name, stage)
		}
	}
	return ns
}

// share of the excess that a cause accounts for, without a group.
func (t *tally) share(excess []float64, without int) float64 {
	sum, total := 0.0, 0.0
	for i := range t.pairs {
		if t.groups.of[i] == without {
			continue
		}
		w := weight(t.pairs[i].Record)
		sum += w * excess[i]
		total += w * t.pairs[i].total
	}
	if total <= 0 {
		return 0
	}
	return sum / total
}

// attribute finds the causes that hold.
func (t *tally) attribute(e *Explanation) {
	named := 0.0
	for _, name := range Names() {
		if name == Unexplained {
			continue
		}
		if cause, ok := t.cause(name); ok {
			e.Causes = append(e.Causes, cause)
			named += cause.Share
		}
	}
	slices.SortStableFunc(e.Causes, func(a, b Cause) int { return cmp.Compare(b.Share, a.Share) })
	e.Unexplained = min(1, max(0, 1-named))
}

// cause is one of the causes, if it holds.
func (t *tally) cause(name Name) (Cause, bool) {
	excess := make([]float64, len(t.pairs))
	largeSlow, largeOrdinary := 0, 0
	for i := range t.pairs {
		if excess[i] = t.in(name, t.pairs[i].excess); excess[i] >= t.large {
			largeSlow++
		}
	}
	usual := t.in(name, meanBudget(t.ordinary))
	for i := range t.ordinary {
		if t.in(name, t.ordinary[i].budget)-usual >= t.large {
			largeOrdinary++
		}
	}
	share := stats.Jackknife(t.groups.n, func(without int) float64 { return t.share(excess, without) }, level)
	if share.Estimate < shareLeast || largeSlow < requestsLeast {
		return Cause{}, false
	}
	if p := stats.FisherExact(largeSlow, len(t.pairs), largeOrdinary, len(t.ordinary)); p > alpha/float64(len(meanings)) || share.Estimate <= 0 {
		return Cause{}, false
	}
	clip(&share)
	lift := liftOf(largeSlow, len(t.pairs), largeOrdinary, len(t.ordinary))
	return Cause{
		Name: name, Share: min(1, share.Estimate), Interval: share, Lift: lift.Estimate, LiftInterval: &lift, Requests: largeSlow,
		Evidence: t.evidence(name, excess),
	}, true
}

// budgets are the mean budgets of ordinary and slow requests, stages that neither had left out.
func (t *tally) budgets(e *Explanation) {
	slow, ordinary, weights := budget{}, budget{}, 0.0
	for i := range t.pairs {
		w := weight(t.pairs[i].Record)
		weights += w
		for stage, ns := range t.pairs[i].budget {
			slow[stage] += w * ns
		}
		for stage, ns := range t.pairs[i].ordinary {
			ordinary[stage] += w * ns
		}
	}
	for _, stage := range evidence.Stages() {
		if slow[stage] != 0 || ordinary[stage] != 0 {
			e.Budget = append(e.Budget, Part{Stage: stage, Ordinary: ordinary[stage] / weights, Slow: slow[stage] / weights})
		}
	}
}
