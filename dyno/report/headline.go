package report

import (
	"cmp"
	"slices"
	"strings"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/stats"
)

// answer is the question's answer in plain sentences.
type answer struct {
	Group     string // title; empty if the run has one group only
	Sentences []string
}

// paragraph joins sentences.
func (c language) paragraph(sentences []string) string {
	return strings.Join(sentences, c.text("list.sentence"))
}

// answers gives one answer per group, or one that says why there is none.
func answers(a *analysis.Analysis, c language) []answer {
	var out []answer
	for i := range a.Groups {
		g := &a.Groups[i]
		h := answer{Sentences: sentences(a, g, c)}
		if len(a.Groups) > 1 {
			h.Group = g.Title
		}
		out = append(out, h)
	}
	if len(out) == 0 {
		return []answer{{Sentences: []string{c.text("answer.nothing")}}}
	}
	return out
}

func sentences(a *analysis.Analysis, g *analysis.Group, c language) []string {
	by := leading(a, g)
	if by == "" {
		return unusable(a, g, c)
	}
	out := verdictOn(g, by, c)
	if second := secondary(a, g, by); second != "" {
		out = append(out, verdictOn(g, second, c)...)
	}
	out = append(out, failing(g, c)...)
	if none := withoutTrials(g); len(none) > 0 {
		out = append(out, c.text(plural("answer.untried", len(none)), "subjects", c.names(none)))
	}
	if w := worst(g); w != nil {
		out = append(out, c.text("answer.worst", "subject", w.Subject, "block", w.Block,
			"second", w.Second, "value", quantity("µs", w.Micros)))
	}
	return out
}

// unusable says why a group has no answer, what stood in the way most often
// first, and what to do about it.
func unusable(a *analysis.Analysis, g *analysis.Group, c language) []string {
	all := map[int]bool{}
	for _, cell := range arms(g) {
		for _, trial := range cell.Left {
			all[trial] = true
		}
	}
	if len(all) == 0 {
		return []string{c.text("answer.nothing")}
	}
	var reasons, names []string
	for _, f := range hindrances(a, all) {
		reasons = append(reasons, c.text("answer.unusable.reason", "finding", findingTitle(f.name, c), "trials", c.count("trials", f.trials)))
		if slices.Contains(finding.Acceptable(), f.name) {
			names = append(names, "--accept "+string(f.name))
		}
	}
	out := []string{c.text("answer.unusable", "trials", c.count("trials", len(all)), "why", strings.Join(reasons, c.text("list.semicolon")))}
	if len(reasons) == 0 {
		out[0] = c.text("answer.unusable.unknown", "trials", c.count("trials", len(all)))
	}
	if len(names) > 0 {
		out = append(out, c.text("answer.unusable.next", "accept", strings.Join(names, " ")))
	}
	return out
}

// hindrance is a finding that made trials unusable.
type hindrance struct {
	name   finding.Name
	trials int
}

// hindrances are the findings that make any of the trials invalid, with how many
// of them, most first.
func hindrances(a *analysis.Analysis, trials map[int]bool) []hindrance {
	var list []hindrance
	seen := map[finding.Name]map[int]bool{}
	for i := range a.Findings {
		f := &a.Findings[i]
		if f.Weight() != finding.Invalid {
			continue
		}
		for _, t := range f.Trials {
			if !trials[t] {
				continue
			}
			if seen[f.Name] == nil {
				seen[f.Name] = map[int]bool{}
				list = append(list, hindrance{name: f.Name})
			}
			seen[f.Name][t] = true
		}
	}
	for i := range list {
		list[i].trials = len(seen[list[i].name])
	}
	slices.SortStableFunc(list, func(x, y hindrance) int { return cmp.Compare(y.trials, x.trials) })
	return list
}

// secondary is the other figure worth a sentence: speed next to cost.
func secondary(a *analysis.Analysis, g *analysis.Group, by string) string {
	second := throughput
	if open(a, g) {
		second = p99
	}
	if second == by || len(g.Ranking[second]) == 0 {
		return ""
	}
	return second
}

// verdictOn says which subject is first by a metric and by how much, or which can't be told
// apart; and which have no figure, so that none is beaten in silence.
func verdictOn(g *analysis.Group, metric string, c language) []string {
	places, leads := sound(g, metric)
	lacking := withoutFigure(g, metric, c)
	switch {
	case len(g.Cells) == 1:
		return []string{estimated(g, places[0].Cell, metric, keyFor("answer.only.", metric, c), c)}
	case len(places) == 1:
		return append([]string{estimated(g, places[0].Cell, metric, "answer.alone", c)}, lacking...)
	}
	out := first(g, metric, places, leads, c)
	if note := noiseNote(g, metric, c); note != "" {
		out = append(out, note)
	}
	return append(out, lacking...)
}

