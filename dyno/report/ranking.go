package report

import (
	"math"
	"slices"
	"sort"
	"strconv"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/present"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// Metrics a report knows by name; the rest of a group's metrics appear in CSV
// and JSON only.
const (
	throughput = "throughput"
	cpu        = "cpu"
	p50        = "response.p50"
	p99        = "response.p99"
	p999       = "response.p99.9"
	rss        = "rss"
	startUp    = "start"
)

// shown are the columns of a ranking table unless the study says which, each
// with how soon a narrow terminal drops it (high goes first).
var shown = []shownMetric{{throughput, 1}, {cpu, 0}, {p50, 4}, {p99, 2}, {p999, 5}, {rss, 6}}

type shownMetric struct {
	metric string
	drop   int
}

// chosen are the columns the study asks for, or shown. A narrow terminal drops
// the last ones first.
func chosen(a *analysis.Analysis) []shownMetric {
	if len(a.Run.Report) == 0 {
		return shown
	}
	var list []shownMetric
	for i, m := range a.Run.Report {
		list = append(list, shownMetric{m, i})
	}
	return list
}

// ranking is one group as a table: best first.
type ranking struct {
	Group   *analysis.Group
	Title   string // the group's
	By      string // metric ranked by; empty if nothing is ranked
	ByTitle string
	Columns []column
	Rows    []row
}

// column is a metric, or a metric's ratio to the reference subject.
type column struct {
	Metric string
	Unit   string
	Title  string
	Ratio  bool
	Better string
	Noise  string // of a ratio: "A/A ±1.8 %"; empty if that was not measured
	drop   int
}

// row is one subject of a ranking.
type row struct {
	Rank    string // "1", or "1–3" where others can't be told apart from it, or "–"
	Order   int    // for sorting by rank
	Colour  int    // index of the subject among the analysis's subjects
	Subject archive.Subject
	Cell    *analysis.Cell
	Figures []figure // one per column
	Worst   *moment
	Warming warming
}

// figure is one cell of the table: an estimate and its interval. The positions
// are per cent of the column's largest figure.
type figure struct {
	spread
	Missing         bool
	Why             i18n.Message // it is missing
	Self            bool         // the reference compared with itself
	Same            bool         // a ratio that is 1 within the margin, by its whole interval
	Value           float64
	Left, Mid, Wide float64
}

// moment is one second of one subject.
type moment struct {
	Subject string
	Block   int // from 1
	Second  int // 0 begins when measuring begins
	Trial   int
	Micros  float64
	Group   string
}

// rank builds the table of one group.
func rank(a *analysis.Analysis, g *analysis.Group, c language) ranking {
	r := ranking{Group: g, Title: g.Title, By: leading(a, g)}
	if r.By != "" {
		r.ByTitle = c.metric(r.By)
	}
	r.Columns = columns(a, g, r.By, c)
	for i := range g.Cells {
		r.Rows = append(r.Rows, newRow(a, &g.Cells[i], r))
	}
	sort.SliceStable(r.Rows, func(i, j int) bool { return r.Rows[i].Order < r.Rows[j].Order })
	for i := range r.Columns {
		place(r.Rows, i)
	}
	return r
}

// leading is the metric that answers the group's question: the first that the
// study asks for; else cost where it is known, throughput when saturated and p99
// when the rate is given. A throughput that is given comes last: it ranks none.
func leading(a *analysis.Analysis, g *analysis.Group) string {
	asked, order := a.Run.Report, []string{cpu, throughput, p99}
	if open(a, g) {
		asked = slices.DeleteFunc(slices.Clone(asked), func(m string) bool { return m == throughput })
		order = []string{cpu, p99, throughput}
	}
	for _, m := range slices.Concat(asked, order) {
		if len(g.Ranking[m]) > 0 {
			return m
		}
	}
	return ""
}

// open reports whether the group's load came on a schedule.
func open(a *analysis.Analysis, g *analysis.Group) bool {
	return profileOf(a, g).Mode == profile.Open
}

func profileOf(a *analysis.Analysis, g *analysis.Group) profile.Profile {
	for _, cell := range g.Cells {
		if cell.Cell >= 0 && cell.Cell < len(a.Run.Plan.Cells) {
			return a.Run.Plan.Cells[cell.Cell].Profile
		}
	}
	return profile.Profile{}
}

// columns are the ratio of the metric ranked by to the reference, the metrics shown,
// and the ratio of the throughput.
func columns(a *analysis.Analysis, g *analysis.Group, by string, c language) []column {
	var cols []column
	for _, s := range leadingFirst(chosen(a), by) {
		i := slices.IndexFunc(g.Metrics, func(m analysis.Metric) bool { return m.Name == s.metric })
		if i < 0 || !measured(g, s.metric) {
			continue
		}
		m := g.Metrics[i]
		cols = append(cols, column{Metric: m.Name, Unit: m.Unit, Title: c.metric(m.Name), Better: m.Better, drop: s.drop})
	}
	if compared(g, by) { // next to the name: it is what readers come for
		cols = slices.Insert(cols, 0, ratioColumn(a, g, by, 3, c))
	}
	if by != throughput && !open(a, g) && compared(g, throughput) {
		cols = append(cols, ratioColumn(a, g, throughput, 7, c))
	}
	return cols
}

// ratioColumn is a metric's ratio to the reference.
func ratioColumn(a *analysis.Analysis, g *analysis.Group, metric string, drop int, c language) column {
	col := column{Metric: metric, Unit: "×", Ratio: true, drop: drop,
		Title: c.text("ranking.ratio", "metric", c.metric(metric), "reference", a.Run.Reference)}
	if share := noise(g, metric); share != "" {
		col.Noise = c.text("ranking.noise", "share", share)
	}
	return col
}

// leadingFirst is the list with the metric ranked by in front.
func leadingFirst(list []shownMetric, by string) []shownMetric {
	return slices.SortedStableFunc(slices.Values(list), func(a, b shownMetric) int {
		switch by {
		case a.metric:
			return -1
		case b.metric:
			return 1
		}
		return 0
	})
}

// measured reports whether any subject has an estimate of the metric.
func measured(g *analysis.Group, metric string) bool {
	return slices.ContainsFunc(g.Cells, func(c analysis.Cell) bool { return c.Estimates[metric].N > 0 })
}

// compared reports whether there is a ratio of two different subjects.
func compared(g *analysis.Group, metric string) bool {
	return len(g.Cells) > 1 && slices.ContainsFunc(g.Cells, func(c analysis.Cell) bool { return c.Ratios[metric].N > 0 })
}

func newRow(a *analysis.Analysis, cell *analysis.Cell, r ranking) row {
	label, order := position(r.Group.Ranking[r.By], cell.Cell)
	label += misserves(cell)
	out := row{
		Rank: label, Order: order, Cell: cell, Subject: subject(a, cell.Subject),
		Colour: slices.Index(a.Subjects, cell.Subject), Worst: worstSecond(r.Group, cell),
		Warming: warmingOf(a, cell),
	}
	for _, col := range r.Columns {
		f := newFigure(cell, col, a.Run.Reference)
		if col.Ratio && !f.Missing && !f.Self && stats.Equivalent(cell.Ratios[col.Metric], sameMargin) {
			f.Same, f.Estimate = true, same+f.Estimate
		}
		out.Figures = append(out.Figures, f)
	}
	return out
}

// position writes the interval of ranks that a subject has, and its place in the
// order, last for those without a rank.
// misserves marks a subject with wrong responses, or failed more than others.
func misserves(cell *analysis.Cell) string {
	if cell.Wrong > 0 || cell.FailsMore {
		return present.Failed
	}
	return ""
}

func position(places []analysis.Place, cell int) (label string, order int) {
	at := slices.IndexFunc(places, func(p analysis.Place) bool { return p.Cell == cell })
	if at < 0 {
		return "–", math.MaxInt
	}
	label = strconv.Itoa(places[at].Rank)
	if last := places[at].Last; last > places[at].Rank {
		label += "–" + strconv.Itoa(last)
	}
	return label, at
}

func subject(a *analysis.Analysis, name string) archive.Subject {
	for _, s := range a.Run.Subjects {
		if s.Name == name {
			return s
		}
	}
	return archive.Subject{Name: name}
}

func newFigure(cell *analysis.Cell, col column, reference string) figure {
	self := col.Ratio && cell.Subject == reference
	iv := cell.Estimates[col.Metric]
	if col.Ratio {
		iv = cell.Ratios[col.Metric]
	}
	if iv.N == 0 {
		return figure{Missing: true, Why: cell.Omitted[col.Metric]}
	}
	if self {
		return figure{spread: spread{Estimate: "1×"}, Self: true, Value: 1, Mid: 1}
	}
	return figure{
		spread: writeInterval(col.Unit, iv), Value: iv.Estimate,
		Left: min(iv.Low, iv.Estimate), Mid: iv.Estimate, Wide: max(iv.High, iv.Estimate),
	}
}

// place turns the ends of a column's intervals into positions on one scale
// from zero to the largest.
func place(rows []row, col int) {
	top := 0.0
	for _, r := range rows {
		top = max(top, r.Figures[col].Mid, r.Figures[col].Wide)
	}
	if top <= 0 {
		return
	}
	for _, r := range rows {
		f := &r.Figures[col]
		if f.Self {
			f.Mid = percent(f.Mid, top)
			continue
		}
		f.Left, f.Mid, f.Wide = percent(f.Left, top), percent(f.Mid, top), percent(f.Wide-f.Left, top)
	}
}

func percent(x, of float64) float64 { return math.Round(x/of*1000) / 10 }

// worstSecond is the used second with the highest p99, or nil.
func worstSecond(g *analysis.Group, cell *analysis.Cell) *moment {
	var worst *moment
	for _, s := range cell.Seconds {
		if !used(cell, s) || s.P99 <= 0 || (worst != nil && s.P99 <= worst.Micros) {
			continue
		}
		worst = &moment{Subject: cell.Subject, Block: s.Block + 1, Second: s.Index, Trial: s.Trial, Micros: s.P99, Group: g.Title}
	}
	return worst
}

// used reports whether a second counts: measured, valid or suspect, and of a
// trial that was not left out.
func used(cell *analysis.Cell, s analysis.Second) bool {
	return s.Index >= 0 && s.Validity != finding.Invalid && slices.Contains(cell.Trials, s.Trial)
}

// rankingNote says what a ranking's figures are and how sure they are; bars if
// the figures have bars beneath.
func rankingNote(r ranking, c language, bars bool) string {
	var notes []string
	if len(r.Rows) > 1 {
		notes = append(notes, c.text("ranking.note.rank", "metric", r.ByTitle), c.text("ranking.note.ratio"))
		if bars {
			notes = append(notes, c.text("ranking.note.bars"))
		}
	}
	for _, note := range []string{warmingNote(r.warmed(), c), slicesNote(r.Group, c), twinNote(r, c)} {
		if note != "" {
			notes = append(notes, note)
		}
	}
	if slices.ContainsFunc(r.Group.Cells, func(cell analysis.Cell) bool { return misserves(&cell) != "" }) {
		notes = append(notes, c.text("ranking.note.failing", "mark", present.Failed))
	}
	if weakest := weakestLevel(r); weakest != "" {
		notes = append(notes, c.text("ranking.note.level", "level", weakest))
	}
	return c.paragraph(append(notes, missing(r, c)...))
}

// missing says for each column why it lacks a figure, once a column.
func missing(r ranking, c language) []string {
	var out []string
	for i, col := range r.Columns {
		at := slices.IndexFunc(r.Rows, func(row row) bool { return !row.Figures[i].Why.IsZero() })
		if at >= 0 && !col.Ratio {
			out = append(out, c.text("ranking.note.missing", "metric", col.Title, "why", c.say(r.Rows[at].Figures[i].Why)))
		}
	}
	return out
}

// weakestLevel is the lowest confidence of a ranking's intervals if it is less
// than 95 %, else empty.
func weakestLevel(r ranking) string {
	lowest := 0.95
	for _, row := range r.Rows {
		for _, col := range r.Columns {
			if iv := row.Cell.Estimates[col.Metric]; iv.N > 1 && iv.Level > 0 {
				lowest = min(lowest, iv.Level)
			}
		}
	}
	if lowest >= 0.9499 {
		return ""
	}
	return level(stats.Interval{Level: lowest})
}
