package regression

import (
	"maps"
	"slices"
	"strings"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/baseline"
	"dyno.example/dyno/compare"
	"dyno.example/dyno/finding"
	"dyno.example/internal/i18n"
)

// sample is an old and a new version of one cell, ready to be judged.
type sample struct {
	group, subject string
	metrics        map[string]values
	broken         i18n.Message // why no metric may be judged; empty if they may
	shares         shares       // of errors
	errors         *Check       // of those; nil if they are not checked
}

// values are those of one metric, one for each restart.
type values struct {
	unit, better string
	old, new     []float64
	paired       bool         // old[i] and new[i] are of the same block
	days         [][]float64  // the old values by day, if they are those of a baseline
	missing      i18n.Message // why there are none
	nowhere      bool         // of neither version there are any: the metric can't be measured here
}

// Pair names the two versions of a subject that were measured in turns.
type Pair struct{ Old, New string }

// pairs collects the two versions of each subject from a run that measured them
// in turns.
func pairs(a *analysis.Analysis, list []Pair) []sample {
	cells := compare.Cells(a)
	var samples []sample
	for i := range cells {
		n := &cells[i]
		at := slices.IndexFunc(list, func(p Pair) bool { return p.New == n.Subject })
		if at < 0 {
			continue
		}
		o := slices.IndexFunc(cells, func(c compare.Cell) bool { return c.Group == n.Group && c.Subject == list[at].Old })
		if o >= 0 {
			samples = append(samples, newPair(a, &cells[o], n))
		}
	}
	return samples
}

func newPair(a *analysis.Analysis, old, new *compare.Cell) sample {
	s := sample{group: new.Group, subject: new.Subject, metrics: make(map[string]values)}
	s.broken = firstOf(brokenRun(a), brokenCell(a, new), brokenCell(a, old))
	s.shares = newShares(a, new, old.Subject)
	s.shares.ofOld(a, old)
	for _, m := range new.Metrics {
		v := values{unit: m.Unit, better: m.Better, paired: true}
		v.old, v.new = byBlock(old, new, m.Name)
		lacks, lacked := len(new.Values[m.Name]) == 0, len(old.Values[m.Name]) == 0
		v.nowhere = lacks && lacked
		switch {
		case lacks:
			v.missing = new.Lacks(m.Name)
		case lacked:
			v.missing = old.Lacks(m.Name)
		case len(v.old) == 0:
			v.missing = i18n.New("regression.no-block-of-both", "no block has a valid trial of both versions")
		}
		s.metrics[m.Name] = v
	}
	return s
}

// byBlock returns the values of a metric in the blocks in which both cells have
// one.
func byBlock(old, new *compare.Cell, metric string) (before, after []float64) {
	olds, news := blockValues(old, metric), blockValues(new, metric)
	for _, block := range slices.Sorted(maps.Keys(news)) {
		if o, ok := olds[block]; ok {
			before, after = append(before, o), append(after, news[block])
		}
	}
	return before, after
}

// blockValues are the values of a metric by block.
func blockValues(c *compare.Cell, metric string) map[int]float64 {
	blocks := make(map[int]int) // by trial
	for _, s := range c.Seconds {
		blocks[s.Trial] = s.Block
	}
	list := make(map[int]float64)
	for i, v := range c.Values[metric] {
		list[blocks[c.Trials[i]]] = v
	}
	return list
}

// stored holds a run against a baseline, for each cell that the baseline has.
func stored(a *analysis.Analysis, b *baseline.Baseline) []sample {
	cells := compare.Cells(a)
	var samples []sample
	for i := range b.Cells {
		o := &b.Cells[i]
		s := sample{group: o.Group, subject: o.Subject, metrics: make(map[string]values)}
		at := slices.IndexFunc(cells, func(c compare.Cell) bool { return c.Key() == [2]string{o.Group, o.Subject} })
		switch {
		case at < 0:
			s.broken = i18n.New("regression.cell-missing", "the run has no such cell")
		case cells[at].Load != o.Load:
			s.broken = i18n.New("regression.baseline-other-load", "its load, or that it was measured in slices or in trials, is not as in the baseline: make a new baseline")
		default:
			n := &cells[at]
			s.broken = firstOf(brokenRun(a), brokenCell(a, n))
			s.shares = newShares(a, n, "the baseline")
			s.shares.old = o.Metrics[errorShare].Values
			s.addStored(n, o, b)
		}
		samples = append(samples, s)
	}
	return samples
}

func (s *sample) addStored(new *compare.Cell, old *baseline.Cell, b *baseline.Baseline) {
	for name, m := range old.Metrics {
		v := values{unit: m.Unit, better: m.Better, old: m.Values, new: new.Values[name], days: b.ByDay(&m)}
		if len(v.new) == 0 {
			v.missing = new.Lacks(name)
		}
		s.metrics[name] = v
	}
	for _, m := range new.Metrics {
		if _, ok := old.Metrics[m.Name]; !ok {
			s.metrics[m.Name] = values{unit: m.Unit, better: m.Better, missing: i18n.New("regression.baseline-lacks-metric", "the baseline has no figures of it"), nowhere: true}
		}
	}
}

// unstored are the cells of a run that the baseline does not have.
func unstored(a *analysis.Analysis, b *baseline.Baseline) (cells []string) {
	for _, c := range compare.Cells(a) {
		if b.Find(c.Key()) == nil {
			cells = append(cells, c.String())
		}
	}
	return cells
}

// firstOf is the first text that is not empty.
func firstOf(texts ...i18n.Message) i18n.Message {
	for _, text := range texts {
		if !text.IsZero() {
			return text
		}
	}
	return i18n.Message{}
}

// brokenRun says why nothing in a run may be judged.
func brokenRun(a *analysis.Analysis) i18n.Message {
	if a.Validity != finding.Invalid {
		return i18n.Message{}
	}
	return i18n.Join(i18n.New("regression.run-invalid", "the run is invalid"), because(a, nil))
}

// brokenCell says why a cell may not be judged: if most of its trials had to be
// left out, the rest is a selection.
func brokenCell(a *analysis.Analysis, c *compare.Cell) i18n.Message {
	used, all := len(c.Trials), len(c.Trials)+len(c.Left)+len(c.Failed)
	switch {
	case used > 0 && 2*used >= all:
		return i18n.Message{}
	case len(c.Failed) > 0:
		return i18n.New("regression.subject-failed-trials", "%s: the subject failed in %d of %d trials", c.Subject, len(c.Failed), all)
	}
	return i18n.New("regression.too-few-trials", "only %d of %d trials of %s can be used%s", used, all, c.Subject, because(a, c.Left))
}

// because names the findings that made trials invalid; of all if trials is nil.
func because(a *analysis.Analysis, trials []int) string {
	var names []finding.Name
	for _, f := range a.Findings {
		concerns := trials == nil || slices.ContainsFunc(f.Trials, func(t int) bool { return slices.Contains(trials, t) })
		if f.Weight() == finding.Invalid && concerns && !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	if names == nil {
		return ""
	}
	return ": " + strings.Join(finding.Words(names), ", ")
}
