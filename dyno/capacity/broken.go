package capacity

import (
	"cmp"
	"slices"

	"dyno.example/dyno/finding"
	"dyno.example/internal/i18n"
)

// Broken is a term of the objective that fails at the upper end of the bracket.
type Broken struct {
	Condition string         `json:"condition"`
	Failed    int            `json:"failed"` // trials in which it fails
	Unknown   int            `json:"unknown,omitempty"`
	Of        int            `json:"of"`       // trials that fail
	Measured  []i18n.Message `json:"measured"` // in those trials
}

// broken lists the terms that kept a rate from holding, what did so in most
// trials first.
func broken(l *Load) []Broken {
	var list []Broken
	for i := range l.Trials {
		if l.Trials[i].Decision != Fails {
			continue
		}
		for _, term := range l.Trials[i].Terms {
			list = addTerm(list, term)
		}
	}
	list = slices.DeleteFunc(list, func(b Broken) bool { return b.Failed+b.Unknown == 0 })
	slices.SortStableFunc(list, func(a, b Broken) int {
		return cmp.Or(cmp.Compare(b.Failed, a.Failed), cmp.Compare(b.Unknown, a.Unknown))
	})
	return list
}

func addTerm(list []Broken, term Term) []Broken {
	i := slices.IndexFunc(list, func(b Broken) bool { return b.Condition == term.Condition })
	if i < 0 {
		list = append(list, Broken{Condition: term.Condition})
		i = len(list) - 1
	}
	b := &list[i]
	b.Of++
	switch term.Decision {
	case "fails":
		b.Failed++
	case "unknown":
		b.Unknown++
	default:
		return list
	}
	b.Measured = append(b.Measured, term.Measured)
	return list
}

// hints say what the figures at the ends of the bracket suggest.
func (r *Result) hints() []i18n.Message {
	hints := append([]i18n.Message{}, r.unsteady()...)
	add := func(hint i18n.Message) { hints = append(hints, hint) }
	if r.Limit != nil && !r.Limit.Limited {
		if r.Fails == nil {
			add(i18n.New("capacity.may-be-higher", "the capacity may be higher"))
		}
		add(i18n.New("capacity.wait-for-quiet", "wait until this machine is quiet (dyno machine says who is busy), or let more trials be repeated (--repeats); --accept NAME takes a finding into account no more"))
	} else if r.Limit != nil {
		add(i18n.New("capacity.generator-needs-more", "the capacity may be higher: give the generator more --threads, CPUs of its own (--cpus) or a machine of its own"))
	}
	if r.Fails == nil {
		return hints
	}
	failed := r.Fails.failing()
	all := Trial{First: make(map[string]i18n.Message)}
	busy := 0
	for i := range failed {
		t := &failed[i]
		all.Errors.Add(t.Errors)
		all.Shed += t.Shed
		for kind, text := range t.First {
			all.First[kind] = text
		}
		if t.Busy {
			busy++
		}
		all.Throughput = max(all.Throughput, t.done())
	}
	for _, e := range all.Errors.ByKind() {
		if e.Count > 0 {
			add(i18n.New("capacity.errors", "%d %s errors, such as: %s", e.Count, e.Kind, all.First[e.Kind]))
		}
	}
	if busy > 0 {
		add(i18n.New("capacity.connections-all-waiting", "all connections were waiting for responses in %d of %d failing trials: the service was slow, or there are too few; --connections with more of them tells which", busy, len(failed)))
	}
	if all.Shed > 0 {
		add(i18n.New("capacity.arrivals-given-up", "%d arrivals were given up because no more could wait", all.Shed))
	}
	if best := all.Throughput; best > 0 && best < 0.97*r.Fails.Rate {
		add(i18n.New("capacity.saturated", "of %s/s offered, at most %s/s had a response in time: the service was saturated", rateText(r.Fails.Rate), rateText(best)))
	}
	return append(hints, r.thin()...)
}

// done is how many requests a second the service was done with, also those that it
// failed at once: those are not a lack of capacity.
func (t *Trial) done() float64 {
	failed := t.Errors.Total() - t.Errors.Timeout - t.Errors.Connect
	if t.Requests == 0 {
		return t.Throughput
	}
	return t.Throughput * (1 + float64(failed)/float64(t.Requests))
}

// failing returns the trials of the rate that fail.
func (l *Load) failing() []Trial {
	return slices.DeleteFunc(slices.Clone(l.Trials), func(t Trial) bool { return t.Decision != Fails })
}

// thin warns when trials are so short for the rate that a percentile is little
// more than the slowest request.
func (r *Result) thin() []i18n.Message {
	if r.Holds == nil || len(r.Holds.Trials) == 0 {
		return nil
	}
	const few = 1000
	if t := r.Holds.Trials[len(r.Holds.Trials)-1]; t.Requests < few && t.Validity != finding.Invalid {
		return []i18n.Message{i18n.New("capacity.percentiles-rest-on-few", "trials have only some %d requests: percentiles above p%.3g rest on fewer than ten of them; --trial with a longer time is surer", t.Requests, 100*(1-10/float64(max(t.Requests, 11))))}
	}
	return nil
}
