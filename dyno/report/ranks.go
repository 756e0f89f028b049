package report

import (
	"cmp"
	"slices"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
)

// ranks are a group's ranks by one metric: of all frameworks, and of languages, each
// by the best of its frameworks.
type ranks struct {
	Title      string // the group's
	By         string // metric ranked by
	ByTitle    string
	Columns    []column
	Sizes      bool       // some build's size is known
	Languages  []standing // none unless there are several languages, and several frameworks of one
	Frameworks []standing
}

// standing is one line of a table of ranks.
type standing struct {
	Rank    string // "1", or "1–3" where others can't be told apart from it, or "–"
	Order   int
	Subject archive.Subject
	Alike   []string // of a language's best: frameworks of the language that can't be told apart from it
	Figures []figure // one per column
	Size    string   // of what was built; empty if that is not known
	Warming warming
}

// newRanks ranks a group by a metric it is ranked by.
func newRanks(a *analysis.Analysis, g *analysis.Group, by string, c language) ranks {
	r := ranks{Title: g.Title, By: by, ByTitle: c.metric(by), Columns: rankColumns(a, g, by, c)}
	places := g.Ranking[by]
	for i := range g.Cells {
		r.Frameworks = append(r.Frameworks, newStanding(a, &g.Cells[i], places, r.Columns))
	}
	sortStandings(r.Frameworks)
	r.Sizes = slices.ContainsFunc(r.Frameworks, func(s standing) bool { return s.Size != "" })
	if !severalOfSome(r.Frameworks) {
		return r
	}
	best := map[string]int{} // the cell of each language
	for _, p := range places {
		language := c.standsFor(subject(a, p.Subject))
		if _, taken := best[language]; !taken && language != "" {
			best[language] = p.Cell
		}
	}
	languages := analysis.Among(places, func(p analysis.Place) bool {
		cell, ok := best[c.standsFor(subject(a, p.Subject))]
		return ok && cell == p.Cell
	})
	for i := range g.Cells {
		if !slices.ContainsFunc(languages, func(p analysis.Place) bool { return p.Cell == g.Cells[i].Cell }) {
			continue
		}
		s := newStanding(a, &g.Cells[i], languages, r.Columns)
		s.Alike = alike(a, places, g.Cells[i].Cell, s.Subject)
		r.Languages = append(r.Languages, s)
	}
	sortStandings(r.Languages)
	return r
}

// rankColumns are what a table of ranks shows where it was measured: the metric ranked
// by, then speed, cost, tail, memory and start.
func rankColumns(a *analysis.Analysis, g *analysis.Group, by string, c language) []column {
	var cols []column
	for drop, metric := range []string{by, throughput, cpu, p99, rss, startUp} {
		if drop > 0 && metric == by || !measured(g, metric) || metric == throughput && open(a, g) {
			continue
		}
		cols = append(cols, column{Metric: metric, Unit: unit(g, metric), Title: c.metric(metric), drop: drop})
	}
	return cols
}

func newStanding(a *analysis.Analysis, cell *analysis.Cell, places []analysis.Place, columns []column) standing {
	s := standing{Subject: subject(a, cell.Subject), Warming: warmingOf(a, cell)}
	s.Rank, s.Order = position(places, cell.Cell)
	s.Rank += misserves(cell)
	for _, col := range columns {
		s.Figures = append(s.Figures, newFigure(cell, col, a.Run.Reference))
	}
	if s.Subject.BuildSize > 0 {
		s.Size = quantity("bytes", float64(s.Subject.BuildSize))
	}
	return s
}

// standsFor is the language that a subject may represent: the products of dyno's own
// project, with which nobody else writes services, have a row of their own.
func (c language) standsFor(s archive.Subject) string {
	if s.Own && s.Language != "" {
		return c.text("languages.own", "language", s.Language)
	}
	return s.Language
}

func sortStandings(list []standing) {
	slices.SortStableFunc(list, func(x, y standing) int { return cmp.Compare(x.Order, y.Order) })
}

// alike are the frameworks of a language that its best, in the cell given, is not better
// than beyond doubt.
func alike(a *analysis.Analysis, places []analysis.Place, best int, of archive.Subject) []string {
	var names []string
	for _, p := range places {
		if s := subject(a, p.Subject); p.Cell != best && !slices.Contains(p.Behind, best) && s.Language == of.Language && s.Own == of.Own {
			names = append(names, p.Subject)
		}
	}
	return names
}

// severalOfSome reports whether there are several languages, and several frameworks of
// one of them: else languages are the frameworks once more.
func severalOfSome(list []standing) bool {
	languages := map[string]int{}
	for _, s := range list {
		if s.Subject.Language != "" {
			languages[s.Subject.Language]++
		}
	}
	several := false
	for _, n := range languages {
		several = several || n > 1
	}
	return several && len(languages) > 1
}
