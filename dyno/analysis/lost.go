package analysis

import (
	"math"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// lostErrors is in how many runs an arm may be said at most to have lost more trials
// than the others though all lose them alike.
const lostErrors = 0.05

// arm is a cell among those it is compared with.
type arm struct {
	name             string
	lost, of         int // trials
	others, othersOf int
}

// addLost says if one cell lost more of its trials than those it is compared with, to
// whatever spoiled them: what is left is then a choice, and may be one of the better
// trials. Each is held to all others by Fisher's exact test, at a level for all of
// them together (Bonferroni). Trials in which the subject itself failed are not lost:
// they count.
func (y *findingSet) addLost(tables []*table, accept []finding.Name) {
	arms := armsOf(tables)
	tests := len(arms)
	if tests == 2 {
		tests = 1 // one test, seen from either side
	}
	var uneven []i18n.Message
	least := math.Inf(1)
	for _, a := range arms {
		p := stats.FisherExact(a.lost, a.of, a.others, a.othersOf)
		if p >= lostErrors/float64(tests) || a.lost*a.othersOf < a.others*a.of {
			continue
		}
		least = min(least, p)
		uneven = append(uneven, i18n.New("analysis.trials-lost-unequally", "%s lost %d of %d trials, what it is compared with %d of %d", a.name, a.lost, a.of, a.others, a.othersOf))
	}
	if len(uneven) > 0 {
		y.accepted(accept, finding.Finding{Name: finding.LostUnevenly, Validity: finding.Suspect,
			Detail: i18n.New("analysis.losses-may-be-choice", "%s (Fisher's exact test, p = %.1g): what is left of it may be a choice", i18n.List("; ", uneven...), least)})
	}
}

// armsOf are the cells of each group of several subjects; of a run without any, all
// cells, which then differ by their levels.
func armsOf(tables []*table) (arms []arm) {
	var all []*cellBuilder
	for _, t := range tables {
		all = append(all, t.builders...)
		if len(t.builders) > 1 {
			arms = append(arms, among(t.builders)...)
		}
	}
	if len(arms) == 0 {
		return among(all)
	}
	return arms
}

func among(builders []*cellBuilder) (arms []arm) {
	lost, of := 0, 0
	for _, s := range builders {
		lost, of = lost+len(s.Left), of+s.attempts()
	}
	for _, s := range builders {
		arms = append(arms, arm{s.name, len(s.Left), s.attempts(), lost - len(s.Left), of - s.attempts()})
	}
	return arms
}

// attempts are all trials of the cell that were started.
func (s *cellBuilder) attempts() int { return len(s.Trials) + len(s.Failed) + len(s.Left) }
