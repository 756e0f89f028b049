package explain

// restartsLeast is from how many trials on intervals are over restarts.
const restartsLeast = 4

// stretches is into how many stretches of time a trial's seconds are cut otherwise, all
// trials together.
const stretches = 10

// What intervals are over.
const (
	Restarts  = "restarts"
	Stretches = "stretches of time" // within restarts
)

// grouping puts each of some things into a group: what could have come out otherwise
// independently.
type grouping struct {
	of []int
	n  int
}

// groups are those of the seconds: restarts where there are enough of them, else
// stretches of time.
func (c *Cell) groups() (g grouping, units string) {
	at := make([]place, len(c.seconds))
	for i := range c.seconds {
		at[i] = place{c.seconds[i].trial, c.seconds[i].window}
	}
	return groupsOf(at)
}

// place is when something was: the trial and its second.
type place struct{ trial, second int }

// groupsOf groups things by when they were.
func groupsOf(at []place) (g grouping, units string) {
	span := map[int][2]int{} // first and last second by trial
	var trials []int
	for _, p := range at {
		s, ok := span[p.trial]
		if !ok {
			trials = append(trials, p.trial)
			s = [2]int{p.second, p.second}
		}
		span[p.trial] = [2]int{min(s[0], p.second), max(s[1], p.second)}
	}
	first := map[int]int{} // group of a trial's first stretch
	each := 1
	units = Restarts
	if len(trials) < restartsLeast {
		units = Stretches
		each = max(1, stretches/max(1, len(trials)))
	}
	for i, t := range trials {
		first[t] = i * each
	}
	used := map[int]int{}
	for _, p := range at {
		s := span[p.trial]
		raw := first[p.trial] + (p.second-s[0])*each/(s[1]-s[0]+1)
		if _, ok := used[raw]; !ok {
			used[raw] = len(used)
		}
		g.of = append(g.of, used[raw])
	}
	g.n = len(used)
	return g, units
}
