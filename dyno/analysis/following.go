package analysis

import (
	"math"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// Following says how the CPU time of a request of a subject follows the machine's state, and what that makes of its
// ratio to the reference's: see [stats.Following].
type Following struct {
	// Slope is by how much its log follows the state that all subjects of the group have in common, as slices of a round say
	// that are in the same one: 1 on average, 1.2 if it gets 12 % dearer where others get 10 % dearer. Reference is that of the
	// reference.
	Slope     float64 `json:"slope"`
	Reference float64 `json:"reference"`
	// AtOneState is the ratio if each start had met the mean of the run's states; without a level if no other subject
	// says in which it was.
	AtOneState stats.Interval `json:"at_one_state"`
}

// States are those of the machine that a group's slices met.
type States struct {
	// Deviation is the standard deviation of the state between rounds, as a log: what requests of all subjects cost more
	// or less together.
	Deviation float64 `json:"deviation"`
	// Between is by how much what the slopes say holds between starts.
	Between stats.Between `json:"between"`
}

const (
	// followingErrors is in how many groups ratios may be said to depend on the machine's state though all subjects follow it
	// alike.
	followingErrors = 0.01
	// holdsLeast is how much of what rounds say holds between starts at least, of so many, if ratios are said to.
	holdsLeast  = 0.5
	startsLeast = 6
	// narrower is by how much narrower an interval is at one state, at most, of a subject that is named.
	narrower = 0.75
)

// compareFollowing says it of the subjects that took turns with the reference.
func (t *table) compareFollowing() {
	arms := t.arms()
	reference := -1
	var lists [][]int
	for i, s := range arms {
		if s == t.reference {
			reference = i
		}
		lists = append(lists, s.blocks)
	}
	if reference < 0 || len(t.reference.turns) == 0 {
		return
	}
	blocks := union(lists...)
	var starts [][][]stats.Turn
	for _, block := range blocks {
		var start [][]stats.Turn
		for _, s := range arms {
			start = append(start, s.turns[block])
		}
		starts = append(starts, start)
	}
	f := stats.FollowingOf(starts)
	slopes, deviation := f.Slopes()
	if slopes == nil {
		return
	}
	costs := make([][]float64, len(arms))
	for i, s := range arms {
		costs[i] = s.byBlock("cpu", blocks)
	}
	t.states = &States{deviation, f.Between(costs)}
	for i, s := range arms {
		if i != reference && s.Ratios["cpu"].N > 0 {
			s.Following = &Following{slopes[i], slopes[reference], f.AtOneState(costs, i, reference, level)}
		}
	}
}

// depends reports whether ratios of the group depend on the machine's state.
func (s *States) depends() bool {
	return s != nil && s.Between.Starts >= startsLeast && s.Between.Holds >= holdsLeast && s.Between.P <= followingErrors
}

// addFollowing says of which subjects the ratio depends on the machine's state. It is no doubt: the ratio is what it
// was in the states that the run met.
func (y *findingSet) addFollowing(tables []*table, accept []finding.Name) {
	for _, t := range tables {
		if !t.states.depends() {
			continue
		}
		var depend []i18n.Message
		reference := 0.0
		for _, s := range t.builders {
			if f := s.Following; f != nil && f.narrows(s.Ratios["cpu"]) {
				reference = f.Reference
				depend = append(depend, i18n.New("analysis.follows", "%s by %.1f %% (its ratio is known to ±%.2g %% at one state, ±%.2g %% over all)", s.Subject, 10*f.Slope, halfWidth(f.AtOneState), halfWidth(s.Ratios["cpu"])))
			}
		}
		if len(depend) == 0 {
			continue
		}
		y.accepted(accept, finding.Finding{Name: finding.StateDependent,
			Detail: i18n.New("analysis.state-dependent", "under %s, where the machine makes requests 10 %% dearer on average (%.2g %% are its standard deviation between rounds), those of %s get dearer by %.1f %%, and of %s", t.Title, 100*t.states.Deviation, t.reference.Subject, 10*reference, i18n.List("; ", depend...))})
	}
}

// narrows reports whether the interval at one state is far narrower than that over all.
func (f *Following) narrows(over stats.Interval) bool {
	return f.AtOneState.Level > 0 && over.Level > 0 && halfWidth(f.AtOneState) <= narrower*halfWidth(over)
}

// halfWidth is that of a ratio's interval, in percent.
func halfWidth(ratio stats.Interval) float64 { return 50 * math.Log(ratio.High/ratio.Low) }
