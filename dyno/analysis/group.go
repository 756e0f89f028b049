package analysis

import (
	"slices"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/study"
)

// table is a group while it is filled.
type table struct {
	Group
	builders []*cellBuilder
	twin     *cellBuilder // the reference measured again; nil if it was not
	beside   neighbours
	states   *States // nil if they aren't known

	reference *cellBuilder // nil if the group doesn't have it
}

// newTables sorts the plan's cells into groups, both in the plan's order, and
// returns the builder of each cell. secure says that some of them speak TLS.
func newTables(cells []study.Cell, secure bool) (tables []*table, builders []*cellBuilder) {
	byTitle := map[string]*table{}
	for i := range cells {
		c := &cells[i]
		title := c.Title()
		t := byTitle[title]
		if t == nil {
			t = &table{Group: Group{Title: title, Load: c.Load, Levels: c.Levels, Ranking: map[string][]Place{}, Leads: map[string][]Versus{}}}
			byTitle[title] = t
			tables = append(tables, t)
		}
		s := newCellBuilder(c)
		if secure {
			s.clocks = append(s.clocks, measure.FullHandshake, measure.ResumedHandshake)
		}
		builders = append(builders, s)
		if c.Twin {
			t.twin = s
			continue
		}
		t.builders = append(t.builders, s)
	}
	joinBesides(cells, builders)
	return tables, builders
}

// finish computes what rests on all trials of the group.
func (t *table) finish(reference string, all []figure, c *confidence) Group {
	for _, s := range t.builders {
		s.estimate(c)
	}
	noteFailures(t.builders)
	if at := slices.IndexFunc(t.builders, func(s *cellBuilder) bool { return s.Subject == reference }); at >= 0 {
		t.reference = t.builders[at]
		for _, s := range t.builders {
			s.compare(t.reference, c)
		}
		t.compareTurns(t.reference)
		t.compareFollowing()
		t.finishTwin(t.reference, c)
	}
	t.Slices = t.slicesOf()
	t.Beside = t.besideOf()
	t.Metrics = []Metric{}
	for _, f := range all {
		if !t.measured(f.Name) {
			continue
		}
		t.Metrics = append(t.Metrics, f.Metric)
		if places, leads := t.rank(f, c); places != nil {
			t.Ranking[f.Name] = places
			if leads != nil {
				t.Leads[f.Name] = leads
			}
		}
	}
	for _, s := range t.builders {
		t.Cells = append(t.Cells, s.Cell)
	}
	return t.Group
}

// measured reports whether any cell has figures of the metric, be they of no use.
func (t *table) measured(metric string) bool {
	return slices.ContainsFunc(t.builders, func(s *cellBuilder) bool { return len(s.Values[metric]) > 0 || s.Unusable[metric].N > 0 })
}

// rank orders the cells by a metric, and compares the first with the others. Ranks rest
// on ratios, so a metric with a value that is not above zero has none. Subjects that
// failed in some trials come after all that did not: the trials in which they worked
// are not all there is. Those with wrong responses have no rank among the others: they did
// something else.
func (t *table) rank(f figure, c *confidence) ([]Place, []Versus) {
	if !f.ranked {
		return nil, nil
	}
	var lists [][]int
	var sound, failed []*cellBuilder
	for _, s := range t.builders {
		switch {
		case s.Wrong > 0 && len(t.builders) > 1:
			continue
		case len(s.Failed) > 0:
			failed = append(failed, s)
			continue
		case !positive(s.Values[f.Name]):
			return nil, nil
		}
		sound, lists = append(sound, s), append(lists, s.blocks)
	}
	blocks := union(lists...)
	values := make([][]float64, len(sound))
	for i, s := range sound {
		values[i] = s.byBlock(f.Name, blocks)
	}
	var places []Place
	for _, standing := range stats.Rank(values, stats.Better(f.Better), c.strict) {
		s := sound[standing.Subject]
		place := Place{Rank: standing.Rank, Last: standing.Last, Subject: s.Subject, Cell: s.Cell.Cell}
		for _, better := range standing.Behind {
			place.Behind = append(place.Behind, sound[better].Cell.Cell)
		}
		places = append(places, place)
	}
	if len(places) == 0 {
		return nil, nil
	}
	versus := t.leads(f, places, blocks, c)
	var before []int
	for _, p := range places {
		before = append(before, p.Cell)
	}
	for _, s := range failed {
		places = append(places, Place{Rank: len(before) + 1, Last: len(before) + len(failed), Subject: s.Subject, Cell: s.Cell.Cell, Behind: before})
	}
	return places, versus
}
