package capacity

import (
	"dyno.example/dyno/finding"
	"dyno.example/internal/i18n"
)

// unsteady is what a load said of a service that was another one at its end than at its
// beginning; "" if nothing, as of loads that are too short to tell.
func unsteady(found []finding.Finding) i18n.Message {
	for _, f := range named(found, []finding.Name{finding.Drifting, finding.StillWarmingUp}) {
		return i18n.Join(string(f.Name), ": ", f.Detail)
	}
	return i18n.Message{}
}

// unsteadyNote says in how many trials that was so.
func unsteadyNote(first i18n.Message, trials int) i18n.Message {
	return i18n.New("capacity.service-changed", "the service was not the same from the beginning to the end of %d trials, the first of them %s", trials, first)
}

// unsteady notes that of the trials of a search.
func (r *Result) unsteady() []i18n.Message {
	first, n := i18n.Message{}, 0
	for i := range r.Loads {
		for j := range r.Loads[i].Trials {
			first, n = countUnsteady(first, n, r.Loads[i].Trials[j].Unsteady)
		}
	}
	if n == 0 {
		return nil
	}
	return []i18n.Message{unsteadyNote(first, n)}
}

// unsteadyLevels notes that of the trials of a sweep.
func unsteadyLevels(levels []Level) []i18n.Message {
	first, n := i18n.Message{}, 0
	for i := range levels {
		for j := range levels[i].Trials {
			first, n = countUnsteady(first, n, levels[i].Trials[j].Unsteady)
		}
	}
	if n == 0 {
		return nil
	}
	return []i18n.Message{unsteadyNote(first, n)}
}

func countUnsteady(first i18n.Message, n int, said i18n.Message) (i18n.Message, int) {
	switch {
	case said.IsZero():
		return first, n
	case first.IsZero():
		first = said
	}
	return first, n + 1
}
