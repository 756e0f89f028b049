package explain

import (
	"cmp"
	"math"
	"slices"

	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

const (
	// secondsLeast is of how few seconds nothing is said: with fewer, only what is in step
	// with the tail throughout could be seen.
	secondsLeast = 12
	// alpha is how often a cause may be named where there is none, all measures together.
	alpha = 0.05
	// shareLeast is the least share of the excess that is worth naming.
	shareLeast = 0.05
	// alike is the rank correlation from which two causes can't be told apart.
	alike = 0.8
	level = 0.95
)

// series is what is to be explained second by second, and by what.
type series struct {
	excess  []float64 // ns, of the second's slow requests together
	load    []float64 // what was completed: more requests have more slow ones
	strata  []int     // the trial
	names   []Name
	columns [][]float64 // by name
}

// bySeconds explains the tail by what was recorded each second: causes are those of whose
// amount there was more in seconds with more excess, by ranks and within trials, held
// against load and against the causes found before. It is Treadmill's question (Zhang et al.,
// ISCA 2016) of what is recorded instead of what is set, so that it shows association only.
func (c *Cell) bySeconds(e *Explanation) {
	e.Notes = append(e.Notes, i18n.New("explain.weaker", "what is recorded each second tells less than traced requests: it sees causes that come and go over seconds, not those that are always there"))
	if len(c.seconds) < secondsLeast {
		e.Notes = append(e.Notes, i18n.New("explain.few-seconds", "%d seconds count, and fewer than %d say nothing", len(c.seconds), secondsLeast))
		return
	}
	s := c.series(e)
	if e.Tail.Excess <= 0 {
		return
	}
	e.Source = Seconds
	found := s.choose()
	if len(found) == 0 {
		return
	}
	groups, units := c.groups()
	e.Sampled.Groups, e.Sampled.Units = groups.n, units
	s.attribute(e, found, groups.of)
}

// series sets the tail's threshold and makes the seconds' columns.
func (c *Cell) series(e *Explanation) *series {
	all := make([]times, len(c.seconds))
	for i := range c.seconds {
		all[i] = c.seconds[i].times
	}
	e.Tail.Percentile = 99
	e.Tail.Ordinary, e.Tail.Threshold = quantile(all, 0.5), quantile(all, 0.99)
	s := &series{}
	total, slow := 0.0, 0.0
	for i := range c.seconds {
		one := &c.seconds[i]
		x, n := one.times.excess(e.Tail.Threshold, e.Tail.Ordinary)
		s.excess = append(s.excess, x)
		s.load = append(s.load, one.completed)
		s.strata = append(s.strata, one.trial)
		total, slow = total+x, slow+n
	}
	if slow > 0 {
		e.Tail.Excess = total / slow
	}
	for m := range measures {
		column, known := c.column(m)
		if known {
			s.names, s.columns = append(s.names, measures[m].name), append(s.columns, column)
		}
	}
	return s
}

// column of a measure; not known if it wasn't in each second, or never changed.
func (c *Cell) column(m int) (column []float64, ok bool) {
	varies := false
	for i := range c.seconds {
		if !c.seconds[i].known[m] {
			return nil, false
		}
		column = append(column, c.seconds[i].amounts[m])
		varies = varies || column[i] != column[0]
	}
	return column, varies
}

// chosen is a cause found in a series.
type chosen struct {
	column int
	rho, p float64
	with   []Name // can't be told apart from it
}

// choose finds the causes one after another, each held against those before.
func (s *series) choose() (found []chosen) {
	left := make([]int, len(s.names))
	for i := range left {
		left[i] = i
	}
	controls := [][]float64{s.load}
	limit := alpha / float64(max(len(s.names), 1))
	for len(left) > 0 {
		var list []chosen
		for _, j := range left {
			rho, p := stats.PartialRank(s.columns[j], s.excess, controls, s.strata)
			if rho > 0 && p < limit {
				list = append(list, chosen{column: j, rho: rho, p: p})
			}
		}
		if len(list) == 0 {
			return found
		}
		best := slices.MaxFunc(list, func(a, b chosen) int { return cmp.Compare(a.rho, b.rho) })
		one := s.firstOf(list, best, controls)
		found = append(found, one)
		controls = append(controls, s.columns[one.column])
		left = slices.DeleteFunc(left, func(j int) bool { return j == one.column || slices.Contains(one.with, s.names[j]) })
	}
	return found
}

// firstOf is the best of a list, or what it can't be told apart from and brings it about.
func (s *series) firstOf(list []chosen, best chosen, controls [][]float64) chosen {
	same := []chosen{best}
	for _, other := range list {
		if other.column == best.column {
			continue
		}
		if rho, _ := stats.PartialRank(s.columns[other.column], s.columns[best.column], controls, s.strata); rho >= alike {
			same = append(same, other)
		}
	}
	first := slices.MinFunc(same, func(a, b chosen) int { return cmp.Compare(a.column, b.column) })
	for _, other := range same {
		if other.column != first.column {
			first.with = append(first.with, s.names[other.column])
		}
	}
	return first
}

// attribute shares the excess among the causes found.
func (s *series) attribute(e *Explanation, found []chosen, group []int) {
	groups := 0
	for _, g := range group {
		groups = max(groups, g+1)
	}
	fitted := make([][]float64, groups+1) // without each group, and last of all
	for g := range fitted {
		fitted[g] = s.shares(found, group, g)
	}
	all := within(fitted[groups])
	e.Unexplained = 1
	for i, one := range found {
		share := stats.Jackknife(groups, func(without int) float64 {
			if without < 0 {
				without = groups
			}
			return fitted[without][i]
		}, level)
		share.Estimate, share.Low, share.High = all[i], min(share.Low, all[i]), max(share.High, all[i])
		clip(&share)
		if all[i] < shareLeast {
			continue
		}
		lift, seconds := s.lift(one.column)
		e.Causes = append(e.Causes, Cause{
			Name: s.names[one.column], Share: all[i], Interval: share, Lift: lift, Requests: seconds, Confounded: one.with,
			Evidence: []i18n.Message{i18n.New("explain.in-step", "in step with the tail over %d seconds: rank correlation %.2f, load and the causes above held fixed", len(s.excess), one.rho)},
		})
		e.Unexplained -= all[i]
	}
	e.Unexplained = max(0, e.Unexplained)
	slices.SortStableFunc(e.Causes, func(a, b Cause) int { return cmp.Compare(b.Share, a.Share) })
}

// shares of the excess by each cause found, of the seconds that aren't in the group that is
// left out: what the fit ascribes to more of it than there is in the quietest tenth of the
// seconds. Together they may be more than all, as a fit is not exact; see [within].
func (s *series) shares(found []chosen, group []int, without int) []float64 {
	keep := func(column []float64) (kept []float64) {
		for i, v := range column {
			if group == nil || group[i] != without {
				kept = append(kept, v)
			}
		}
		return kept
	}
	excess := keep(s.excess)
	total := 0.0
	for _, v := range excess {
		total += v
	}
	shares := make([]float64, len(found))
	if total <= 0 {
		return shares
	}
	var columns [][]float64
	for _, one := range found {
		columns = append(columns, keep(s.columns[one.column]))
	}
	for i, b := range stats.NonNegative(excess, columns, [][]float64{keep(s.load)}) {
		quiet := slices.Sorted(slices.Values(columns[i]))[len(excess)/10]
		for _, v := range columns[i] {
			shares[i] += b * max(0, v-quiet) / total
		}
	}
	return shares
}

// within are shares that together aren't more than all.
func within(shares []float64) []float64 {
	sum := 0.0
	for _, v := range shares {
		sum += v
	}
	out := slices.Clone(shares)
	for i := range out {
		out[i] /= max(1, sum)
	}
	return out
}

// lift is how many times as much of a cause there was in the quarter of the seconds with
// most excess as in the others, and of how many of that quarter it was above the others' mean.
func (s *series) lift(column int) (lift float64, seconds int) {
	order := make([]int, len(s.excess))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.excess[b], s.excess[a]) })
	quarter := max(1, len(order)/4)
	slow, others := mean(s.columns[column], order[:quarter]), mean(s.columns[column], order[quarter:])
	for _, i := range order[:quarter] {
		if s.columns[column][i] > others {
			seconds++
		}
	}
	return ratio(slow, others), seconds
}

func mean(values []float64, at []int) (m float64) {
	for _, i := range at {
		m += values[i] / float64(len(at))
	}
	return m
}

// ratioMost stands for any larger ratio, as JSON has no infinity.
const ratioMost = 1e3

func ratio(a, b float64) float64 {
	if b <= 0 || a/b > ratioMost {
		if a <= 0 {
			return 1
		}
		return ratioMost
	}
	return a / b
}

// clip keeps the interval of a share between 0 and 1.
func clip(i *stats.Interval) {
	i.Low, i.High = math.Max(0, math.Min(1, i.Low)), math.Min(1, math.Max(0, i.High))
}
