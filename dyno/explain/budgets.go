package explain

import (
	"slices"

	"dyno.example/dyno/evidence"
)

// causeOf is the cause that a stage's excess counts for, unless the seconds in which it was
// longer say more. A poll of which it isn't known what it waited for explains nothing.
var causeOf = map[evidence.Stage]Name{
	evidence.Generator: Generator, evidence.Connect: Connect, evidence.Network: NetworkDelay, evidence.Retransmit: Retransmit,
	evidence.AcceptQueue: AcceptQueue, evidence.Unread: ReceiveQueue, evidence.LoopQueue: LoopQueue, evidence.Scheduler: Scheduler, evidence.CPUWait: CPUWait,
	evidence.Throttled: Throttled, evidence.Stolen: Steal, evidence.OnCPU: Work, evidence.Lock: Lock, evidence.Disk: Disk, evidence.Upstream: Upstream,
	evidence.DNS: DNS, evidence.PageFault: PageFault, evidence.Collect: GC, evidence.Interrupt: Interrupt,
	evidence.Sleep: Sleep, evidence.Stopped: Stopped, evidence.Blocked: Blocked,
	evidence.SendQueue: SendQueue, evidence.Poll: Unexplained, evidence.Unexplained: Unexplained,
}

// budget is the time by stage, ns.
type budget map[evidence.Stage]float64

func budgetOf(r *evidence.Record) budget {
	b := budget{}
	for stage, ns := range r.Budget() {
		b[stage] = float64(ns)
	}
	return b
}

// request is a record with its budget.
type request struct {
	*evidence.Record
	header *evidence.Header // of its trial
	trial  int
	budget budget
}

// pair is a slow request with the mean budget of the ordinary ones it is held against.
type pair struct {
	request
	ordinary budget
	excess   budget             // slow less ordinary, by stage
	total    float64            // of excess, ns
	told     map[string]float64 // to the ordinary ones, see toldOf
}

// meanBudget of requests, each with its weight.
func meanBudget(list []request) budget {
	mean, weights := budget{}, 0.0
	for i := range list {
		w := max(list[i].Weight, 1)
		weights += w
		for stage, ns := range list[i].budget {
			mean[stage] += w * ns
		}
	}
	for stage := range mean {
		mean[stage] /= weights
	}
	return mean
}

// matcher finds the ordinary requests that a slow one is held against: those drawn for
// it, else those of its kind in its trial, else all of its trial.
type matcher struct {
	drawn map[uint32][]request
	kinds map[int]matched
	all   matched
}

// matched are ordinary requests with their mean budget.
type matched struct {
	list []request
	mean budget
	told map[string]float64
}

func matchedOf(list []request) matched { return matched{list, meanBudget(list), toldOf(list)} }

func newMatcher(ordinary []request) *matcher {
	m := &matcher{drawn: map[uint32][]request{}, kinds: map[int]matched{}, all: matchedOf(ordinary)}
	byKind := map[int][]request{}
	for _, r := range ordinary {
		byKind[r.Kind] = append(byKind[r.Kind], r)
		if r.Class == evidence.Match {
			m.drawn[r.Of] = append(m.drawn[r.Of], r)
		}
	}
	for kind, list := range byKind {
		m.kinds[kind] = matchedOf(list)
	}
	return m
}

// matchesLeast is how many drawn requests are enough to be held against.
const matchesLeast = 2

func (m *matcher) of(slow *request) matched {
	if list := m.drawn[slow.Sequence]; len(list) >= matchesLeast {
		return matchedOf(list)
	}
	if b, ok := m.kinds[slow.Kind]; ok {
		return b
	}
	return m.all
}

// divided are a trial's slow requests and its ordinary ones.
func (t *trial) divided() (slow, ordinary []request) {
	for i := range t.records {
		r := request{Record: &t.records[i], header: t.header, trial: t.index, budget: budgetOf(&t.records[i])}
		if r.Class == evidence.Tail {
			slow = append(slow, r)
		} else {
			ordinary = append(ordinary, r)
		}
	}
	return slow, ordinary
}

// pairs of a trial's slow requests, and its ordinary ones.
func (t *trial) pairs() (pairs []pair, ordinary []request) {
	slow, ordinary := t.divided()
	if len(ordinary) == 0 {
		return nil, nil
	}
	m := newMatcher(ordinary)
	for i := range slow {
		against := m.of(&slow[i])
		p := pair{request: slow[i], ordinary: against.mean, excess: budget{}, told: against.told}
		for _, stage := range evidence.Stages() {
			if d := p.budget[stage] - p.ordinary[stage]; d != 0 {
				p.excess[stage] = d
				p.total += d
			}
		}
		pairs = append(pairs, p)
	}
	return pairs, ordinary
}

// slowest are the requests that took longest, as they are drawn.
func slowest(pairs []pair, started map[int]int64, most int) []Slow {
	order := slices.Clone(pairs)
	slices.SortStableFunc(order, func(a, b pair) int { return int(b.Response()/1000 - a.Response()/1000) })
	var list []Slow
	for i := range order[:min(most, len(order))] {
		r := &order[i]
		list = append(list, Slow{
			Trial: r.trial, Window: r.Window, At: float64(r.Intended-started[r.trial]) / 1e9, Took: float64(r.Response()),
			Kind: r.Kind, Sequence: r.Sequence, Of: r.Connection, Intervals: r.Intervals,
		})
	}
	return list
}
