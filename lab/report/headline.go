package report

import (
	"strings"

	"dyno/lab/analysis"
	"dyno/lab/load"
)

// answer is the question's answer in plain sentences.
type answer struct {
	Group     string // title; empty if the run has one group only
	Sentences []string
}

// paragraph joins sentences.
func (c catalogue) paragraph(sentences []string) string {
	return strings.Join(sentences, c.text("list.sentence"))
}

// answers gives one answer per group, or one that says why there is none.
func answers(a *analysis.Analysis, c catalogue) []answer {
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

func sentences(a *analysis.Analysis, g *analysis.Group, c catalogue) []string {
	by := leading(a, g)
	if by == "" {
		return []string{unusable(g, c)}
	}
	out := best(a, g, by, c)
	if second := secondary(a, g, by); second != "" {
		out = append(out, best(a, g, second, c)[0])
	}
	if w := worst(g); w != nil {
		out = append(out, c.text("answer.worst", "subject", w.Subject, "block", w.Block,
			"second", w.Second, "value", quantity("µs", w.Micros)))
	}
	return out
}

// unusable says why a group has no answer.
func unusable(g *analysis.Group, c catalogue) string {
	left := 0
	for _, cell := range arms(g) {
		left += len(cell.Left)
	}
	if left == 0 {
		return c.text("answer.nothing")
	}
	return c.text("answer.unusable", "trials", c.count("trials", left))
}

// secondary is the other figure worth a sentence: speed beside cost.
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

// best says who is first for a metric and who else may be; the second
// sentence names the next when the first stands alone.
func best(a *analysis.Analysis, g *analysis.Group, metric string, c catalogue) []string {
	places := g.Ranking[metric]
	first := places[0]
	var tied []string
	for _, p := range places[1:] {
		if p.Rank == first.Rank {
			tied = append(tied, p.Subject)
		}
	}
	kind := "answer.best."
	if len(g.Cells) == 1 {
		kind = "answer.only."
	}
	key := kind + metric
	if _, ok := c.texts[key]; !ok {
		key = kind + "other"
	}
	out := []string{estimated(g, first.Cell, metric, key, c)}
	switch {
	case len(tied) > 0:
		out = append(out, c.text("answer.tied", "others", c.list(tied)))
	case len(places) > 1:
		out = append(out, estimated(g, places[1].Cell, metric, "answer.next", c))
	}
	return out
}

// estimated fills a sentence with a cell's estimate and how sure it is.
func estimated(g *analysis.Group, cell int, metric, key string, c catalogue) string {
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

// badge is the run's validity in a word and a sentence.
type badge struct {
	Validity load.Validity
	Word     string
	Detail   string
}

func newBadge(a *analysis.Analysis, c catalogue) badge {
	v := a.Validity
	if v == "" {
		v = load.Valid
	}
	b := badge{Validity: v, Word: c.text("validity." + string(v)), Detail: c.text("validity.clean")}
	if n := len(a.Findings); n > 0 {
		b.Detail = c.count("findings", n)
	}
	return b
}
