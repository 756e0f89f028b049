package analysis

import (
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// twinErrors is in how many runs a twin may be said to differ though it does not.
const twinErrors = 0.01

// watched are the metrics whose comparisons findings are about: those that the study
// reports, or the usual ones. Of all metrics there would always be one that differs
// by chance.
func watched(m *archive.Manifest) []string {
	if len(m.Report) > 0 {
		return m.Report
	}
	return []string{"throughput", "cpu", "response.p50", "response.p99"}
}

// addParted says which ratios come out otherwise by ranks, of those to the reference and
// of the first place to the others: one finding for all, as each group has many.
func (y *findingSet) addParted(tables []*table, metrics []string, accept []finding.Name) {
	var parted []i18n.Message
	all := 0
	for _, t := range tables {
		for _, metric := range metrics {
			for _, p := range t.compared(metric) {
				a, b, ok := p.over.pairs(p.under, metric)
				if !ok {
					continue
				}
				ratio, byRank := stats.Ratio(a, b, level), stats.RankRatio(a, b, level)
				all++
				if !stats.Part(ratio, byRank) {
					continue
				}
				of := p.over.Subject
				if p.under != t.reference {
					of += " / " + p.under.Subject
				}
				parted = append(parted, i18n.New("analysis.means-and-ranks", "%s of %s under %s: %s over all starts, %s by ranks", metricName(metric), of, t.Title, brief(ratio), brief(byRank)))
			}
		}
	}
	if len(parted) == 0 {
		return
	}
	y.accepted(accept, finding.Finding{Name: finding.RatiosPart, Validity: finding.Suspect,
		Detail: i18n.New("analysis.averaging-decides", "%d of %d ratios depend on how starts are averaged: %s", len(parted), all, i18n.List("; ", parted...))})
}

// pair is a ratio that a report shows: of one cell over another.
type pair struct{ over, under *cellBuilder }

// compared are the pairs whose ratios a report shows in a metric: each cell over the
// reference, and the first place over the others.
func (t *table) compared(metric string) (list []pair) {
	for _, s := range t.builders {
		if t.reference != nil && s != t.reference {
			list = append(list, pair{s, t.reference})
		}
	}
	places := t.Ranking[metric]
	if len(places) == 0 {
		return list
	}
	first := t.builderOf(places[0].Cell)
	for _, versus := range t.Leads[metric] {
		if other := t.builderOf(versus.Cell); first != t.reference && other != t.reference {
			list = append(list, pair{first, other})
		}
	}
	return list
}

// addTwins says if the reference differs from itself. The error is that of all
// comparisons together (Bonferroni), whatever the interim looks at the run were.
func (y *findingSet) addTwins(tables []*table, metrics []string, accept []finding.Name) {
	type test struct {
		group, metric string
		a, b          []float64
	}
	var tests []test
	for _, t := range tables {
		if t.twin == nil || t.reference == nil {
			continue
		}
		for _, metric := range metrics {
			if a, b, ok := t.twin.pairs(t.reference, metric); ok {
				tests = append(tests, test{t.Title, metric, a, b})
			}
		}
	}
	var differ []i18n.Message
	for _, test := range tests {
		if iv := stats.Ratio(test.a, test.b, 1-twinErrors/float64(len(tests))); iv.Level > 0 && !iv.Contains(1) {
			differ = append(differ, i18n.New("analysis.under", "%s under %s: %s", metricName(test.metric), test.group, brief(iv)))
		}
	}
	if len(differ) == 0 {
		return
	}
	y.accepted(accept, finding.Finding{Name: finding.TwinDiffers, Validity: finding.Suspect,
		Detail: i18n.New("analysis.twins-differ", "the reference, measured twice in each block, differs from itself by more than chance explains in all %d comparisons together: %s", len(tests), i18n.List("; ", differ...))})
}

// accepted adds a finding of the run as what the study says it weighs.
func (y *findingSet) accepted(accept []finding.Name, f finding.Finding) {
	for _, f := range finding.Accept([]finding.Finding{f}, accept) {
		y.list = append(y.list, Finding{Finding: f})
	}
}

// brief writes a ratio with its interval.
func brief(iv stats.Interval) i18n.Message {
	return i18n.New("analysis.text", "%.3g (%.3g–%.3g)", iv.Estimate, iv.Low, iv.High)
}

// doubts are the findings of the analysis that make the run suspect, however many of
// its trials they concern.
var doubts = []finding.Name{finding.RestartPlateau, finding.TwinDiffers, finding.LostUnevenly}

// doubted is how much the findings about cells and comparisons take from the run.
func doubted(list []Finding) finding.Validity {
	verdict := finding.Valid
	for i := range list {
		if slices.Contains(doubts, list[i].Name) {
			verdict = verdict.Worse(list[i].Weight())
		}
	}
	return verdict
}