// sound are the places of the subjects that never failed, and how the first compares with
// them: one that failed is behind all of these whatever its figures, and ties with none. If
// all failed, sound are all places.
func sound(g *analysis.Group, metric string) (places []analysis.Place, leads []analysis.Versus) {
	failed := map[int]bool{}
	for i := range g.Cells {
		failed[g.Cells[i].Cell] = len(g.Cells[i].Failed) > 0
	}
	for _, p := range g.Ranking[metric] {
		if !failed[p.Cell] {
			places = append(places, p)
		}
	}
	if len(places) == 0 {
		return g.Ranking[metric], g.Leads[metric]
	}
	for _, v := range g.Leads[metric] {
		if !failed[v.Cell] {
			leads = append(leads, v)
		}
	}
	return places, leads
}

// manyErrors is the share of failed requests, in percent, from which on it is said
// in addition to whatever else is said: the limit of the finding "errors".
const manyErrors = 0.5

// failing says which subjects failed, or failed many requests or more than others, and how often.
func failing(g *analysis.Group, c language) (said []string) {
	for i := range g.Cells {
		cell := &g.Cells[i]
		if cell.Wrong > 0 {
			said = append(said, c.text("answer.wrong", "subject", cell.Subject, "share", quantity("%", cell.Wrong)))
			continue
		}
		if e := cell.Estimates["errors"]; e.N > 0 && (e.Estimate > manyErrors || cell.FailsMore) {
			said = append(said, c.text("answer.errors", "subject", cell.Subject, "share", quantity("%", e.Estimate)))
		}
		if n := len(cell.Failed); n > 0 {
			said = append(said, c.text("answer.failed", "subject", cell.Subject, "failed", n, "trials", c.count("trials", n+len(cell.Trials))))
		}
	}
	return said
}

// keyFor is the text for a metric that begins as given, or that for all others.
func keyFor(prefix, metric string, c language) string {
	if c.has(prefix + metric) {
		return prefix + metric
	}
	return prefix + "other"
}

// first compares the first place with the others: the next best if all can be told
// apart from it, else those that can't.
func first(g *analysis.Group, metric string, places []analysis.Place, leads []analysis.Versus, c language) []string {
	best := places[0]
	tied, beaten := contenders(tiedWithFirst(places, leads), places)
	if len(tied) == 0 {
		// Whoever is beaten is so by a contender or by one that the first is apart from.
		next := leads[slices.IndexFunc(leads, func(v analysis.Versus) bool { return v.Apart })]
		said := []string{c.text(keyFor("answer.best.", metric, c), "subject", best.Subject, "other", next.Subject, "metric", c.metric(metric),
			"ratio", ratioText(next.Ratio, c), "value", valueOf(g, best.Cell, metric), "otherValue", valueOf(g, next.Cell, metric))}
		if len(beaten) > 0 {
			return append(said, c.text("answer.next.tied", "others", c.names(beaten), "subject", best.Subject))
		}
		if rest := sharing(places[1:]); len(rest) > 0 {
			said = append(said, c.text("answer.next.tied", "others", c.names(rest), "subject", next.Subject))
		}
		return said
	}
	names := []string{best.Subject}
	for _, p := range tied {
		names = append(names, p.Subject)
	}
	said := c.text("answer.tie", "subjects", c.names(names), "metric", c.metric(metric))
	// The pair that is farthest apart says how little is known of all of them.
	last := tied[len(tied)-1]
	if at := slices.IndexFunc(leads, func(v analysis.Versus) bool { return v.Cell == last.Cell }); at >= 0 && leads[at].Ratio.N > 0 {
		ratio := leads[at].Ratio
		said = c.text("answer.tie.ratio", "subjects", c.names(names), "metric", c.metric(metric), "ratio", ratioText(ratio, c),
			"subject", best.Subject, "other", last.Subject)
		switch {
		case against(g, metric, ratio):
			said = c.paragraph([]string{said, c.text("answer.tie.parted", "subject", best.Subject, "other", last.Subject)})
		case ratio.Level > 0 && !ratio.Contains(1):
			said = c.paragraph([]string{said, c.text("answer.tie.pairs", "pairs", c.count("pairs", len(places)*(len(places)-1)/2))})
		}
	}
	if len(beaten) > 0 {
		return []string{said, c.text("answer.next.tied", "others", c.names(beaten), "subject", best.Subject)}
	}
	return []string{said}
}

// contenders divides the places that can't be told apart from the first: those that may be
// first, and the names of those that are beyond doubt behind another one.
func contenders(tied, places []analysis.Place) (may []analysis.Place, beaten []string) {
	for _, p := range tied {
		if slices.ContainsFunc(places[1:], func(other analysis.Place) bool { return slices.Contains(p.Behind, other.Cell) }) {
			beaten = append(beaten, p.Subject)
		} else {
			may = append(may, p)
		}
	}
	return may, beaten
}

// against reports whether a ratio of the first place to another says that the other is the
// better: places are in the order of the medians, which then say otherwise.
func against(g *analysis.Group, metric string, ratio stats.Interval) bool {
	at := slices.IndexFunc(g.Metrics, func(m analysis.Metric) bool { return m.Name == metric })
	if at < 0 || ratio.Level == 0 {
		return false
	}
	if g.Metrics[at].Better == string(stats.Lower) {
		return ratio.Low > 1
	}
	return ratio.High < 1
}

