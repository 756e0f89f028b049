package capacity

import (
	"fmt"

	"dyno.example/dyno/finding"
)

// unsteady is what a load said of a service that was another one at its end than at its
// beginning; "" if nothing, as of loads that are too short to tell.
func unsteady(found []finding.Finding) string {
	for _, f := range named(found, []finding.Name{finding.Drifting, finding.StillWarmingUp}) {
		return string(f.Name) + ": " + f.Detail
	}
	return ""
}

// unsteadyNote says in how many trials that was so.
func unsteadyNote(first string, trials int) string {
	return fmt.Sprintf("the service was not the same from the beginning to the end of %d trials, the first of them %s", trials, first)
}

// unsteady notes that of the trials of a search.
func (r *Result) unsteady() []string {
	first, n := "", 0
	for i := range r.Loads {
		for j := range r.Loads[i].Trials {
			first, n = countUnsteady(first, n, r.Loads[i].Trials[j].Unsteady)
		}
	}
	if n == 0 {
		return nil
	}
	return []string{unsteadyNote(first, n)}
}

// unsteadyLevels notes that of the trials of a sweep.
func unsteadyLevels(levels []Level) []string {
	first, n := "", 0
	for i := range levels {
		for j := range levels[i].Trials {
			first, n = countUnsteady(first, n, levels[i].Trials[j].Unsteady)
		}
	}
	if n == 0 {
		return nil
	}
	return []string{unsteadyNote(first, n)}
}

func countUnsteady(first string, n int, said string) (string, int) {
	switch {
	case said == "":
		return first, n
	case first == "":
		first = said
	}
	return first, n + 1
}