// tiedWithFirst are the places that can't be told apart from the first: those that aren't
// behind it, and those about which the comparison with it says nothing.
func tiedWithFirst(places []analysis.Place, leads []analysis.Versus) []analysis.Place {
	var tied []analysis.Place
	for _, p := range places[1:] {
		at := slices.IndexFunc(leads, func(v analysis.Versus) bool { return v.Cell == p.Cell })
		if at < 0 || !leads[at].Apart {
			tied = append(tied, p)
		}
	}
	return tied
}

// sharing are the subjects that can't be told apart from the first of the places.
func sharing(places []analysis.Place) []string {
	var names []string
	for _, p := range places[1:] {
		if !slices.Contains(p.Behind, places[0].Cell) {
			names = append(names, p.Subject)
		}
	}
	return names
}

// ratioText is "1.42× (95 %: 1.31–1.54)", or says that one block has no interval.
func ratioText(iv stats.Interval, c language) string {
	s := writeInterval("×", iv)
	sure := c.text(howSure(iv.N, level(iv), s.Range()), "level", level(iv), "range", s.Range(), "trials", c.count("blocks", iv.N))
	if iv.N < 2 {
		sure = c.text("sure.block")
	}
	return c.text("answer.ratio", "ratio", s.Estimate, "sure", sure)
}

// noiseNote says if the difference between the first two is no larger than what
// the A/A comparison leaves open for none.
func noiseNote(g *analysis.Group, metric string, c language) string {
	places, leads := sound(g, metric)
	if len(leads) == 0 || len(tiedWithFirst(places, leads)) > 0 || !g.InNoise(metric, leads[0].Ratio.Estimate) {
		return ""
	}
	return c.text("answer.noise", "share", noise(g, metric))
}

// withoutTrials are the subjects without a usable trial.
func withoutTrials(g *analysis.Group) []string {
	var names []string
	for i := range g.Cells {
		if len(g.Cells[i].Trials)+len(g.Cells[i].Failed) == 0 {
			names = append(names, g.Cells[i].Subject)
		}
	}
	return names
}

// withoutFigure says, a sentence for each reason, which subjects have usable trials
// and yet no figure of a metric that others have.
func withoutFigure(g *analysis.Group, metric string, c language) []string {
	var reasons []string
	subjects := map[string][]string{}
	for i := range g.Cells {
		cell := &g.Cells[i]
		if cell.Estimates[metric].N > 0 || len(cell.Trials) == 0 {
			continue
		}
		why := words(c.say(cell.Omitted[metric]), c.text("answer.missing.unknown"))
		if analysis.TooFewRequests(cell.Omitted[metric]) { // how many is another number for each
			why = c.text("answer.missing.few")
		}
		if subjects[why] == nil {
			reasons = append(reasons, why)
		}
		subjects[why] = append(subjects[why], cell.Subject)
	}
	var out []string
	for _, why := range reasons {
		out = append(out, c.text(plural("answer.missing", len(subjects[why])), "subjects", c.names(subjects[why]), "metric", c.metric(metric), "why", why))
	}
	return out
}

// valueOf is a cell's estimate without its interval.
func valueOf(g *analysis.Group, cell int, metric string) string {
	for i := range g.Cells {
		if g.Cells[i].Cell == cell {
			return writeInterval(unit(g, metric), g.Cells[i].Estimates[metric]).Estimate
		}
	}
	return ""
}

// estimated fills a sentence with a cell's estimate and how sure it is.
func estimated(g *analysis.Group, cell int, metric, key string, c language) string {
	for _, cl := range g.Cells {
		if cl.Cell != cell {
			continue
		}
		iv := cl.Estimates[metric]
		s := writeInterval(unit(g, metric), iv)
		sure := c.text(howSure(iv.N, level(iv), s.Range()), "level", level(iv), "range", s.Range(), "trials", c.count("trials", iv.N))
		return c.text(key, "subject", cl.Subject, "metric", c.metric(metric), "value", s.Estimate, "sure", sure)
	}
	return ""
}

// howSure picks the wording of an estimate's interval: a confidence interval,
// no more than the range of few trials, or none for a single trial.
func howSure(n int, level, span string) string {
	switch {
	case n < 2:
		return "sure.single"
	case level == "" || span == "":
		return "sure.range"
	}
	return "sure.interval"
}

func unit(g *analysis.Group, metric string) string {
	for _, m := range g.Metrics {
		if m.Name == metric {
			return m.Unit
		}
	}
	return ""
}

// worst is the group's worst second over all subjects.
func worst(g *analysis.Group) *moment {
	var out *moment
	for i := range g.Cells {
		if w := worstSecond(g, &g.Cells[i]); w != nil && (out == nil || w.Micros > out.Micros) {
			out = w
		}
	}
	return out
}
